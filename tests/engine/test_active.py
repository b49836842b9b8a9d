"""Active Memory on a real workspace: it says what bears on a prompt, with its source, or nothing at all."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine.memory import Memory
from mneme.recall.active.scope import Chat
from mneme.workspace import Workspace, open_workspace, parse_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MEMORIES = (
    ("The local cache uses SQLite, not JSON", "decision", "storage/cache"),
    ("Answer in short sentences", "preference", "style/replies"),
    ("Windows paths break the importer", "gotcha", "importer"),
    ("The office coffee machine is descaled on Fridays", "fact", "office"),
)
PROMPT = "which database does the local cache use, SQLite or JSON?"
SESSION = Chat(session="s-1")


OPENED: list[Memory] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close what a test opened."""
    yield
    while OPENED:
        OPENED.pop().close()


def memory_at(root: Path, toml: str = "", **more: bool) -> Memory:
    """Return a trusted memory with a few cells."""
    memory = Memory(
        Workspace(root, parse_settings(toml), trusted=True), lambda: datetime(2026, 1, 5, 9, 0, tzinfo=UTC), **more
    )
    OPENED.append(memory)
    if not (root / "memory").exists():
        for text, kind, topic in MEMORIES:
            memory.remember(text, kind=kind, topic=topic)
    return memory


def test_what_bears_on_a_prompt_is_quoted_with_its_source(tmp_path: Path) -> None:
    """One line, within the limit, and the recall log has it as injected."""
    memory = memory_at(tmp_path)
    outcome = memory.active(PROMPT, chat=SESSION, words=True)
    assert outcome.status == "ok"
    assert outcome.summary.startswith('"The local cache uses SQLite, not JSON" [memory/project.mneme:1')
    assert len(outcome.summary) <= 220
    (line,) = (tmp_path / ".mneme.d/recall.jsonl").read_text("utf-8").splitlines()
    assert (json.loads(line)["origin"], json.loads(line)["session"]) == ("injected", "s-1")


@pytest.mark.parametrize(
    "prompt", ["how tall is the Eiffel tower?", "thanks, that is all", "run the tests again please"]
)
def test_nothing_is_said_where_nothing_bears_on_it(tmp_path: Path, prompt: str) -> None:
    """Silence, and no line in the log."""
    memory = memory_at(tmp_path)
    outcome = memory.active(prompt, chat=SESSION, words=True)
    assert (outcome.status, outcome.summary) == ("empty", "")
    assert not (tmp_path / ".mneme.d/recall.jsonl").exists()


def test_it_writes_nothing_but_the_recall_log(tmp_path: Path) -> None:
    """No memory file changes, and history has nothing new."""
    memory = memory_at(tmp_path)
    before = {
        place: place.read_bytes() for place in tmp_path.rglob("*") if place.is_file() and ".mneme.d" not in place.parts
    }
    plans = len(memory.log())
    memory.active(PROMPT, chat=SESSION)
    after = {
        place: place.read_bytes() for place in tmp_path.rglob("*") if place.is_file() and ".mneme.d" not in place.parts
    }
    assert (before, plans) == (after, len(memory.log()))


def test_the_same_turn_is_recalled_once(tmp_path: Path) -> None:
    """Prompt builds that are repeated share one recall; another session has its own."""
    memory = memory_at(tmp_path)
    first = memory.active(PROMPT, chat=SESSION, words=True)
    again = memory.active(PROMPT, chat=SESSION, words=True)
    assert again.cached
    assert again.summary == first.summary
    assert not memory.active(PROMPT, chat=Chat(session="s-2"), words=True).cached
    assert len((tmp_path / ".mneme.d/recall.jsonl").read_text("utf-8").splitlines()) == 2


def test_a_group_never_sees_private_memory(tmp_path: Path) -> None:
    """It is not spoken to by default; where settings allow it, only what is shared is said."""
    memory = memory_at(tmp_path)
    group = Chat(session="s-1", kind="group")
    assert memory.active(PROMPT, chat=group).status == "skipped"
    allowed = memory_at(tmp_path, '[active]\nchat_types = ["direct", "group"]\n', shared=True)
    assert allowed.active(PROMPT, chat=group, words=True).summary == ""


def test_it_is_switched_off_in_a_session_and_everywhere(tmp_path: Path) -> None:
    """And on again; the workspace's switch is a line of its settings, which undo takes back."""
    memory = memory_at(tmp_path)
    memory.switch_active(on=False, session="s-1")
    assert memory.active(PROMPT, chat=SESSION).because == "it is off in this session"
    assert memory.active(PROMPT, chat=Chat(session="s-2"), words=True).summary
    memory.switch_active(on=True, session="s-1")
    assert memory.active(PROMPT, chat=SESSION, words=True).summary
    (tmp_path / "mneme.toml").write_text('profile = "default" # ours\n', "utf-8")
    memory.switch_active(on=False)
    assert (tmp_path / "mneme.toml").read_text("utf-8") == 'profile = "default" # ours\n\n[active]\nenabled = false\n'
    assert not open_workspace(tmp_path).settings["active.enabled"]
    memory.undo()
    assert (tmp_path / "mneme.toml").read_text("utf-8") == 'profile = "default" # ours\n'


