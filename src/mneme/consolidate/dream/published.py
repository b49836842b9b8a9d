"""What an `openclaw.json` says of dreaming, read as OpenClaw reads it: a value that makes no sense is as if it were not there.

Where a workspace counts as OpenClaw does, this is what its nights go by, unless `mneme.toml` says otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

PATH = ("plugins", "entries", "memory-core", "config", "dreaming")
MODES = ("inline", "separate", "both")


@dataclass(frozen=True, slots=True)
class Published:
    """The published settings of dreaming that have a counterpart here, with their published defaults."""

    enabled: bool = False
    frequency: str = "0 3 * * *"
    timezone: str = ""
    storage: str = "separate"
    light_days: int = 2
    rem_days: int = 7
    limit: int = 10
    min_score: float = 0.8
    min_recalls: int = 3
    min_queries: int = 3
    half_life_days: int = 14
    max_age_days: int = 30


def published_dreaming(document: object) -> Published | None:
    """Return what a whole configuration says of dreaming; None where it does not speak of it."""
    found = document
    for name in PATH:
        found = found.get(name) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        return None
    defaults = document.get("agents") if isinstance(document, dict) else None
    return parse_dreaming(found, _text(_table(_table(defaults).get("defaults")).get("userTimezone")))


def parse_dreaming(said: Mapping[str, Any], timezone: str = "") -> Published:
    """Return the settings that a table of dreaming's own stands for."""
    phases = _table(said.get("phases"))
    light, rem, deep = (_table(phases.get(name)) for name in ("light", "rem", "deep"))
    plain = Published()
    mode = _text(_table(said.get("storage")).get("mode")).lower()
    return Published(
        enabled=_switch(said.get("enabled")),
        frequency=_text(said.get("frequency")) or plain.frequency,
        timezone=_text(said.get("timezone")) or timezone,
        storage=mode if mode in MODES else plain.storage,
        light_days=_count(light, "lookbackDays", plain.light_days),
        rem_days=_count(rem, "lookbackDays", plain.rem_days),
        limit=_count(deep, "limit", plain.limit),
        min_score=_score(deep, "minScore", plain.min_score),
        min_recalls=_count(deep, "minRecallCount", plain.min_recalls),
        min_queries=_count(deep, "minUniqueQueries", plain.min_queries),
        half_life_days=_count(deep, "recencyHalfLifeDays", plain.half_life_days),
        max_age_days=_count(deep, "maxAgeDays", plain.max_age_days) or plain.max_age_days,
    )


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _switch(value: object) -> bool:
    return value if isinstance(value, bool) else _text(value).lower() == "true"


def _number(table: Mapping[str, Any], name: str) -> float:
    """Return a number, or a text that is one; what is none is no number, and null is nothing."""
    value = table.get(name, "")
    if value is None:
        return 0.0
    try:
        return float(value) if isinstance(value, int | float | str) and value != "" else math.nan
    except (ValueError, OverflowError):
        return math.nan


def _count(table: Mapping[str, Any], name: str, default: int) -> int:
    number = _number(table, name)
    return math.floor(number) if math.isfinite(number) and number >= 0 else default


def _score(table: Mapping[str, Any], name: str, default: float) -> float:
    number = _number(table, name)
    return number if 0 <= number <= 1 else default
