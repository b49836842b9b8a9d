"""Every verb of the table of verbs: taken back to the byte, quiet when run twice, silent about what is private.

A verb that has no row here fails the first tests, so that none is forgotten when it is added.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.engine.workspaces import put

from mneme.cli.frame import run_command
from mneme.cli.verbs import VERBS
from mneme.engine import open_memory
from mneme.engine.setup import init_workspace
from mneme.files import WORKPLACE
from mneme.formats.proposal import Proposal, Source

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
OLD = NOW - timedelta(days=60)

# What each verb does to memory, as commands of which every one must change something, and `undo` take that back.
UNDONE: dict[str, tuple[tuple[str, ...], ...]] = {
    "init": (("init",),),
    "adopt": (("adopt",),),
    "remember": (
        ("remember", "Tests run before every push", "--kind", "decision"),
        ("remember", "Tests run before every push", "--kind", "feedback", "--why", "it broke"),
        ("remember", "Bo is the new lawyer", "--about", "Bo", "--new"),
        ("remember", "The harbour office opens at nine", "--kind", "infrastructure"),
        ("remember", "Paint the fence", "--kind", "task"),
        ("remember", "The map is half drawn", "--project", "Atlas"),
        ("remember", "Met Bo about the fence", "--kind", "event"),
    ),
    "note": (("note", "Ann called"), ("note", "Ann called", "--section", "Calls")),
    "done": (("done", "desk"), ("done", "TODO-0001")),
    "check": (("check", "--fix"),),
    "undo": (("undo",),),
    "lint": (("lint", "--fix"),),
    "supersede": (
        ("supersede", "DEC-0001", "The cache uses DuckDB"),
        ("supersede", "acme-001", "Acme pays monthly"),
        ("supersede", "memory/feedback/lists-never-tables.md", "Tables are fine"),
        ("supersede", "memory/harbour.md#harbour", "Other boats."),
    ),
    "affirm": (
        ("affirm", "DEC-0001"),
        ("affirm", "acme-001"),
        ("affirm", "memory/feedback/lists-never-tables.md"),
        ("affirm", "memory/harbour.md"),
    ),
    "mark": (
        ("mark", "DEC-0001", "retired"),
        ("mark", "memory/feedback/lists-never-tables.md", "retired"),
        ("mark", "memory/user/speaks-danish.md", "stale", "--conf", "low"),
    ),
    "decay": (("decay",),),
    "dream": (("dream", "--force"), ("dream", "off")),
    "palace": (("palace",),),
    "capture": (("capture", "--from", "note"),),
    "refine": (("refine",), ("refine", "--prompt")),
    "review": (("review",),),
    "sublimate": (("sublimate",),),
    "synthesize": (("synthesize",),),
    "accept": (("accept", "PROP-0001"),),
    "reject": (("reject", "PROP-0001", "--why", "no"),),
    "close": (("close", "--decisions", "paint", "--open", "none"),),
    "buffer": (
        ("buffer", "add", "one more thing"),
        ("buffer", "add", "it took long", "--friction"),
        ("buffer", "rotate", "--force"),
        ("buffer", "clear"),
    ),
    "schedule": (("schedule", "run", "decay", "archive", "palace"),),
    "wrap-up": (("wrap-up", "Drew the map"), ("wrap-up", "Drew the map", "--session", "s1"), ("wrap-up",)),
    "archive": (("archive",), ("archive", "--days", "10")),
    "write": (("write", "SOUL.md"), ("write", "memory/new.md")),
    "active": (("active", "off"),),
    "import": (("import", "transcripts", "logs"),),
}
# Verbs that write, but no memory of this workspace: where it goes instead.
ELSEWHERE = {
    "forget": "destroys for good, and says that it can't be taken back: tests/test_forget.py",
    "install": "the settings of a host or of git, taken out again by `uninstall`: tests/hosts",
    "uninstall": "the same",
    "merge": "a file of git's, which git keeps: tests/memory/test_merge.py",
    "trust": "the user's own configuration",
    "cards": "the home, which is a workspace of its own: tests/cli/test_cards.py",
}
# Upkeep, and whatever else may run again by itself: the second time changes nothing.
TWICE: tuple[tuple[str, ...], ...] = (
    ("check", "--fix"),
    ("lint", "--fix"),
    ("decay",),
    ("dream", "--force"),
    ("palace",),
    ("capture", "--from", "note"),
    ("refine",),
    ("refine", "--prompt"),
    ("review",),
    ("sublimate",),
    ("synthesize",),
    ("archive",),
    ("schedule", "run", "--due"),
    ("schedule", "run", "decay", "archive", "palace", "dream"),
    ("wrap-up", "Drew the map"),
    ("wrap-up", "Drew the map", "--session", "s1"),
    ("buffer", "rotate", "--force"),
    ("buffer", "clear"),
    ("close", "--decisions", "paint"),
    ("affirm", "DEC-0001"),
    ("affirm", "acme-001"),
    ("note", "Ann called", "--section", "Calls"),
    ("remember", "Tests run before every push", "--kind", "feedback"),
    ("done", "TODO-0001"),
    ("write", "SOUL.md"),
    ("init",),
    ("adopt",),
    ("import", "transcripts", "logs"),
    ("index",),
)
LOOSE = """
@ DEC-0077  a
gist  Loose ends are tied
state live   conf med   since 2026-01-01   seen 2026-01-01
link supersedes DEC-0078

