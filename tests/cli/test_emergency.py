"""When the check has failed: one line on every surface, and no record is shown as one that may be acted on."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mneme.cli import main

COMMAND = Path(sys.executable).with_name("mneme")
LINE = "Memory integrity check failed: 1 error; no record is authoritative until 'mneme check' is clean"
DOUBT = "not authoritative"
TELLING = {
    "list": ("list",),
    "show": ("show", "memory/notes.md"),
    "show an entity": ("show", "acme"),
    "tags": ("tags", "docker"),
    "recall": ("recall", "which port does the gateway use?"),
}
SILENT = (("tags",), ("entities",), ("log",), ("spine",), ("boot",), ("buffer", "show"), ("palace",))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a trusted workspace whose check has failed, because of a secret in a note."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "ws"
    (root / "memory" / "semantic").mkdir(parents=True)
    (root / "mneme.toml").touch()
    (root / "memory" / "notes.md").write_text("# Notes\n\nThe password is Tr0ub4dor&3xyz\n")
    (root / "memory" / "semantic" / "gate.md").write_text(
        "# Gate\n#tags: docker\n> last_verified: 2026-07-19\n\n- The gateway uses port 8443\n"
    )
    facts = [{"id": "acme-001", "fact": "Acme pays on time", "category": "status", "timestamp": "2026-07-01",
              "source": "conversation", "status": "active", "supersededBy": None}]  # fmt: skip
    (root / "brain" / "areas" / "acme").mkdir(parents=True)
    (root / "brain" / "areas" / "acme" / "items.json").write_text(json.dumps(facts, indent=2))
    assert run(root, "trust")[0] == 0
    assert run(root, "check")[0] == 1
    return root


def run(root: Path, *words: str) -> tuple[int, str, str]:
    """Run a command; return how it ended and what it wrote."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["--workspace", str(root), "--today", "2026-07-20", *words])
    return code, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("words", [*TELLING.values(), *SILENT], ids=" ".join)
def test_every_verb_says_so_first(root: Path, words: tuple[str, ...]) -> None:
    """Once, on the side of the messages or at the head of what a session loads; in JSON under a key of its own."""
    _, out, err = run(root, *words)
    assert (out + err).count(LINE) == 1
    assert err.startswith(f"mneme: {LINE}") or out.startswith(LINE)
    assert json.loads(run(root, *words, "--json")[1])["alarm"] == LINE


@pytest.mark.parametrize("words", TELLING.values(), ids=TELLING)
def test_no_record_is_shown_as_authoritative(root: Path, words: tuple[str, ...]) -> None:
    """Where records are told, each is doubted; after the fault is mended and checked, none is."""
    assert DOUBT in run(root, *words)[1]
    (root / "memory" / "notes.md").write_text("# Notes\n\nThe password is in the vault\n")
    assert run(root, "check")[0] == 0
    _, out, err = run(root, *words)
    assert DOUBT not in out
    assert LINE not in err


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PreToolUse"])
def test_a_hook_tells_the_model(root: Path, event: str) -> None:
    """At the start of a session, before a prompt and before a tool."""
    payload = {
        "session_id": "s",
        "cwd": str(root),
        "prompt": "which port does the gateway use?",
        "tool_name": "Read",
        "tool_input": {"file_path": str(root / "x.py")},
    }
    done = subprocess.run(
        [COMMAND, "hook", event],
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=True,
        cwd=root,
        env={**os.environ, "MNEME_SERVE": "0"},
    )
    assert json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"].startswith(LINE)


def test_a_client_of_mcp_is_told(root: Path) -> None:
    """In the text for the model and in the data for the rest, and a note that is read whole is doubted."""
    from mneme.engine import open_memory, telling

    with open_memory(str(root), now=lambda: datetime(2026, 7, 20, 12, tzinfo=UTC)) as memory:
        assert telling.tell_records(memory, memory.list()).startswith(LINE)
        assert DOUBT in telling.tell_records(memory, memory.list())
        assert telling.tell_text(memory, "a text").startswith(f"{LINE}\nNot authoritative")
        assert telling.tell_answer(memory, memory.recall("which port does the gateway use?")).startswith(LINE)
