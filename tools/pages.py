"""The generated pages of the documentation: command line, rules, settings.

Each page is made from the table that the program itself uses, so it can't say anything else. Without arguments the
pages are written; with `--check` nothing is written and a page that is not what would be written is a failure.
"""

from __future__ import annotations

import re
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from mneme.check.rules import CELL_RULES, RULES
from mneme.cli import verbs
from mneme.cli.frame import build_parser
from mneme.cli.helptext import overview_text, verb_text
from mneme.keys import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mneme.check.rules import Rule
    from mneme.cli.verbs import Verb
    from mneme.keys import Setting

_FIELD = re.compile(r"\{(\w+)\}")

DOCS = Path(__file__).resolve().parent.parent / "docs"
NOTICE = "<!-- Written by `make docs` from the code; edit there. -->"


def print_cli_page() -> str:
    """Return the page of every verb, as its own `--help` explains it."""
    parts = [
        "# The command line",
        NOTICE,
        "Exit codes: 0 clean or found, 1 problems or nothing found, 2 could not do it.",
    ]
    parts += ["Results go to stdout, messages to stderr.", _fenced(overview_text(verbs.VERBS))]
    for group in verbs.GROUPS:
        rows = [verb for verb in verbs.VERBS if verb.group == group]
        parts += [f"## {group.capitalize()}"] if rows else []
        parts += [f"### mneme {verb.name}\n\n{_fenced(_help_of(verb))}" for verb in rows]
    return _page(parts)


def print_rules_page() -> str:
    """Return the page of every rule: what it finds, why that is bad, what to do."""
    parts = [
        "# Rules",
        NOTICE,
        (
            "What `mneme check` finds; of cells, `mneme lint` finds the same. A rule's name is never changed; its severity can "
            "be set under `[rules]` in `mneme.toml`, and a profile may set it too."
        ),
        _table(
            ("rule", "severity", "what is wrong"),
            [(f"[{rule.name}](#{rule.name})", rule.severity, rule.summary) for rule in RULES.values()],
        ),
    ]
    return _page([*parts, *map(_rule, RULES.values())])


def print_settings_page() -> str:
    """Return the page of every key of `mneme.toml`."""
    parts = [
        "# Settings",
        NOTICE,
        "Every key of `mneme.toml`, all of them optional. A key that is not here is an error.",
    ]
    for table, rows in groupby(SETTINGS, key=lambda setting: setting.key.rpartition(".")[0]):
        title = f"## [{table}]" if table else "## At the top of the file"
        parts += [title, _table(("key", "value", "default", "meaning"), map(_setting, rows))]
    return _page(parts)


PAGES: dict[str, Callable[[], str]] = {
    "cli.md": print_cli_page,
    "rules.md": print_rules_page,
    "settings.md": print_settings_page,
}


def find_stale(folder: Path) -> list[str]:
    """Return the names of pages that are not what would be written."""
    return [name for name, page in PAGES.items() if not _is_fresh(folder / name, page())]


def main(arguments: list[str]) -> int:
    """Write the pages, or check them."""
    stale = find_stale(DOCS)
    if arguments == ["--check"]:
        for name in stale:
            print(f"docs/{name} is not what the code says\n  hint: make docs", file=sys.stderr)
        return 1 if stale else 0
    DOCS.mkdir(exist_ok=True)
    for name in stale:
        (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"wrote docs/{name}")
    return 0


def _is_fresh(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


def _help_of(verb: Verb) -> str:
    return verb_text(verb, verbs.load_verb(verb), build_parser(verb))


def _rule(rule: Rule) -> str:
    """Return the section of one rule; what a message is about stands in it in capitals."""
    verb = "lint" if rule.name in CELL_RULES else "check"
    fixed = f"; `mneme {verb} --fix` repairs it" if rule.fixable else ""
    lines = [
        f"## {rule.name}",
        f"{rule.summary} {rule.why}",
        f"- severity: {rule.severity}{fixed}",
        f"- reported as: {_filled(rule.message)}",
        *([f"- hint: {_filled(rule.hint)}"] if rule.hint else []),
        f"- since {rule.since}",
    ]
    return "\n\n".join(lines[:2]) + "\n\n" + "\n".join(lines[2:])


def _filled(template: str) -> str:
    words = _FIELD.sub(lambda field: field[1].upper(), template.replace("{{", "\0").replace("}}", "\1"))
    return "`" + words.replace("\0", "{").replace("\1", "}") + "`"


def _setting(setting: Setting) -> tuple[str, str, str, str]:
    kinds = {str: "text", int: "whole number", float: "number", bool: "true or false", list: "list of texts"}
    value = " or ".join(f"`{choice}`" for choice in setting.choices) or kinds[setting.kind]
    least = "" if setting.least is None else f", at least {setting.least:g}"
    default = "" if setting.key.endswith(".*") else f"`{_toml(setting.default)}`"
    return (f"`{setting.key}`", value + least, default, setting.doc)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if not isinstance(value, str) else f'"{value}"'


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _fenced(text: str) -> str:
    return f"```text\n{text}\n```"


def _page(parts: list[str]) -> str:
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
