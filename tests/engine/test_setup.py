"""Making a workspace and adopting a folder: what is added, what is told, and that nothing else is touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from mneme.engine import Memory, open_memory
from mneme.engine.setup import Adoption, adopt_workspace, init_workspace
from mneme.errors import BadInputError, NotFoundError, StorageError
from mneme.formats.fact import heads, parse_facts
from mneme.formats.note import parse_note
from mneme.profiles import PROFILES, profile_of, templates_of
from mneme.settings import parse_settings
from mneme.workspace import open_workspace, trusted_paths

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
V4_FILES = {
    *("MEMORY.md", "memory/working-buffer.md", "memory/episodic/.gitkeep", "mneme.toml"),
    *(f"memory/semantic/{name}.md" for name in ("infrastructure", "preferences", "projects", "decisions")),
    "memory/procedural/lessons-learned.md",
    *(f"memory/scripts/{name}.sh" for name in ("archive-old-episodic", "atomic-write", "health-check")),
}
NEVER_FORGET_FILES = {
    *("MEMORY.md", "USER.md", "SOUL.md", "HEARTBEAT.md", "todos.md", "mneme.toml", "memory/memory-types.md"),
    *(f"memory/{name}/.gitkeep" for name in ("user", "feedback", "project", "reference", "dreaming/verify")),
    *(f"memory/palace/{name}.md" for name in ("timeline", "projects", "technology", "custom")),
    "knowledge/project-tracker.md",
}


def now() -> datetime:
    """Return the moment at which these tests happen."""
    return NOW


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep trust decisions out of the home of whoever runs the tests."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give an empty folder."""
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


def put(root: Path, **files: str) -> None:
    """Write files; in a keyword two underscores stand for a slash."""
    write(root, {name.replace("__", "/"): text for name, text in files.items()})


def write(root: Path, files: dict[str, str]) -> None:
    """Write files by their paths."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8", errors="surrogateescape", newline="")


def tree(root: Path) -> dict[str, bytes | None]:
    """Return every file and folder of a workspace with its content, the machine's own excepted."""
    return {
        path.relative_to(root).as_posix(): None if path.is_dir() or path.is_symlink() else path.read_bytes()
        for path in sorted(root.rglob("*"))
        if ".mneme.d" not in path.relative_to(root).parts
    }


def files_of(root: Path) -> set[str]:
    """Return the names of the files of a workspace."""
    return {name for name, content in tree(root).items() if content is not None}


def adopt(root: Path, profile: str | None = None, *, trust: bool = False, dry_run: bool = False) -> Adoption:
    """Adopt a folder."""
    return adopt_workspace(str(root), now=now, profile=profile, trust=trust, dry_run=dry_run)


# init


@pytest.mark.parametrize("profile", PROFILES)
def test_init_makes_the_profile_s_files(root: Path, profile: str) -> None:
    """All of them in one plan, which can be taken back to the byte; the folder is trusted."""
    made, done = init_workspace(str(root), now=now, profile=profile)
    assert made == root
    assert done.n == 1
    assert files_of(root) == {template.path for template in templates_of(profile)}
    assert open_workspace(root).profile.name == profile
    assert trusted_paths() == {str(root)}
    with open_memory(str(root), now=now) as memory:
        memory.undo()
    assert tree(root) == {}


@pytest.mark.parametrize(("profile", "wanted"), [("v4", V4_FILES), ("never-forget", NEVER_FORGET_FILES)])
def test_init_makes_what_the_layout_promises(root: Path, profile: str, wanted: set[str]) -> None:
    """The files that the published layouts name."""
    init_workspace(str(root), now=now, profile=profile)
    assert files_of(root) == wanted


@pytest.mark.parametrize("profile", PROFILES)
def test_init_again_changes_nothing(root: Path, profile: str) -> None:
    """With the profile named, and without."""
    init_workspace(str(root), now=now, profile=profile)
    before = tree(root)
    assert init_workspace(str(root), now=now, profile=profile)[1].n == 0
    assert init_workspace(str(root), now=now)[1].n == 0
    assert tree(root) == before


