"""`mneme cards` as a person types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def mneme(tmp_path: Path) -> Callable[..., str]:
    """Give the command in a user's folder of its own, with a path that has no host on it."""
    env = {"HOME": str(tmp_path), "MNEME_HOME": str(tmp_path / "home"), "PATH": "/nowhere", "LC_ALL": "C.UTF-8"}
    command = Path(sys.executable).with_name("mneme")

    def run(*words: str, code: int = 0) -> str:
        done = subprocess.run([command, *words], env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def test_a_card_from_its_first_line_to_its_search(mneme: Callable[..., str], tmp_path: Path) -> None:
    """Added, listed, shown, changed by hand and found."""
    assert "no cards" in mneme("cards", "list", code=1)
    words = ("--does", "send a chat message", "--triggers", "telegram, mensagem", "--params", "chat,text")
    assert "+- id: chat_send" in mneme("cards", "add", "chat_send", *words, "--dry-run")
    assert not (tmp_path / "home/capabilities.yaml").exists()
    mneme("cards", "add", "chat_send", *words)
    assert "chat_send  active  comms  send a chat message" in mneme("cards", "list")
    shown = json.loads(mneme("cards", "show", "chat_send", "--json"))["records"][0]
    assert (shown["kind"], shown["path"], shown["card"]["params_required"]) == (
        "card",
        "capabilities.yaml",
        ["chat", "text"],
    )
    found = mneme("cards", "search", "manda uma mensagem no telegram")
    assert "chat_send" in found
    mneme("cards", "correct", "recado pro time", "chat_send")
    assert "recado pro time" in (tmp_path / "home/feedback.jsonl").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("list", "x"), "'cards list' takes no words"),
        (("show",), "'cards show' takes ID"),
        (("correct", "x"), "'cards correct' takes REQUEST and ID"),
        (("scan", "--category", "db"), "'cards scan' has no '--category'"),
        (("verify", "--apply"), "'cards verify' has no '--apply'"),
        (("show", "nothing"), "there is no card 'nothing'"),
        (("fly",), "none of"),
    ],
)
def test_what_cannot_be_done_is_said(mneme: Callable[..., str], words: tuple[str, ...], said: str) -> None:
    """One line, and a hint."""
    assert said in mneme("cards", *words, code=2)


def test_a_scan_shows_and_then_adds(mneme: Callable[..., str], tmp_path: Path) -> None:
    """And `--dry-run` keeps it to showing."""
    (tmp_path / ".claude.json").write_text('{"mcpServers": {"mail": {"command": "mail-mcp"}}}')
    for words in ((), ("--apply", "--dry-run")):
        assert "+ mail" in mneme("cards", "scan", *words)
        assert not (tmp_path / "home/capabilities.yaml").exists()
    assert "1 added, 0 known already" in mneme("cards", "scan", "--apply")
    assert "0 new, 1 known already" in mneme("cards", "scan", "--apply")
    (tmp_path / ".claude.json").unlink()
    assert "- mail" in mneme("cards", "verify")
    assert json.loads(mneme("cards", "verify", "--json"))["deactivated"] == []


def test_nobody_parses_yaml_for_a_prompt(tmp_path: Path) -> None:
    """After the first look at a file, the library is not even imported."""
    program = """
import sys
from datetime import datetime, timezone
from mneme.engine.home import open_home
home = open_home(now=lambda: datetime(2026, 1, 31, tzinfo=timezone.utc), lexical=True)
block = home.capability_block("manda mensagem no telegram")
print(len(block) > 0, "ruamel.yaml" in sys.modules, "numpy" in sys.modules, "onnxruntime" in sys.modules)
"""
    text = (
        "- {id: chat, name: C, category: comms, action_verb: send, triggers: [telegram], description: d, source: mcp}\n"
    )
    (tmp_path / "capabilities.yaml").write_text(text)
    env = {**os.environ, "MNEME_HOME": str(tmp_path), "MNEME_FALLBACK": "1"}
    seen = [
        subprocess.run(
            [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert seen == [["True", "True", "False", "False"], ["True", "False", "False", "False"]]
