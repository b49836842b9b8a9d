"""In which chats Active Memory speaks: decided before anything is looked up, and each refusal has its reason."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha1
from typing import TYPE_CHECKING

from mneme.recall.active.settings import CHANNEL, CHAT_TYPES, DIRECT, GROUP

if TYPE_CHECKING:
    from mneme.recall.active.settings import ActiveSettings

USER_TRIGGER = "user"
WEBCHAT = "webchat"
MAIN = "main"
RUN_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Chat:
    """Where a prompt came from: the session and its key, the agent, the provider, the chat's type and id if they are told.

    A host that has no chats, such as one in a terminal, is a direct chat with its user. `turn` is the host's name of the
    turn that is asked about, if it has one.
    """

    session: str = ""
    key: str = ""
    agent: str = MAIN
    provider: str = WEBCHAT
    channel: str = ""
    kind: str = ""
    chat: str = ""
    trigger: str = USER_TRIGGER
    main_key: str = MAIN
    turn: str = ""


def chat_of_key(key: str, *, trigger: str = USER_TRIGGER, turn: str = "", main_key: str = MAIN) -> Chat:
    """Return the chat that a session's key names, such as `agent:main:telegram:direct:12345`.

    `main_key` is what the host calls an agent's main session, where it has another name for it.
    """
    parts = key.split(":")
    agent = parts[1] if parts[0] == "agent" and len(parts) > 1 else MAIN
    provider = parts[2] if len(parts) > 3 else MAIN  # noqa: PLR2004 - agent, its id, the provider, and more
    named = next((place for place, part in enumerate(parts) if part in _BEFORE_ID), len(parts))
    chat = parts[named + 1] if named + 1 < len(parts) else ""
    return Chat(key, key, agent, provider, provider, "", chat, trigger, main_key, turn)


def run_name(chat: Chat, question: str) -> str:
    """Return the published name of one look at memory: the session's key, and what tells its question from others."""
    told = sha1(f"{chat.agent}:{question}".encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return f"{chat.key or chat.session}:active-memory:{told[:RUN_DIGITS]}"


_BEFORE_ID = frozenset({DIRECT, "dm", GROUP, CHANNEL})


def chat_type(chat: Chat) -> str:
    """Return the type of a chat: as it is told, else as its session key says; empty where neither does."""
    if chat.kind in CHAT_TYPES:
        return chat.kind
    key = f":{chat.key}:"
    if ":group:" in key:
        return GROUP
    if ":channel:" in key:
        return CHANNEL
    if ":direct:" in key or ":dm:" in key:
        return DIRECT
    named_main = chat.key in {f"agent:{chat.agent}:{chat.main_key}", f"agent:{chat.agent}:{MAIN}"}
    if named_main and chat.provider and chat.channel:
        return DIRECT
    return DIRECT if chat.provider == WEBCHAT else ""


def refusal(settings: ActiveSettings, chat: Chat, *, switched_off: bool) -> str:
    """Return why nothing is said in a chat, or the empty text where it may be."""
    kind = chat_type(chat)
    checks = (
        (not settings.enabled, "it is off"),
        (switched_off, "it is off in this session"),
        (chat.agent not in settings.agents, f"agent '{chat.agent}' is not among its agents"),
        (chat.trigger != USER_TRIGGER, f"the turn was not a user's but came from '{chat.trigger}'"),
        (not (chat.session or chat.key), "the session has no name"),
        (chat.provider != WEBCHAT and not chat.channel, "the channel is not known"),
        (not kind, "the type of the chat is not known"),
        (kind not in settings.chat_types, f"the chat is a {kind} chat"),
        (bool(chat.chat) and chat.chat in settings.denied_chats, "the chat is denied"),
        (
            bool(settings.allowed_chats) and chat.chat not in settings.allowed_chats,
            "the chat is not among those allowed",
        ),
    )
    return next((why for holds, why in checks if holds), "")