@pytest.mark.parametrize("profile", PROFILES)
def test_init_touches_nothing_that_exists(root: Path, profile: str) -> None:
    """A person's files stay as they are, strange bytes and all; what is missing is added beside them."""
    own = {template.path: f"mine \udce9 {template.path}\r\n" for template in templates_of(profile)[1::2]}
    write(root, own)
    before = tree(root)
    _, done = init_workspace(str(root), now=now, profile=profile)
    after = tree(root)
    assert {name: after[name] for name in before} == before
    assert not set(done.paths) & set(own)
    with open_memory(str(root), now=now) as memory:
        memory.undo()
    assert tree(root) == before


def test_a_dry_run_of_init_shows_and_writes_nothing(root: Path) -> None:
    """Neither a file nor trust."""
    _, done = init_workspace(str(root), now=now, profile="v4", dry_run=True)
    assert "+++ b/memory/semantic/decisions.md" in done.diff
    assert "+commit = true" in done.diff
    assert os.listdir(root) == []
    assert trusted_paths() == set()


def test_init_keeps_the_layout_of_a_folder_that_has_one(root: Path) -> None:
    """Its profile is detected, its odd places are kept, and files that lie elsewhere are not made twice."""
    write(root, {"config/MEMORY.md": "# M\n", "config/SOUL.md": "# S\n", "memory/2026-01-01.md": "# D\n"})
    init_workspace(str(root), now=now)
    workspace = open_workspace(root)
    assert (workspace.profile.name, workspace.profile.places.memory) == ("openclaw", "config/MEMORY.md")
    assert workspace.tier_of("config/MEMORY.md") == "hot"
    assert not (root / "MEMORY.md").exists()
    assert not (root / "memory/.gitkeep").exists()


def test_init_leaves_cells_alone(root: Path) -> None:
    """Where there are cells already, no second file of them is begun."""
    write(root, {"team.mneme": "@ DEC-0001  a\ngist  x\nstate live   conf med   since 2026-01-01   seen 2026-01-01\n"})
    init_workspace(str(root), now=now)
    assert files_of(root) == {"team.mneme", "mneme.toml"}


def test_a_profile_that_is_none(root: Path) -> None:
    """The nearest is named, and nothing is made."""
    with pytest.raises(BadInputError, match="there is no profile 'never-forgt'; there are default, ") as caught:
        init_workspace(str(root), now=now, profile="never-forgt")
    assert caught.value.hint == "mneme init --profile never-forget"
    assert tree(root) == {}


def test_another_profile_than_the_settings_say(root: Path) -> None:
    """Settings are a person's: the error says what to edit."""
    put(root, **{"mneme.toml": 'profile = "cells"\n'})
    for made in (init_workspace, adopt_workspace):
        with pytest.raises(BadInputError, match=r"'mneme\.toml' says that the profile is 'cells'") as caught:
            made(str(root), now=now, profile="v4")
        assert caught.value.hint == 'edit mneme.toml: profile = "v4"'


def test_a_file_where_the_folder_should_be(root: Path) -> None:
    """Neither verb takes a file for a folder; adopt wants one that is there."""
    put(root, file="x")
    for made in (init_workspace, adopt_workspace):
        with pytest.raises(BadInputError, match="is not a folder"):
            made(str(root / "file"), now=now)
    with pytest.raises(NotFoundError, match="there is no folder"):
        adopt(root / "nowhere")
    assert not (root / "nowhere").exists()


# The templates


@pytest.mark.parametrize("profile", PROFILES)
def test_templates_are_well_formed(profile: str) -> None:
    """Settings that parse, notes without faults and within the budgets, lines of a length, no mark left unfilled."""
    texts = {template.path: template.content(NOW).decode() for template in templates_of(profile)}
    layout = profile_of(parse_settings(texts["mneme.toml"]))
    assert layout.name == profile
    for path, text in texts.items():
        assert [line for line in text.splitlines() if len(line) > 120] == []
        assert "{day}" not in text
        assert "{moment}" not in text
        assert text == "" or text.endswith("\n")
        if path.endswith(".md"):
            note = parse_note(text, path)
            assert note.problems == ()
            assert all((link.path in texts) for link in note.links), path
            assert len(text.splitlines()) <= layout.budgets.memory_lines
            assert {region.name for region in note.regions} <= layout.regions