@ DEC-0078  a
gist  Loose ends hang about
state live   conf med   since 2026-01-01   seen 2026-01-01
"""
FACTS = """[
  {"id": "harald-001", "fact": "Harald sails on Sundays", "category": "status", "timestamp": "2026-03-02",
   "source": "conversation", "status": "active", "supersededBy": null}
]
"""
# Verbs that only read, as commands that would tell something private.
READING: dict[str, tuple[tuple[str, ...], ...]] = {
    "recall": (("recall", "cache"), ("recall", "what does Acme pay", "--explain")),
    "show": (
        *(("show", name) for name in ("DEC-0001", "acme", "acme-001", "2026-01-03", "MEMORY.md", "todos.md#L1-L9")),
        ("show", "memory/user/speaks-danish.md"),
        ("show", "acme", "--as-of", "2026-02-01"),
    ),
    "list": (("list",), ("list", "--json"), ("list", "--kind", "task")),
    "tags": (("tags",),),
    "entities": (("entities",),),
    "boot": (("boot",), ("boot", "--compacted"), ("boot", "--json")),
    "related": (("related", "DEC-0001"), ("related", "memory/harbour.md")),
    "spine": (("spine",), ("spine", "--json")),
    "new-id": (("new-id", "DEC"),),
    "proposals": (("proposals",), ("proposals", "--json")),
    "index": (("index",),),
    "log": (("log",), ("log", "--json")),
    "diff": (("diff",), ("diff", "3")),
}
# Verbs that tell nothing of memory by themselves.
SILENT = frozenset({"serve", "hook", "mcp", "completion", "install", "uninstall", "merge", "trust", "cards"})
MORE = (
    *(("forget", what, "--dry-run") for what in ("DEC-0001", "acme-001", "memory/harbour.md", "yearly", "Danish")),
    *(("undo", str(number), "--dry-run") for number in range(1, 10)),
    ("buffer", "show"),
    ("check",),
    ("check", "--json"),
    ("lint",),
    ("schedule",),
    ("active", "ask", "which database does the cache use?"),
    ("dream", "status"),
    ("dream", "explain"),
    ("remember", "Lists, never tables", "--kind", "user"),
    ("remember", "Acme pays weekly", "--about", "Acme"),
    ("remember", "Something", "--about", "Acmee"),
    ("archive", "--dry-run", "--force"),
    ("wrap-up", "x", "--json"),
)
PRIVATE = (
    *("SQLite", "desk lamp", "yearly", "Lists, never", "lists-never", "Danish", "danish", "new desk", "Long ago"),
    *("DEC-0001", "DEC-0077", "project.mneme", "loose.mneme", "harbour.md", "brain/areas/acme", "acme-001"),
    *("map is blue", "shelf to mend", "Old boats", "Loose ends", "lake", "red shelf", "Harald", "harald", "ighthouse"),
)
GIVEN = {"SOUL.md": "# Soul\n\nCalm.\n", "memory/new.md": "# New\n"}


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing reach the settings of whoever runs this."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "MNEME_HOME", "MNEME_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a workspace that has something of everything, some of it in need of upkeep."""
    root = tmp_path / "w"
    init_workspace(str(root), now=lambda: OLD)
    with open_memory(str(root), now=lambda: OLD) as old:
        old.remember("The cache uses SQLite", kind="decision", topic="cache")
        old.remember("Buy a desk lamp", kind="todo")
        old.remember("Acme pays yearly", about="Acme")
        old.remember("Lists, never tables", kind="feedback")
        old.remember("Speaks Danish", kind="user")
        old.remember("Order a new desk", kind="task")
        old.note("Long ago, with [the map](harbour.md)")
        old.propose([Proposal("The map is blue", "fact", "capture", sources=(Source("memory/2026-01-03.md", "blue"),))])
        old.buffer_add("[ ] a shelf to mend")
    put(
        root,
        "memory/2026-03-02.md",
        "# 2026-03-02\n\n- 09:00 We decided to keep the backups on the red shelf in the attic\n- 10:00 The lighthouse is blocked by the weather\n",
    )
    put(root, "memory/harbour.md", "# Harbour\n\nOld boats.\n\nSee [it](gone/2026-01-03.md).\n")
    put(root, "memory/loose.mneme", LOOSE)
    put(root, "brain/areas/harald/items.json", FACTS)
    put(root, "knowledge/project-tracker.md", "# Projects\n\n## Lighthouse\n\n- 2026-01-03: begun\n")
    put(
        root,
        "logs/s.jsonl",
        f'{{"type":"user","cwd":"{root}","sessionId":"s","timestamp":"2026-01-02T09:00:00Z","message":{{"role":"user","content":"we walked around the lake"}}}}\n',
    )
    with open_memory(str(root), now=lambda: NOW) as memory:
        for question in ("which database does the cache use", "what stores the cache", "is the cache SQLite"):
            memory.recall(question)
    return root


