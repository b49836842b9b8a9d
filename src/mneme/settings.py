"""Every setting there is, in one table, and the reading of `mneme.toml` against it.

The table is the truth: the documentation is generated from it, and a key or value that does not fit it is one clear
error with its file, its line and the nearest key that exists. Nothing here touches the disk.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mneme.errors import IGNORE, SEVERITIES, BadInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FILE_NAME = "mneme.toml"


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
    Setting("profile", str, "default", "the layout of this workspace: where things live and what is checked", PROFILES),
    Setting(
        "regions",
        list,
        [],
        "the marked regions that programs write; without it, the profile's",
        choices=("index", "promoted", "summary", "palace"),
    ),
    Setting(
        "commit",
        bool,
        default=False,
        doc="make one git commit of each applied plan, of its own files only (the profile v4 does)",
    ),
)


class Settings:
    """The settings of one workspace: what `mneme.toml` says, and the default for the rest. Immutable."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._values = dict(values or {})

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - the table knows each value's type
        value = self._values[key] if key in self._values else _table()[key].default
        return list(value) if isinstance(value, list) else value

    def find(self, key: str) -> Any:  # noqa: ANN401 - the table knows each value's type
        """Return what `mneme.toml` itself says about a key, or None where it says nothing."""
        return self[key] if key in self._values else None

    def table(self, prefix: str) -> dict[str, Any]:
        """Return the free-form table under `prefix`, such as `rules`."""
        start = prefix + "."
        return {key.removeprefix(start): value for key, value in self._values.items() if key.startswith(start)}

    def with_value(self, key: str, value: object) -> Settings:
        """Return settings in which one key differs."""
        return Settings(self._values | {key: value})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and self._values == other._values

    def __hash__(self) -> int:
        return hash(repr(sorted(self._values.items())))


def parse_settings(text: str, path: str = FILE_NAME) -> Settings:
    """Read the text of a `mneme.toml`; raises `BadInputError` with the line of the first thing that does not fit."""
    import tomllib

    try:
        tree = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(_toml_fault(str(error), text, path), f"edit {path}") from error
    return Settings({key: _checked(key, value, text, path) for key, value in _flat(tree)})


def _toml_fault(said: str, text: str, path: str) -> str:
    what, _, where = said.partition(" (at ")
    found = re.search(r"line (\d+)", where)
    line = int(found[1]) if found else text.count("\n") + 1
    return f"{path}:{line}: {what[:1].lower()}{what[1:]}"


def _table() -> dict[str, Setting]:
    return {setting.key: setting for setting in SETTINGS}


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict) and key not in _table() and (value or _is_table(key)):
            yield from _flat(value, f"{key}.")
        else:
            yield key, value


def _is_table(key: str) -> bool:
    return any(known.startswith(f"{key}.") for known in _table())


def find_setting(key: str) -> Setting | None:
    """Return the table's row for a key, free-form tables included."""
    table = _table()
    prefix, _, name = key.rpartition(".")
    found = table.get(key) or table.get(prefix + ".*")
    return found if found is None or not found.names or name in found.names else None


def _checked(key: str, value: object, text: str, path: str) -> Any:  # noqa: ANN401 - the table knows its type
    setting = find_setting(key)
    place = f"{path}:{_line_of(key, text)}"
    if setting is None:
        message = f"{place}: there is no setting '{key}'"
        raise BadInputError(message, _nearest_key(key, path))
    wanted = _wanted(setting)
    fits = type(value) is setting.kind or (setting.kind is float and type(value) is int)
    if fits and isinstance(value, list):
        fits = all(isinstance(item, str) for item in value)
    if not fits:
        message = f"{place}: '{key}' takes {wanted}, not {value!r}"
        raise BadInputError(message, f"edit {path}")
    if setting.choices and (odd := _odd_choice(value, setting.choices)) is not None:
        message = f"{place}: '{key}' takes {wanted}, not '{odd}'"
        raise BadInputError(message, f"edit {path}")
    if setting.fields is not None and (fault := _path_fault(str(value), setting)):
        message = f"{place}: '{key}' {fault}"
        raise BadInputError(message, f"edit {path}")
    if setting.least is not None and isinstance(value, int | float) and value < setting.least:
        message = f"{place}: '{key}' takes {wanted}, not {value}"
        raise BadInputError(message, f"edit {path}")
    return value


def _odd_choice(value: object, choices: tuple[str, ...]) -> object:
    """Return the value, or the item of a list, that is not among the choices; None when all is well."""
    return next((item for item in (value if isinstance(value, list) else [value]) if item not in choices), None)


def _path_fault(value: str, setting: Setting) -> str:
    if value.startswith(("/", "~")) or ".." in value.split("/") or "\0" in value:
        return f"takes a path inside the workspace, not '{value}'"
    said = re.findall(r"\{([^{}]*)\}", value)
    if (odd := next((name for name in said if name not in (setting.fields or ())), None)) is not None:
        return f"does not know the field '{{{odd}}}'"
    if value and setting.needs and setting.needs not in said:
        return f"needs the field '{{{setting.needs}}}'"
    return ""


def _wanted(setting: Setting) -> str:
    if setting.choices:
        return ("some of " if setting.kind is list else "one of ") + ", ".join(setting.choices)
    words = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list of texts"}
    least = f" of at least {setting.least:g}" if setting.least is not None else ""
    return words[setting.kind] + least


def _nearest_key(key: str, path: str) -> str:
    import difflib

    known = [setting.key.replace("*", name) for setting in SETTINGS for name in setting.names or ("*",)]
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    return f"the nearest is '{near[0]}'; edit {path}" if near else f"edit {path}"


_PART = r"""(?:"[^"\n]*"|'[^'\n]*'|[\w-]+)"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"


def _line_of(key: str, text: str) -> int:
    """Return the line on which a key is set, or on which the nearest thing around it begins."""
    table, around = "", 0
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if header := re.match(rf"\s*\[\[?\s*({_DOTTED})\s*\]", line):
            table = _plain(header[1])
            full = table
            if full == key:
                return number
        elif found := re.match(rf"\s*({_DOTTED})\s*=", line):
            full = ".".join(part for part in (table, _plain(found[1])) if part)
            if full == key or full.startswith(f"{key}."):
                return number
        else:
            continue
        if key == full or key.startswith(f"{full}."):
            around = number
    return around or 1


def _plain(dotted: str) -> str:
    return ".".join(part.strip("\"'") for part in re.findall(_PART, dotted))