def test_v4_s_tagged_files() -> None:
    """Title, tags of the vocabulary on line 2, the day of verification; the buffer's header and no body."""
    texts = {template.path: template.content(NOW).decode() for template in templates_of("v4")}
    layout = profile_of(parse_settings(texts["mneme.toml"]))
    tagged = [path for path in texts if path.endswith(".md") and (layout.is_tagged(path) or path == "MEMORY.md")]
    assert len(tagged) == 6
    for path in tagged:
        note = parse_note(texts[path], path)
        assert note.tag_line is not None
        assert note.tag_line.line == 2
        assert set(note.tag_line.names) <= layout.vocabulary
        assert note.last_verified == "2026-01-31"
    buffer = parse_note(texts["memory/working-buffer.md"])
    assert buffer.buffer is not None
    assert buffer.buffer.last_active is not None
    assert buffer.buffer.last_active.value == "2026-01-31T12:00:00+00:00"
    assert not buffer.text[buffer.buffer.body_start :].strip()
    assert texts["mneme.toml"].endswith("commit = true\n")


def test_the_protocol_s_example_is_a_sound_entity() -> None:
    """Two facts, one superseded by the other, and a summary of the one that holds."""
    texts = {template.path: template.content(NOW).decode() for template in templates_of("protocol")}
    file = parse_facts(texts["brain/areas/example/items.json"])
    assert file.problems == ()
    assert [fact.status for fact in file.facts] == ["superseded", "active"]
    (head,) = heads(file.facts)
    summary = parse_note(texts["brain/areas/example/summary.md"])
    region = summary.find_region("summary")
    assert region is not None
    assert head.fact in summary.text[region.inner_start : region.inner_end]
    assert file.facts[0].fact + "\n" not in summary.text
    assert [section.title for section in parse_note(texts["memory/TEMPLATE.md"]).sections[1:]] == list(
        profile_of(parse_settings(texts["mneme.toml"])).day_sections
    )


# adopt


def test_adopt_adds_settings_and_nothing_else(root: Path) -> None:
    """It says which layout, why, and what is there; undo takes the settings away again."""
    write(
        root,
        {
            "MEMORY.md": "# Memory\n",
            "memory/episodic/2026-01-01.md": "# Day\n",
            "memory/episodic/2026-01-03-router.md": "# Day\n",
            "memory/semantic/decisions.md": "# Decisions\n",
            "memory/working-buffer.md": "# Working Buffer\n",
            "memory/team.mneme": "@ DEC-0001  a\ngist  x\nstate live   conf med   since 2026-01-01   seen 2026-01-01\n",
            "brain/areas/acme/items.json": '[{"id": "acme-001", "fact": "x"}, {"id": "acme-002", "fact": "y"}]\n',
            "brain/areas/acme/summary.md": "# Acme\n",
            "research/2026-01-01-x.md": "# Research\n",
            "README.md": "# Read me\n",
        },
    )
    before = tree(root)
    adoption = adopt(root)
    survey = adoption.survey
    after = tree(root)
    assert after.pop("mneme.toml") == adoption.layout.text.encode()
    assert after == before
    assert (adoption.layout.profile, adoption.done.n, adoption.trusted) == ("v4", 1, False)
    assert "memory/episodic/ (3)" in adoption.layout.why
    kinds = {"day": 2, "buffer": 1, "cells": 1, "decision": 1, "entity": 1, "facts": 1, "memory": 1}
    assert survey.kinds == kinds
    assert survey.tiers == {"warm": 4, "cold": 2, "buffer": 1, "hot": 1}
    assert survey.days == ("2026-01-01", "2026-01-03")
    assert (survey.cells, survey.facts, survey.entities) == (1, 2, ("acme",))
    assert survey.left_out == {"./": 1, "research/": 1}
    assert open_workspace(root).profile.name == "v4"
    with open_memory(str(root), now=now) as memory:
        memory.undo()
    assert tree(root) == before


def test_adopt_again_changes_nothing(root: Path) -> None:
    """The settings that are there decide, whoever wrote them."""
    write(root, {"MEMORY.md": "# M\n", "memory/2026-01-01.md": "# D\n"})
    adopt(root)
    before = tree(root)
    again = adopt(root)
    assert (again.done.n, again.layout.profile, again.layout.why) == (0, "openclaw", "mneme.toml says so")
    assert tree(root) == before


