"""A group chat: whatever happens in it, no hook tells it what is private, and nothing of it is kept.

Only OpenClaw has group chats; each of its events is sent, and the same in a chat with the owner alone, which is told.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.engine.planted import NOW, PROMPT, plant, secrets_in
from tests.hooks.hosting import context_of

from mneme.engine.hooks import Call, Desk
from mneme.hosts.openclaw import EVENTS

if TYPE_CHECKING:
    from pathlib import Path

GROUPS = ("agent:main:telegram:group:-100", "agent:main:slack:channel:C1", "agent:main:cron:nightly", "")
OWN = "agent:main:main"
QUESTIONS = (PROMPT, "where is the ledger?", "We decided to paint the fence", "what did we do yesterday?")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with a home and a workspace in which something is private everywhere; its owner trusts it."""
    (tmp_path / "home").mkdir()
    plant(tmp_path / "ws", tmp_path / "home")
    with (tmp_path / "ws/mneme.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[active]\nchat_types = ["direct", "group", "channel", "explicit"]\nstyle = "recall-heavy"\n')
    (tmp_path / "user").mkdir()
    return tmp_path


def sent(place: Path, key: str) -> list[dict[str, Any]]:
    """Return what is sent with each event of a session."""
    about = {"session_id": "s", "session_key": key, "cwd": str(place / "ws"), "source": "startup", "trigger": "user"}
    tool = {"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "grep quaggastep"}, "tool_response": "x"}
    return [{**about, **tool, "turn_id": f"{number}", "prompt": question, "last_assistant_message": "Done."} for number, question in enumerate(QUESTIONS)]  # fmt: skip


def told(place: Path, key: str, *, lexical: bool) -> str:
    """Return all that a chat is told, at every event."""
    env = {"MNEME_HOME": str(place / "home"), "HOME": str(place / "user"), "MNEME_FALLBACK": "1", "PATH": "/usr/bin"}
    env |= {"XDG_CONFIG_HOME": str(place / "config"), "XDG_STATE_HOME": str(place / "state")}
    faults: list[str] = []
    desk = Desk(lambda: NOW, faults.append, lexical=lexical, keep=not lexical)
    try:
        answers = [
            context_of("openclaw", desk.answer(Call("openclaw", event, str(place / "ws"), env, json.dumps(payload).encode())))
            for event in EVENTS
            for payload in sent(place, key)
        ]  # fmt: skip
    finally:
        desk.close()
    assert faults == []
    return "\n".join(answers)


def tree(place: Path) -> dict[str, bytes]:
    """Return every file but the index and what is counted."""
    kept = (one for one in place.rglob("*") if one.is_file() and not one.name.startswith(("index.", "semantic.sqlite")))
    return {str(one.relative_to(place)): one.read_bytes() for one in kept if one.name not in ("recall.jsonl", "mark")}


@pytest.mark.parametrize("lexical", [True, False])
@pytest.mark.parametrize("key", GROUPS)
def test_a_group_is_told_nothing_private_and_nothing_of_it_is_kept(place: Path, key: str, lexical: bool) -> None:  # noqa: FBT001
    """Even where settings let it be spoken to: by the engine, and by a hook that is alone."""
    before = tree(place)
    assert secrets_in(told(place, key, lexical=lexical), QUESTIONS) == []
    changed = sorted(name for name, content in tree(place).items() if before.get(name) != content)
    assert changed == []


@pytest.mark.parametrize("lexical", [True, False])
def test_the_twin_its_owner_is_told(place: Path, lexical: bool) -> None:  # noqa: FBT001
    """By each of the blocks that a group does without."""
    said = told(place, OWN, lexical=lexical)
    assert {"quaggacurated", "quaggacell"} <= set(secrets_in(said))
    assert any(word in said for word in ("Quaggacard", "quaggalesson", "quaggaoutcome"))