def run(root: Path, *words: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a command in a workspace, as if typed there."""
    monkeypatch.chdir(root)
    given = next((GIVEN[word] for word in words if word in GIVEN), "")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
    return run_command([*words, "--today", NOW.isoformat()])


def tree(root: Path) -> dict[str, bytes]:
    """Return every file that is not the machine's own."""
    places = (place for place in root.rglob("*") if place.is_file())
    found = {place.relative_to(root).as_posix(): place.read_bytes() for place in places}
    return {path: content for path, content in found.items() if not path.startswith(WORKPLACE)}


def test_every_writing_verb_has_a_row() -> None:
    """A verb that is added to the table of verbs and writes is added here too."""
    writing = {verb.name for verb in VERBS if verb.writes}
    assert set(UNDONE) | set(ELSEWHERE) == writing
    assert not set(UNDONE) & set(ELSEWHERE)


@pytest.mark.parametrize("words", [words for rows in UNDONE.values() for words in rows], ids=" ".join)
def test_undo_restores_every_byte(
    root: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever a verb did is one plan, but for what is many jobs, and `undo` brings back what was there."""
    if words[0] in ("init", "adopt"):
        (root / "mneme.toml").unlink()
    before, newest = tree(root), last(root)
    run(root, *words, monkeypatch=monkeypatch)
    plans = last(root) - newest
    assert tree(root) != before
    assert plans == 1 or (words[0] == "schedule" and plans == 3)
    assert "failed" not in capsys.readouterr().err
    for number in range(newest + plans, newest, -1):
        assert run(root, "undo", str(number), monkeypatch=monkeypatch) == 0
    assert tree(root) == before


def last(root: Path) -> int:
    """Return the number of the newest plan."""
    with open_memory(str(root), now=lambda: NOW) as memory:
        return next((row.n for row in memory.log(1)), 0)


@pytest.mark.parametrize("words", TWICE, ids=" ".join)
def test_upkeep_twice_changes_nothing_the_second_time(
    root: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second run writes no file and no plan."""
    run(root, *words, monkeypatch=monkeypatch)
    before, newest = tree(root), last(root)
    run(root, *words, monkeypatch=monkeypatch)
    assert tree(root) == before
    assert last(root) == newest


def test_every_verb_is_asked_in_a_shared_context() -> None:
    """A verb that is added to the table of verbs is added here too."""
    assert {verb.name for verb in VERBS} == set(UNDONE) | set(READING) | SILENT | {"forget"}


@pytest.mark.parametrize("verb", [*UNDONE, *READING, "more"])
def test_a_shared_context_is_told_nothing_private(
    root: Path, verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever is asked or written there, no private word comes back, in no message, diff or name."""
    for words in {**UNDONE, **READING, "more": MORE}[verb]:
        capsys.readouterr()
        run(root, *words, "--context", "shared", monkeypatch=monkeypatch)
        said = "".join(capsys.readouterr())
        told = [one for one in PRIVATE if one in said and not any(one in word for word in words)]
        assert (words, told) == (words, [])