def test_adopting_as_another_profile(root: Path) -> None:
    """What was said overrules the marks."""
    write(root, {"MEMORY.md": "# M\n", "memory/2026-01-01.md": "# D\n"})
    adoption = adopt(root, "never-forget")
    assert (adoption.layout.profile, adoption.layout.why) == ("never-forget", "you said so")
    assert adoption.layout.detection.profile == "openclaw"
    assert open_workspace(root).profile.name == "never-forget"


def test_adopting_does_not_trust(root: Path) -> None:
    """Unless it is said; a folder that is trusted stays so."""
    put(root, **{"MEMORY.md": "# M\n"})
    assert not adopt(root).trusted
    assert trusted_paths() == set()
    assert adopt(root, trust=True).trusted
    assert trusted_paths() == {str(root)}
    assert adopt(root).trusted


def test_a_dry_run_of_adopt_leaves_no_trace(root: Path) -> None:
    """Neither settings, nor machine state, nor trust; the report is the same."""
    write(root, {"MEMORY.md": "# M\n", "memory/2026-01-01.md": "# D\n"})
    adoption = adopt(root, trust=True, dry_run=True)
    assert set(os.listdir(root)) == {"MEMORY.md", "memory"}
    assert trusted_paths() == set()
    assert '+profile = "openclaw"' in adoption.done.diff
    assert adoption.survey == adopt(root).survey


def test_odd_places_are_adopted_as_they_are(root: Path) -> None:
    """The settings name them, quoted as TOML wants it, and from then on they are what the profile means."""
    write(root, {'c"o\\n/MEMORY.md': "# M\n", 'c"o\\n/USER.md': "# U\n", "日记/2026-01-01.md": "# D\n"})
    adoption = adopt(root, "openclaw")
    workspace = open_workspace(root)
    assert adoption.layout.places == {
        "memory": 'c"o\\n/MEMORY.md',
        "user": 'c"o\\n/USER.md',
        "day": "日记/{date}.md",
    }
    assert workspace.tier_of('c"o\\n/USER.md') == "hot"
    assert workspace.day_path(date(2026, 1, 2)) == "日记/2026-01-02.md"


@pytest.mark.parametrize(
    ("folder", "name"), [("{x}", "MEMORY.md"), ("caf\udce9", "MEMORY.md"), ("{date}", "2026-01-01.md")]
)
def test_a_name_that_settings_cannot_hold_is_no_place(root: Path, folder: str, name: str) -> None:
    """A folder called `{x}`, or one whose name is no UTF-8, cannot be named by settings, and stops nothing."""
    write(root, {f"{folder}/{name}": "# M\n"})
    adoption = adopt(root)
    assert adoption.layout.places == {}
    assert adoption.survey.files.notes == (f"{folder}/{name}",)


def hostile(root: Path) -> None:
    """Make a folder of everything that goes wrong."""
    write(
        root,
        {
            "MEMORY.md": "\ufeff# Memory\r\n",
            "memory/line\nbreak.md": "# x\n",
            "memory/caf\udce9.md": "caf\udce9\n",
            "memory/日记/2026年1月2日.md": "# 日\n",
            "memory/broken.md": "---\nname: x\n",
            "memory/fence.md": "```\nnever closed\n",
            "memory/marks.md": "<!-- mneme:index:start -->\n",
            "memory/empty.md": "",
            "memory/nul.md": "a\0b\n",
            "memory/2026-99-99.md": "# no day\n",
            "brain/areas/bad/items.json": "[{]\n",
            "brain/areas/odd/items.json": '{"facts": 3}\n',
            "memory/bad.mneme": "@ nonsense\n",
        },
    )
    (root / "memory/round.md").symlink_to("round.md")
    (root / "memory/gone.md").symlink_to("nowhere.md")
    (root / "memory/out.md").symlink_to(root.parent / "outside.md")
    (root / "memory/up").symlink_to("..")
    (root / "memory/folder.md").mkdir()
    os.mkfifo(root / "memory/pipe.md")
    (root.parent / "outside.md").write_text("# not ours\n", encoding="utf-8")


