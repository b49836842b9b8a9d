"""What `--help` says, for the whole command and for one verb.

Written here rather than by argparse so that it reads the same under every Python, fits 80 columns and ends with
examples; the command's reference page is made from the same functions. Pure: returns text, prints nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.cli.verbs import GROUPS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from mneme.cli.options import Parser
    from mneme.cli.verbs import Verb, VerbModule

WIDTH_COLUMNS = 80
TERM_COLUMNS = 22

ABOUT = "Durable memory for agents: plain text that people and agents edit together."
EVERYWHERE_LINES = (
    ("--workspace DIR", "the folder that holds the memory (default: found from here)"),
    ("--today DATE", "act as if it were this date or time"),
    ("--json  --quiet  --no-color  --dry-run", ""),
)


def overview_text(verbs: Sequence[Verb]) -> str:
    """Return what `mneme --help` prints: every verb, in groups, the everyday ones first."""
    lines = ["usage: mneme VERB [arguments] [options]", "", ABOUT]
    for group in GROUPS:
        rows = [(verb.name, verb.summary) for verb in verbs if verb.group == group]
        if rows:
            lines += ["", f"{group}:", *_table(rows)]
    lines += ["", "everywhere, before or after the verb:", *_table(EVERYWHERE_LINES)]
    lines += ["", "`mneme VERB --help` explains one verb with examples."]
    return "\n".join(lines)


def verb_text(verb: Verb, module: VerbModule, parser: Parser) -> str:
    """Return what `mneme VERB --help` prints."""
    sections = [usage_line(verb, parser), _reflow((module.__doc__ or verb.summary).strip())]
    for title, actions in (
        ("arguments", parser.arguments()),
        ("options", parser.own_options()),
        ("everywhere", parser.shared_options()),
    ):
        if actions:
            sections.append("\n".join([f"{title}:", *_table((term(action), meaning(action)) for action in actions)]))
    examples = "\n".join(f"  {line}".rstrip() for line in module.EXAMPLES.strip().splitlines())
    return "\n\n".join([*sections, f"examples:\n{examples}"])


def usage_line(verb: Verb, parser: Parser) -> str:
    """Return the verb's shape: required options, arguments, and that there are more options."""
    required = [term(action) for action in parser.own_options() if action.required]
    return " ".join(["usage: mneme", verb.name, *required, *map(_shape, parser.arguments()), "[options]"])


def term(action: argparse.Action) -> str:
    """Return how an option or an argument is written."""
    from mneme.cli.options import placeholder

    if not action.option_strings:
        return placeholder(action)
    names = ", ".join(action.option_strings)
    return names if action.nargs == 0 else f"{names} {placeholder(action)}"


def meaning(action: argparse.Action) -> str:
    """Return what an option or an argument means, with its default."""
    text = action.help or ""
    return text.replace("%(default)s", str(action.default)).replace("%%", "%")


def _shape(action: argparse.Action) -> str:
    from mneme.cli.options import placeholder

    name = placeholder(action)
    shapes = {"?": f"[{name}]", "*": f"[{name}...]", "+": f"{name}..."}
    return shapes.get(str(action.nargs), name)


def _table(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Lay terms and meanings out in two columns; a long term has its meaning on the next line."""
    lines: list[str] = []
    for left, right in rows:
        meaning_lines = _wrap(right, WIDTH_COLUMNS - TERM_COLUMNS - 2)
        if len(left) > TERM_COLUMNS - 2:
            lines.append(f"  {left}")
            column = meaning_lines
        else:
            lines.append(f"  {left:<{TERM_COLUMNS}}{meaning_lines[0]}".rstrip())
            column = meaning_lines[1:]
        lines += [f"  {'':<{TERM_COLUMNS}}{line}" for line in column if line]
    return lines


def _reflow(text: str) -> str:
    """Fill paragraphs anew, since sources are wider than terminals; one with an indented line is left as it is."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(part if "\n " in part else "\n".join(_wrap(part, WIDTH_COLUMNS)) for part in paragraphs)


def _wrap(text: str, width: int) -> list[str]:
    """Break a sentence into lines; simple on purpose, since `textwrap` costs start-up time."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".lstrip()
    return lines
