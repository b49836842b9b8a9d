"""The settings of a workspace: what its `mneme.toml` says, read against the table of keys.

A key or value that does not fit the table is one clear error with its file, its line and the nearest key that exists.
Nothing here touches the disk.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from mneme.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mneme.keys import Setting

FILE_NAME = "mneme.toml"


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

    def over(self, values: Mapping[str, Any]) -> Settings:
        """Return these settings laid over others: what they say nothing about is as the others have it."""
        return Settings({**values, **self._values})

    def table(self, prefix: str) -> dict[str, Any]:
        """Return the free-form table under `prefix`, such as `rules`."""
        start = prefix + "."
        return {key.removeprefix(start): value for key, value in self._values.items() if key.startswith(start)}

    def fingerprint(self, without: tuple[str, ...] = ()) -> str:
        """Return a text that is the same for the same settings, keys that begin with one of `without` left out."""
        return repr(sorted((key, value) for key, value in self._values.items() if not key.startswith(without)))

    def with_value(self, key: str, value: object) -> Settings:
        """Return settings in which one key differs."""
        return Settings(self._values | {key: value})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and self._values == other._values

    def __hash__(self) -> int:
        return hash(repr(sorted(self._values.items())))


def parse_settings(text: str, path: str = FILE_NAME) -> Settings:
    """Read the text of a `mneme.toml`; raises `BadInputError` with the line of the first thing that does not fit."""
    if _says_nothing(text):
        return Settings()
    import tomllib

    try:
        tree = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(_toml_fault(str(error), text, path), f"edit {path}") from error
    return Settings({key: _checked(key, value, text, path) for key, value in _flat(tree)})


def _says_nothing(text: str) -> bool:
    """Say whether there are only comments, as in the file that `init` makes: then no parser needs to be loaded."""
    lines = (line.strip(" \t") for line in text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))
    return all(not line or (line[0] == "#" and line.replace("\t", " ").isprintable()) for line in lines)


def set_value(text: str, key: str, value: object) -> tuple[int, int, str]:
    """Return the edit of a `mneme.toml` that gives a key a value: in its line, below its table's head, or at the end.

    Everything else stays as it is, comments among it; where the text can't be edited so, `BadInputError` says what to
    write by hand.
    """
    table, _, name = key.rpartition(".")
    line = f"{name} = {_toml_value(value)}"
    edit = _edit_of(text, table, name, line)
    if not _is_set(text, edit, key, value):
        message = f"'{key}' cannot be set where it stands in {FILE_NAME}"
        raise BadInputError(message, f"edit {FILE_NAME}: {f'[{table}] ' if table else ''}{line}")
    return edit


def _is_set(text: str, edit: tuple[int, int, str], key: str, value: object) -> bool:
    """Say whether an edit gives the key its value and leaves every other as it was."""
    start, end, new = edit
    before = parse_settings(text)
    try:
        return parse_settings(text[:start] + new + text[end:]) == before.with_value(key, value)
    except BadInputError:
        return False


def _edit_of(text: str, table: str, name: str, line: str) -> tuple[int, int, str]:
    head = re.search(rf"(?m)^[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\][ \t]*(?:#.*)?$", text) if table else None
    if table and head is None:
        gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        return len(text), len(text), f"{gap}[{table}]\n{line}\n"
    start = head.end() if head else 0
    following = re.compile(r"(?m)^[ \t]*\[").search(text, start)
    stop = following.start() if following else len(text)
    known = re.compile(rf"(?m)^[ \t]*{re.escape(name)}[ \t]*=[ \t]*(?P<value>[^\n#]*?)[ \t]*(?:#.*)?$").search(
        text, start, stop
    )
    if known:
        return known.start("value"), known.end("value"), line.partition(" = ")[2]
    return (start, start, f"\n{line}") if head else (0, 0, f"{line}\n")


def _toml_value(value: object) -> str:
    import json

    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml_value(one) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _toml_fault(said: str, text: str, path: str) -> str:
    what, _, where = said.partition(" (at ")
    found = re.search(r"line (\d+)", where)
    line = int(found[1]) if found else text.count("\n") + 1
    return f"{path}:{line}: {what[:1].lower()}{what[1:]}"


@cache
def _table() -> dict[str, Setting]:
    from mneme.keys import SETTINGS

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

    known = [setting.key.replace("*", name) for setting in _table().values() for name in setting.names or ("*",)]
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