def test_a_folder_in_which_everything_is_wrong(root: Path) -> None:
    """Each fault is a problem with its path, nothing is changed, and what leads out is not read."""
    hostile(root)
    adoption = adopt(root)
    at_fault = {problem.path for problem in adoption.survey.problems}
    assert {"memory/broken.md", "memory/fence.md", "memory/marks.md", "brain/areas/bad/items.json"} <= at_fault
    assert "memory/bad.mneme" in at_fault
    names = set(adoption.survey.files.notes)
    assert {"memory/line\nbreak.md", "memory/caf\udce9.md", "memory/日记/2026年1月2日.md"} <= names
    assert not {"memory/out.md", "memory/round.md", "memory/gone.md", "memory/pipe.md", "memory/folder.md"} & names
    assert adoption.survey.days == ("2026-01-02",)
    assert json.loads(json.dumps(adoption.as_json()))["profile"] == adoption.layout.profile


def test_what_may_not_be_read_is_told(root: Path) -> None:
    """A closed file and a closed folder are a problem each, and the rest goes on."""
    write(root, {"memory/a.md": "# a\n", "memory/closed.md": "# b\n", "memory/closed/c.md": "# c\n"})
    (root / "memory/closed.md").chmod(0)
    (root / "memory/closed").chmod(0)
    try:
        may_all = os.access(root / "memory/closed", os.R_OK)  # nothing is closed to the superuser
        survey = adopt(root).survey
    finally:
        (root / "memory/closed").chmod(0o755)
    found = {(problem.path, problem.rule, problem.severity) for problem in survey.problems}
    closed = () if may_all else ("memory/closed.md", "memory/closed/")
    assert found == {(path, "unreadable-file", "error") for path in closed}
    assert survey.kinds == {"note": 3 if may_all else 2}


def test_a_file_that_vanishes_or_is_a_folder_by_then(root: Path) -> None:
    """What changed between the walk and the reading stops nothing."""
    from mneme.engine.survey import survey_memory
    from mneme.profiles import MemoryFiles

    write(root, {"memory/a.md": "# a\n"})
    (root / "memory/b.md").mkdir()
    found = MemoryFiles(notes=("memory/a.md", "memory/b.md", "memory/gone.md"), facts=("x/items.json",))
    survey = survey_memory(Memory(open_workspace(root), now), found)
    assert (survey.problems, survey.facts) == ((), 0)


def test_a_file_of_gigantic_length(root: Path) -> None:
    """It is one problem, and only its head is read."""
    (root / "memory").mkdir()
    with (root / "memory/2026-01-01.md").open("wb") as file:
        file.write(b"# Day\n\npassword: Tr0ub4dor&3\n")
        file.truncate(300 * 1024 * 1024)
    survey = adopt(root).survey
    assert {problem.rule for problem in survey.problems} >= {"large-file", "exposed-secret"}
    assert survey.days == ("2026-01-01",)


def test_a_folder_that_may_not_be_written(root: Path) -> None:
    """One clear error; a dry run looks all the same."""
    write(root, {"MEMORY.md": "# M\n"})
    (root / ".mneme.d").write_text("in the way", encoding="utf-8")
    assert adopt(root, dry_run=True).layout.profile == "openclaw"
    with pytest.raises(StorageError):
        adopt(root)
    assert files_of(root) == {"MEMORY.md"}


def test_many_files_are_counted_in_a_walk(root: Path) -> None:
    """Two thousand files in nested folders, each told once."""
    write(root, {f"memory/d{n % 40}/n{n}.md": f"# {n}\n" for n in range(2000)})
    survey = adopt(root).survey
    assert survey.kinds == {"note": 2000}
    assert survey.problems == ()


# The command line


def mneme(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    command = [str(Path(sys.executable).with_name("mneme")), "--today", "2026-01-31", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_adopt_prints_a_report(root: Path) -> None:
    """In lines for people, with the problems; as JSON for programs; a name cannot break a line."""
    hostile(root)
    told = mneme("adopt", str(root))
    assert told.returncode == 0
    assert told.stdout.startswith("profile   ")
    assert "memory/fence.md:1: warn unclosed-fence" in told.stdout
    assert "its word is not taken yet: mneme trust" in told.stderr
    answer = json.loads(mneme("adopt", str(root), "--json").stdout)
    assert answer["why"] == "mneme.toml says so"
    assert answer["found"]["days"] == {"count": 1, "first": "2026-01-02", "last": "2026-01-02"}
    assert {problem["path"] for problem in answer["problems"]} >= {"memory/broken.md"}
