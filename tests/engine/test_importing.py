"""Old sessions become searchable where they are, without their secrets, and nothing of them counts as memory."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mneme.engine.memory import Memory
from mneme.errors import NotFoundError, RefusedError
from mneme.workspace import Workspace, open_workspace, set_trust

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEY = "AKIAIOSFODNN7EXAMPLQ"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a user's folder with sessions of three hosts about the workspace, and one about another folder."""
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    root = tmp_path / "work"
    (root / "memory").mkdir(parents=True)
    named = "".join(char if char.isalnum() else "-" for char in str(root))
    write(
        home / f".claude/projects/{named}/s1.jsonl",
        [
            claude(root, f"the importer needs the key {KEY} to start"),
            claude(root, "we walked around the lake of Konstanz"),
        ],
    )
    codex = {"type": "session_meta", "payload": {"id": "c", "cwd": str(root / "sub")}}
    item = {
        "type": "response_item",
        "timestamp": "2026-01-03T10:00:00Z",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "the red kayak leaks"}],
        },
    }
    write(home / ".codex/sessions/2026/01/03/r.jsonl", [codex, item])
    write(home / ".codex/sessions/2026/01/04/other.jsonl", [{**codex, "payload": {"cwd": "/elsewhere"}}, item])
    return home


def claude(root: Path, text: str) -> dict[str, object]:
    """Return a turn as Claude Code logs it."""
    return {
        "type": "user",
        "cwd": str(root),
        "sessionId": "s1",
        "timestamp": "2026-01-02T09:00:00Z",
        "message": {"role": "user", "content": text},
    }


def write(place: Path, entries: list[dict[str, object]]) -> None:
    """Write a log."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")


@pytest.fixture
def memory(home: Path) -> Iterator[Memory]:
    """Return a trusted memory."""
    root = home.parent / "work"
    set_trust(root, trusted=True)
    (root / "mneme.toml").write_text('[embedder]\nkind = "none"\n', "utf-8")
    with Memory(open_workspace(root), lambda: datetime(2026, 1, 5, tzinfo=UTC)) as opened:
        yield opened


def test_the_logs_of_the_hosts_are_found_and_searched_where_they_are(memory: Memory, home: Path) -> None:
    """Each hit leads back to its line, is not authoritative, and has no secret in it; the logs stay as they are."""
    logs = {place: place.read_bytes() for place in home.rglob("*.jsonl")}
    found = memory.import_transcripts()
    assert (found.sessions, found.turns, found.passed) == (2, 3, 1)
    assert (found.first, found.last) == ("2026-01-02", "2026-01-03")
    (hit, *_) = memory.recall("which key does the importer need?")
    assert (hit.record.kind, hit.record.line, hit.trust) == ("turn", 1, "not authoritative")
    assert hit.record.path.endswith("/s1.jsonl")
    assert KEY not in hit.text
    assert memory.show(hit.id)[0].text == hit.text
    assert memory.recall("red kayak", kind="turn").hits[0].record.since == "2026-01-03"
    assert {place: place.read_bytes() for place in home.rglob("*.jsonl")} == logs
    index = b"".join(place.read_bytes() for place in (memory.root / ".mneme.d").glob("index.sqlite*"))
    assert KEY.encode() not in index


def test_what_is_said_next_is_found_next(memory: Memory, home: Path) -> None:
    """The index follows the logs as it follows memory; a log that goes away is forgotten."""
    memory.import_transcripts()
    assert not memory.recall("purple harmonica")
    place = next(home.rglob("s1.jsonl"))
    with place.open("a", encoding="utf-8") as log:
        log.write(json.dumps(claude(memory.root, "the purple harmonica is in the drawer")) + "\n")
    assert memory.recall("purple harmonica").hits[0].record.line == 3
    place.unlink()
    assert not memory.recall("purple harmonica")


def test_lines_that_cannot_be_read_are_counted(memory: Memory, home: Path) -> None:
    """They are passed over, and what lies around them keeps its place; importing again changes nothing."""
    (place,) = home.glob(".claude/projects/*/s1.jsonl")
    place.write_text("{torn\n" + place.read_text("utf-8") + '{"type": "user", ', "utf-8")
    found = memory.import_transcripts()
    assert (found.broken, found.as_json()["broken_lines"]) == (2, 2)
    (hit, *_) = memory.recall("where did we walk around the lake?", kind="turn").hits
    assert (hit.record.line, hit.record.id) == (3, f"{place}#L3")
    again = memory.import_transcripts()
    assert (again.done.n, again.turns, again.broken) == (0, found.turns, 2)


def test_a_shared_context_sees_no_session(memory: Memory) -> None:
    """Neither found nor shown."""
    memory.import_transcripts()
    wanted = memory.recall("red kayak", kind="turn").hits[0].id
    memory.shared = True
    assert not memory.recall("red kayak")
    with pytest.raises(NotFoundError):
        memory.show(wanted)


def test_sessions_about_other_folders_only_where_they_are_asked_for(memory: Memory) -> None:
    """`everywhere` is a setting like any other."""
    found = memory.import_transcripts(host="codex", everywhere=True)
    assert (found.sessions, found.passed) == (2, 0)
    assert "everywhere = true" in (memory.root / "mneme.toml").read_text("utf-8")
    memory.undo()
    assert "transcripts" not in (memory.root / "mneme.toml").read_text("utf-8")


def test_a_folder_of_a_stranger_names_no_logs(memory: Memory, home: Path) -> None:
    """What its settings name is read by nobody before it is trusted."""
    memory.import_transcripts()
    stranger = Workspace(memory.root, open_workspace(memory.root).settings, trusted=False)
    assert stranger.transcript_files() == []
    with Memory(stranger, memory.now) as opened:
        assert not opened.recall("red kayak")
        with pytest.raises(RefusedError, match="not trusted"):
            opened.import_transcripts([str(home)])


def test_what_is_named_is_taken_and_what_is_missing_told(memory: Memory, home: Path) -> None:
    """A dry run changes nothing."""
    log = str(next(home.rglob("r.jsonl")))
    assert memory.import_transcripts([log], dry_run=True).turns == 1
    assert not memory.workspace.settings["transcripts.sources"]
    with pytest.raises(NotFoundError, match="does not exist"):
        memory.import_transcripts([str(home / "gone")])
    with pytest.raises(NotFoundError, match="no host"):
        memory.import_transcripts(host="openclaw")