def test_only_taste_is_said_where_only_taste_is_wanted(tmp_path: Path) -> None:
    """The style decides what counts."""
    memory = memory_at(tmp_path, '[active]\nstyle = "preference-only"\n')
    assert memory.active(PROMPT, chat=SESSION, words=True).summary == ""
    assert "short sentences" in memory.active("answer me in short sentences?", chat=SESSION, words=True).summary


def model(answer: str) -> str:
    """Return settings of a model that gives an answer."""
    command = json.dumps([sys.executable, "-c", f"print({answer!r})"])
    return f'[model]\nkind = "command"\ncommand = {command}\n'


def test_a_model_writes_the_summary_from_what_it_was_shown(tmp_path: Path) -> None:
    """What it invents is dropped, with the reason, and what it can't answer is quoted instead."""
    good = memory_at(tmp_path, model('{"do": "note", "text": "The local cache uses SQLite."}'))
    assert good.active(PROMPT, chat=SESSION, words=True).summary == "The local cache uses SQLite."
    bad = memory_at(tmp_path, model('{"do": "note", "text": "The local cache uses Oracle."}'))
    outcome = bad.active(PROMPT, chat=SESSION, words=True)
    assert (outcome.summary, outcome.because) == ("", "the summary said 'Oracle', which no source says")
    broken = memory_at(tmp_path, model("no idea"))
    outcome = broken.active(PROMPT, chat=SESSION, words=True)
    assert outcome.summary.startswith('"The local cache uses SQLite')
    assert "no JSON" in outcome.because


def test_what_a_prompt_says_itself_is_not_told_back(tmp_path: Path) -> None:
    """Neither word for word, nor as it was just taken down in the buffer."""
    memory = memory_at(tmp_path)
    memory.buffer_add("decision: We decided that the local cache database is SQLite.")
    outcome = memory.active("We decided that the local cache database is SQLite. Which database is it?", chat=SESSION)
    assert "We decided" not in outcome.summary
    told = memory.active("The local cache uses SQLite, not JSON.", chat=SESSION, words=True).summary
    assert "uses SQLite" not in told


def test_repeated_builds_of_a_turn_share_one_recall(tmp_path: Path) -> None:
    """However much later the second is; another turn that asks the same is another recall by then."""
    memory = memory_at(tmp_path)
    turn = Chat(session="s-1", turn="run-1")
    first = memory.active(PROMPT, chat=turn, words=True)
    memory.now = lambda: datetime(2026, 1, 5, 9, 5, tzinfo=UTC)
    assert memory.active(PROMPT, chat=turn, words=True).cached
    assert memory.active(PROMPT, chat=turn, words=True).summary == first.summary
    assert not memory.active(PROMPT, chat=Chat(session="s-1", turn="run-2"), words=True).cached


def test_a_model_that_is_late_is_not_waited_for(tmp_path: Path) -> None:
    """Quotes are said in its place, within what the caller can wait; nobody who only quotes asks it."""
    slow = json.dumps([sys.executable, "-c", "import time; time.sleep(20)"])
    memory = memory_at(tmp_path, f'[model]\nkind = "command"\ncommand = {slow}\n')
    outcome = memory.active(PROMPT, chat=SESSION, words=True, patience_ms=1000)
    assert outcome.summary.startswith('"The local cache uses SQLite')
    assert outcome.elapsed_ms < 10_000
    quoted = memory.active(PROMPT, chat=Chat(session="s-2"), words=True, quoting=True)
    assert (quoted.summary, quoted.because) == (outcome.summary, "")


def test_the_hosts_own_configuration_counts_in_that_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `openclaw.json` says of the plugin is kept to, there and nowhere else."""
    home = tmp_path / "home"
    (home / ".openclaw").mkdir(parents=True)
    plugin = {"plugins": {"entries": {"active-memory": {"config": {"enabled": False}}}}}
    said = f"// ours\n{json.dumps(plugin)[:-1]}, /* and more */}}\n"
    (home / ".openclaw/openclaw.json").write_text(said, "utf-8")
    monkeypatch.setenv("HOME", str(home))
    memory = memory_at(tmp_path / "work")
    assert memory.active(PROMPT, chat=SESSION, host="openclaw").because == "it is off"
    assert memory.active(PROMPT, chat=SESSION, host="claude-code", words=True).summary
