"""Every key that `mneme.toml` may have: the one table of settings, from which their page is generated.

Kept apart from `settings` so that a workspace without the file, or a question that only it could answer, costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mneme.errors import IGNORE, SEVERITIES


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of `mneme.toml`; a key that ends in `.*` stands for a table of names of the reader's choosing."""

    key: str
    kind: type
    default: Any
    doc: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    names: tuple[str, ...] = ()
    """The names that a `.*` table may hold; without any, it may hold all."""
    fields: tuple[str, ...] | None = None
    """The value is a path in the workspace, in which these fields may stand in braces."""
    needs: str = ""
    """A field that must stand in the path."""


MODELS = ("none", "command", "openai", "ollama")
PROFILES = ("default", "openclaw", "v4", "never-forget", "protocol", "cells")
KINDS = (
    *("decision", "goal", "preference", "gotcha", "fact", "todo"),
    *("user", "feedback", "project", "reference"),
    *("infrastructure", "howto", "lesson", "task", "status", "event", "entity"),
)
_PLACES = (
    ("memory", "the file that every session loads", (), ""),
    ("user", "the file about the user", (), ""),
    ("soul", "the file about the agent", (), ""),
    ("todos", "the tasks", (), ""),
    ("heartbeat", "the reminders", (), ""),
    ("dreams", "the dream diary", (), ""),
    ("buffer", "the working buffer", (), ""),
    ("day", "a day's note", ("date",), "date"),
    ("archive", "the folder that old days' notes move to", ("year", "month"), ""),
    ("palace", "the folder of the palace's views", (), ""),
    ("entities", "the folder of entities, one folder each", (), ""),
    ("reports", "a day's verification report", ("date",), "date"),
    ("knowledge", "the folder of what projects and experience came to", (), ""),
)
_BUDGETS = (
    ("memory_lines", 60, "lines of MEMORY.md"),
    ("memory_chars", 10_000, "characters of MEMORY.md"),
    ("index_line_chars", 150, "characters of one line of an index"),
    ("buffer_lines", 80, "lines of the working buffer"),
    ("buffer_idle_hours", 2, "hours after which a buffer that nobody wrote to is left over"),
    ("open_questions", 5, "open questions in MEMORY.md"),
    ("day_ttl_days", 30, "days after which a day's note belongs in the archive"),
    ("verified_days", 30, "days for which `last_verified` holds"),
    ("working_days", 7, "days for which a day's note is working memory"),
)
_ACTIVE = (
    ("summary_chars", 220, 40, 1000, "characters that it says at most"),
    ("user_turns", 2, 0, 4, "the user's earlier messages that are asked about"),
    ("assistant_turns", 1, 0, 3, "the assistant's earlier messages that are asked about"),
    ("user_chars", 220, 40, 1000, "characters of each of the user's earlier messages"),
    ("assistant_chars", 180, 40, 1000, "characters of each of the assistant's earlier messages"),
    ("timeout_ms", 15_000, 250, 120_000, "milliseconds that one turn may take"),
    ("cache_ms", 15_000, 1000, 120_000, "milliseconds for which the same question has the same answer"),
    ("breaker_timeouts", 3, 1, 20, "late answers in a row after which it rests"),
    ("breaker_cooldown_ms", 60_000, 5000, 600_000, "milliseconds that it rests"),
)
JOB_TIMES = (
    ("capture", "every 30m"),
    ("dream", "12:30"),
    ("refine", "13:00"),
    ("review", "Mon 09:00"),
    ("synthesize", "Mon 09:30"),
    ("sublimate", "Mon 10:00"),
    ("decay", "03:00"),
    ("archive", "03:10"),
    ("palace", "03:20"),
)
_DREAM: tuple[tuple[str, float, str], ...] = (
    ("min_score", 0.5, "what a memory must score to be promoted (the profile openclaw asks for 0.8)"),
    ("min_recalls", 3, "how often a memory must have been recalled to be promoted"),
    ("min_queries", 3, "how many different questions must have led to a memory for it to be promoted"),
    ("half_life_days", 14.0, "days after which a recall counts half"),
    ("max_age_days", 30, "days after the last recall for which a memory may still be promoted"),
    ("limit", 10, "promotions of one night"),
    ("light_days", 2, "days before today that Light looks at"),
    ("rem_days", 7, "days before today that REM looks at"),
    ("trial_days", 7, "days with activity after which a promotion leaves that was needed for a day or two only"),
    ("stale_days", 60, "days with activity after which a promoted memory that nobody recalled or affirmed is stale"),
    ("archive_days", 60, "further such days after which a stale promoted memory moves to the archive"),
    ("loss_share", 0.25, "the share of earlier promotions that may leave in one night"),
    ("diary_chars", 40_000, "characters of the dream diary; what is older moves to the archive"),
    ("short_term_turns", 10, "turns of a conversation that are short-term memory"),
)
_TIERS = (
    ("hot", "what every session loads"),
    ("warm", "what is loaded by tag or recall"),
    ("cold", "what is loaded by recall alone"),
    ("buffer", "what is loaded while a task is active"),
)

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "cells.default",
        str,
        "",
        "the cell file that `remember` appends to; empty: the only one there is, else memory/project.mneme",
    ),
    Setting("cells.stale_after_days", int, 45, "a live cell not seen for longer wants verification", least=0),
    Setting(
        "cells.gist_columns", int, 200, "a gist wider than this is reported; an ideograph is two columns wide", least=20
    ),
    Setting("cells.body_chars", int, 1800, "a body longer than this should be a link to a document", least=100),
    Setting(
        "boot.tokens",
        int,
        6000,
        "how much `mneme boot` loads: four characters are a token, an ideograph is one",
        least=200,
    ),
    Setting("files.ignore", list, [], "folders and files, as globs, in which no memory is looked for"),
    Setting("files.notes", list, [], "Markdown files, as globs, that are memory though nothing else says so"),
    *(
        Setting(f"places.{name}", str, "", f"{what}; empty: where the profile has it", fields=fields, needs=needs)
        for name, what, fields, needs in _PLACES
    ),
    Setting(
        "homes.*",
        str,
        "",
        "where memories of a kind live: `cells`, `memory`, `day`, `todos`, `entities`, or a path (a folder ends in `/`)",
        names=KINDS,
        fields=("topic", "date", "entity"),
    ),
    *(Setting(f"tiers.{name}", list, [], f"globs of {what}, before the profile's own") for name, what in _TIERS),
    *(Setting(f"budgets.{name}", int, default, what, least=0) for name, default, what in _BUDGETS),
    Setting("tags.*", list, [], "a group of the tags that may be used, in place of the profile's group of that name"),
    Setting("audience.shared", list, [], "globs of files whose records may be shown in shared contexts"),
    Setting(
        "rules.*", str, "", "the severity of a rule of `mneme check` and `mneme lint`", choices=(*SEVERITIES, IGNORE)
    ),
    Setting(
        "palace.dimensions.*",
        str,
        "",
        "a view of your own: a query such as `kind:feedback tag:style -state:stale words`",
    ),
    Setting(
        "palace.technology", list, [], "what counts as technology, in place of the profile's tags of infrastructure"
    ),
    Setting("palace.more_technology", list, [], "what counts as technology besides"),
    Setting("schedule.timezone", str, "", "the time zone of the schedule, as `Europe/Berlin`; empty: this machine's"),
    *(
        Setting(
            f"schedule.{name}", str, "", f"when to {name}: `12:30`, `Mon 09:00`, `every 30m` or `off`; empty: {when}"
        )
        for name, when in JOB_TIMES
    ),
    *(Setting(f"dream.{name}", type(default), default, what, least=0) for name, default, what in _DREAM),
    Setting(
        "dream.scoring",
        str,
        "trusted",
        "how a memory's worth is counted: `trusted` counts what was asked for, `openclaw` what OpenClaw counts",
        choices=("trusted", "openclaw"),
    ),
    Setting(
        "dream.style",
        str,
        "sentence",
        "what a promotion is: a sentence in MEMORY.md, or a classified memory and its index line (the profile never-forget)",
        choices=("sentence", "index"),
    ),
    Setting(
        "dream.reports",
        bool,
        default=False,
        doc="write each phase's report to memory/dreaming/PHASE/DATE.md (the profile openclaw does)",
    ),
    Setting("dream.pinned", list, [], "questions that no night may answer worse than before"),
    Setting("dream.sessions", list, [], "folders of session transcripts, outside the workspace, that Light reads"),
    Setting(
        "capabilities.threshold", float, 0.65, "what a card must reach to be told, on the calibrated scale", least=0
    ),
    Setting(
        "capabilities.categories_kept",
        int,
        0,
        "how many categories a prompt is looked up in, the others left out; 0: all, of which the nearest ten come first",
        least=0,
    ),
    Setting("capabilities.cards_told", int, 5, "how many cards a prompt is told at most", least=0),
    Setting("capabilities.budget_tokens", int, 600, "how long the block of capabilities may be", least=0),
    Setting("capabilities.categories.*", str, "", "a category of your own, with a description of what belongs to it"),
    Setting("profile", str, "default", "the layout of this workspace: where things live and what is checked", PROFILES),
    Setting(
        "regions",
        list,
        [],
        "the marked regions that programs write; without it, the profile's",
        choices=("index", "promoted", "summary", "palace"),
    ),
    Setting("active.enabled", bool, default=True, doc="whether memory says of its own accord what bears on a prompt"),
    Setting("active.agents", list, ["main"], "the agents that it speaks to"),
    Setting(
        "active.chat_types", list, ["direct"], "the chats that it speaks in", ("direct", "group", "channel", "explicit")
    ),
    Setting("active.allowed_chats", list, [], "chats that it speaks in; empty: all that are not denied"),
    Setting("active.denied_chats", list, [], "chats that it never speaks in"),
    Setting(
        "active.query_mode", str, "recent", "how much of the conversation is asked about", ("message", "recent", "full")
    ),
    Setting(
        "active.style",
        str,
        "",
        "how readily it speaks; empty: as goes with the query mode",
        ("", "strict", "balanced", "contextual", "recall-heavy", "precision-heavy", "preference-only"),
    ),
    *(
        Setting(f"active.{name}", int, default, f"{what}, from {least} to {most}")
        for name, default, least, most, what in _ACTIVE
    ),
    Setting("active.prompt_override", str, "", "what a language model is told instead of our own words"),
    Setting("active.prompt_append", str, "", "what a language model is told besides"),
    Setting("active.debug", bool, default=False, doc="log a line for every turn"),
    Setting(
        "embedder.kind",
        str,
        "default",
        "what turns texts into vectors, so that recall knows meanings: the small model of the package, none, or another",
        choices=("default", "none", "ollama", "openai", "onnx", "sentence-transformers"),
    ),
    Setting("embedder.model", str, "", "what the embedder's model is called there"),
    Setting("embedder.url", str, "", "the address of its server; its key is in the variable MNEME_EMBEDDER_KEY"),
    Setting("embedder.folder", str, "", "the folder of a model of your own"),
    Setting("embedder.dims", int, 0, "how many numbers its vectors have; 0: ask it", least=0),
    Setting("embedder.timeout_seconds", int, 30, "seconds that one batch of texts may take", least=1),
    Setting(
        "index.budget_ms",
        int,
        200,
        "milliseconds for which a recall brings in changed files before it answers",
        least=0,
    ),
    Setting(
        "mcp.tools", list, [], "the tools that an MCP client is shown: names, or `all`; empty: the few a session needs"
    ),
    Setting(
        "serve.http_port",
        int,
        0,
        "in the home's settings: the port of this machine on which every resident engine answers MCP clients; 0: none",
        least=0,
    ),
    Setting(
        "transcripts.sources",
        list,
        [],
        "session logs of host programs that can be searched too: files, folders or globs, `~` for your own folder",
    ),
    Setting(
        "transcripts.everywhere",
        bool,
        default=False,
        doc="search sessions that were about other folders as well",
    ),
    Setting(
        "capture.accept",
        str,
        "",
        "what capture accepts without asking: what users say of themselves in their own sessions (`own`), or nothing"
        " (`never`); empty: `own` in the profile protocol",
        ("", "never", "own"),
    ),
    Setting(
        "refine.classify",
        bool,
        default=False,
        doc="let `mneme refine` write what is surely of a class to the folder of its class, instead of proposing it",
    ),
    Setting(
        "model.kind",
        str,
        "none",
        "the language model that writes and extracts: a command, a server that speaks OpenAI's protocol, or Ollama",
        MODELS,
    ),
    Setting("model.name", str, "", "what the model is called there"),
    Setting("model.url", str, "", "the address of its server; its key is in the variable MNEME_MODEL_KEY"),
    Setting("model.command", list, [], 'the words of a command that answers its standard input, as `["claude", "-p"]`'),
    Setting("model.timeout_seconds", int, 60, "seconds that one answer may take", least=1),
    Setting("model.calls", int, 20, "questions that one run may ask", least=0),
    Setting("model.prompt_chars", int, 40_000, "characters of the longest question", least=1000),
    Setting("model.answer_chars", int, 20_000, "characters of the longest answer", least=1000),
    Setting("model.price_in", float, 0.0, "what a million tokens of a question cost, in any currency", least=0),
    Setting("model.price_out", float, 0.0, "what a million tokens of an answer cost, in the same", least=0),
    Setting("model.spend_per_run", float, 0.0, "what one run may spend on the model; 0: no limit", least=0),
    Setting("model.spend_per_day", float, 0.0, "what all runs of a day may spend on the model; 0: no limit", least=0),
    Setting(
        "pointers",
        bool,
        default=False,
        doc="leave a line in the day's note that links to each memory just stored (the profile never-forget does)",
    ),
    Setting(
        "commit",
        bool,
        default=False,
        doc="make one git commit of each applied plan, of its own files only (the profile v4 does)",
    ),
    Setting(
        "qmd",
        bool,
        default=False,
        doc="refresh the index of QMD after each write about entities (the profile protocol does, where `qmd` is there)",
    ),
)
