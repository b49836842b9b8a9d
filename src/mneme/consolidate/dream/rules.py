"""By which rules a workspace dreams: its settings, with what its profile says where they are silent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from mneme.consolidate.dream.score import OPENCLAW, TRUSTED, Gates

if TYPE_CHECKING:
    from datetime import datetime

    from mneme.consolidate.dream.published import Published
    from mneme.settings import Settings
    from mneme.workspace import Workspace

SENTENCE, INDEX = "sentence", "index"
STRICT_SCORE = 0.8  # what the reference asks for, where the workspace is laid out as its own
LIGHT_LIMIT, REM_LIMIT = 100, 10
ALIKE, ALIKE_TRUTHS, LEAST_PATTERN, LEAST_TRUTH, MOST_TRUTHS = 0.9, 0.88, 0.75, 0.45, 3


@dataclass(frozen=True, slots=True)
class Rules:
    """Everything a night is told by settings and profile."""

    gates: Gates
    light_days: int = 2
    rem_days: int = 7
    working_days: int = 7
    trial_days: int = 7
    stale_days: int = 60
    archive_days: int = 60
    loss_share: float = 0.25
    memory_lines: int = 60
    memory_chars: int = 10_000
    line_chars: int = 150
    diary_chars: int = 40_000
    timezone: str = ""
    style: str = SENTENCE
    reports: bool = False

    @property
    def trusted(self) -> bool:
        """Say whether only what was asked for counts."""
        return self.gates.scoring == TRUSTED

    def local(self, moment: datetime) -> datetime:
        """Return a moment in the zone that days are counted in; a zone nobody knows is the machine's own."""
        if not self.timezone:
            return moment
        try:
            return moment.astimezone(ZoneInfo(self.timezone))
        except (ValueError, OSError, KeyError):
            return moment

    def day(self, moment: datetime) -> str:
        """Return the day that a moment belongs to."""
        return self.local(moment).date().isoformat()


def _with_host(settings: Settings, host: Published) -> Settings:
    """Return settings in which what is not set is as the host has it."""
    names = (
        "limit",
        "min_score",
        "min_recalls",
        "min_queries",
        "half_life_days",
        "max_age_days",
        "light_days",
        "rem_days",
    )
    said = {f"dream.{name}": getattr(host, name) for name in names}
    said |= {"schedule.timezone": host.timezone} if host.timezone else {}
    return settings.over(said)


def rules_of(workspace: Workspace, host: Published | None = None) -> Rules:
    """Return the rules of a workspace; in OpenClaw's scoring what `mneme.toml` leaves open is as `host` says."""
    settings, profile = workspace.settings, workspace.profile
    own = profile.name == "openclaw"
    scoring = str(settings["dream.scoring"])
    strict = own or (scoring == OPENCLAW and profile.name != "never-forget")
    if host is not None and scoring == OPENCLAW:
        settings = _with_host(settings, host)
    least = settings.find("dream.min_score")
    reports = settings.find("dream.reports")
    style = settings.find("dream.style")
    gates = Gates(
        min_score=(STRICT_SCORE if strict else float(settings["dream.min_score"])) if least is None else float(least),
        min_recalls=int(settings["dream.min_recalls"]),
        min_queries=int(settings["dream.min_queries"]),
        half_life_days=float(settings["dream.half_life_days"]),
        max_age_days=float(settings["dream.max_age_days"]),
        limit=int(settings["dream.limit"]),
        scoring=scoring,
    )
    return Rules(
        gates,
        light_days=int(settings["dream.light_days"]),
        rem_days=int(settings["dream.rem_days"]),
        working_days=profile.budgets.working_days,
        trial_days=int(settings["dream.trial_days"]),
        stale_days=int(settings["dream.stale_days"]),
        archive_days=int(settings["dream.archive_days"]),
        loss_share=float(settings["dream.loss_share"]),
        memory_lines=profile.budgets.memory_lines,
        memory_chars=profile.budgets.memory_chars,
        line_chars=profile.budgets.index_line_chars,
        diary_chars=int(settings["dream.diary_chars"]),
        timezone=str(settings["schedule.timezone"]),
        style=str(style) if style else (INDEX if profile.name == "never-forget" else SENTENCE),
        reports=own if reports is None else bool(reports),
    )
