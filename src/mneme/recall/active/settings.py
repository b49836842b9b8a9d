"""The settings of Active Memory: every published key with its default and its range.

They come from `mneme.toml` under our own names and from an `openclaw.json` under the published ones. A value that makes
no sense there falls back to the default, and numbers are put into their range, as the host itself does it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

MESSAGE, RECENT, FULL = "message", "recent", "full"
QUERY_MODES = (MESSAGE, RECENT, FULL)
STRICT, BALANCED, CONTEXTUAL = "strict", "balanced", "contextual"
RECALL_HEAVY, PRECISION_HEAVY, PREFERENCE_ONLY = "recall-heavy", "precision-heavy", "preference-only"
STYLES = (STRICT, BALANCED, CONTEXTUAL, RECALL_HEAVY, PRECISION_HEAVY, PREFERENCE_ONLY)
_STYLE_OF_MODE = {MESSAGE: STRICT, RECENT: BALANCED, FULL: CONTEXTUAL}
DIRECT, GROUP, CHANNEL, EXPLICIT = "direct", "group", "channel", "explicit"
CHAT_TYPES = (DIRECT, GROUP, CHANNEL, EXPLICIT)

# Published name, our field, least, most.
_NUMBERS = (
    ("timeoutMs", "timeout_ms", 250, 120_000),
    ("maxSummaryChars", "summary_chars", 40, 1000),
    ("recentUserTurns", "user_turns", 0, 4),
    ("recentAssistantTurns", "assistant_turns", 0, 3),
    ("recentUserChars", "user_chars", 40, 1000),
    ("recentAssistantChars", "assistant_chars", 40, 1000),
    ("cacheTtlMs", "cache_ms", 1000, 120_000),
    ("circuitBreakerMaxTimeouts", "breaker_timeouts", 1, 20),
    ("circuitBreakerCooldownMs", "breaker_cooldown_ms", 5000, 600_000),
)
_CHOICES = (("queryMode", "query_mode", QUERY_MODES), ("promptStyle", "style", STYLES))
_LISTS = (
    ("agents", "agents"),
    ("allowedChatTypes", "chat_types"),
    ("allowedChatIds", "allowed_chats"),
    ("deniedChatIds", "denied_chats"),
)
_TRUTHS = (("enabled", "enabled"), ("logging", "debug"))
_TEXTS = (("promptOverride", "prompt_override"), ("promptAppend", "prompt_append"))
RANGES = {field: (least, most) for _, field, least, most in _NUMBERS}


@dataclass(frozen=True, slots=True)
class ActiveSettings:
    """How Active Memory behaves. No agent named means the main one."""

    enabled: bool = True
    agents: tuple[str, ...] = ("main",)
    chat_types: tuple[str, ...] = (DIRECT,)
    allowed_chats: tuple[str, ...] = ()
    denied_chats: tuple[str, ...] = ()
    query_mode: str = RECENT
    style: str = ""
    summary_chars: int = 220
    user_turns: int = 2
    assistant_turns: int = 1
    user_chars: int = 220
    assistant_chars: int = 180
    timeout_ms: int = 15_000
    cache_ms: int = 15_000
    breaker_timeouts: int = 3
    breaker_cooldown_ms: int = 60_000
    prompt_override: str = ""
    prompt_append: str = ""
    debug: bool = False

    @property
    def prompt_style(self) -> str:
        """Return the style: the one that was set, else the one that goes with the query mode."""
        return self.style or _STYLE_OF_MODE[self.query_mode]


def with_published(settings: ActiveSettings, config: Mapping[str, Any]) -> ActiveSettings:
    """Return settings with what an `openclaw.json` says of the plugin; what makes no sense there changes nothing."""
    said: dict[str, Any] = {}
    for name, field, least, most in _NUMBERS:
        number = config.get(name)
        if isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number):
            said[field] = min(max(math.floor(number), least), most)
    said |= {field: value for name, field, known in _CHOICES if (value := config.get(name)) in known}
    said |= {field: value for name, field in _TRUTHS if isinstance(value := config.get(name), bool)}
    said |= {field: value for name, field in _TEXTS if isinstance(value := config.get(name), str)}
    for name, field in _LISTS:
        values = config.get(name)
        if isinstance(values, list):
            said[field] = tuple(value for value in values if isinstance(value, str))
    if "chat_types" in said:
        said["chat_types"] = tuple(one for one in said["chat_types"] if one in CHAT_TYPES) or (DIRECT,)
    return replace(settings, **said)


def from_table(values: Mapping[str, Any]) -> ActiveSettings:
    """Return the settings of a table under our own names, each already of the right type; numbers are put in range."""
    known = {field.name for field in fields(ActiveSettings)}
    said: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items() if name in known
    }
    for name, (least, most) in RANGES.items():
        if name in said:
            said[name] = min(max(said[name], least), most)
    return ActiveSettings(**said)


def published_config(document: object) -> Mapping[str, Any]:
    """Return what an `openclaw.json` says of the plugin, or nothing; `enabled` of the plugin itself counts as well."""
    plugin = document
    for name in ("plugins", "entries", "active-memory"):
        plugin = plugin.get(name) if isinstance(plugin, dict) else None
    if not isinstance(plugin, dict):
        return {}
    config = plugin.get("config")
    config = dict(config) if isinstance(config, dict) else {}
    if plugin.get("enabled") is False:
        config["enabled"] = False
    return config
