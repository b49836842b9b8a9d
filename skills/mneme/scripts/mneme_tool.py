#!/usr/bin/env python3
# Built by tools/build_skill.py from the sources of mneme: edit those, then `make skill`.
# License: MIT. Needs Python 3.9 or later and nothing else. Sources: 4890e6396fafbe46
# ruff: noqa: B905, F821, I001, RUF100, UP036
# fmt: off
# mypy: ignore-errors
"""The command of the agent skill: `spine`, `lint` and `new-id` on cell files, with nothing to install.

`tools/build_skill.py` makes one file of this module and of what it uses from the sources of mneme, so that the tool
and the `mneme` command can only say the same. It reads files, writes none, and runs on Python 3.9 and later.
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 9):
    sys.exit("mneme_tool: needs Python 3.9 or later")

import gc
import math
import re
from bisect import bisect_left
from bisect import bisect_right
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import replace
from datetime import date
from functools import cache
from functools import lru_cache
from itertools import accumulate
from itertools import chain
from itertools import combinations
from operator import attrgetter
from operator import gt
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple
from unicodedata import east_asian_width


# --- mneme.errors ------------------------------------------------------------

EXIT_CLEAN = 0

EXIT_PROBLEMS = 1

EXIT_FAILED = 2

ERROR, WARN, INFO, IGNORE = "error", "warn", "info", "ignore"

SEVERITIES = (ERROR, WARN, INFO)


@dataclass(frozen=True, order=True)
class Problem:
    """One fault in one file, at one line; ordering is by place, as a reader meets them."""

    path: str
    line: int
    rule: str
    severity: str
    message: str
    hint: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form of a problem."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "path": self.path,
            "line": self.line,
            "message": self.message,
            "hint": self.hint,
        }

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        first = f"{place}: " * bool(place) + f"{self.severity} {self.rule}: {self.message}"
        return f"{first}\n  hint: {self.hint}" if self.hint else first


# --- mneme.check.rule ------------------------------------------------------------

MAX_SUBJECT = 60


@dataclass(frozen=True)
class Rule:
    """One fault: its name, how grave it is unless a setting says otherwise, what it is and why it matters.

    `message` and `hint` are templates over the values a check gives; `fixable` says that `--fix` mends what it can of
    it; `since` is the version of Mneme that first reported it.
    """

    name: str
    severity: str
    summary: str
    why: str
    message: str
    hint: str = ""
    fixable: bool = False
    since: str = "0.1"


def word_problem(rule: Rule, path: str, line: int, values: Mapping[str, object]) -> Problem:
    """Return a fault under a rule, worded as the rule says; in a hint, paths stand as a shell reads them."""
    shown = {name: short(str(value)) for name, value in values.items()}
    message = rule.message.format(**{**shown, "path": path})
    places = {"path": shell_word(path), "line": line}
    if "target" in values:
        places["target"] = shell_word(str(values["target"]))
    return Problem(path, line, rule.name, rule.severity, message, rule.hint.format(**{**shown, **places}))

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_#")


def shell_word(text: str) -> str:
    """Return a path as a shell reads it; one with line ends or control characters stays on one line."""
    if text and _PLAIN.issuperset(text):
        return text
    if text.isprintable():
        return "'" + text.replace("'", "'\"'\"'") + "'"
    escaped = "".join(f"\\x{byte:02x}" if byte < ord(" ") or byte > ord("~") else chr(byte) for byte in _bytes(text))
    return f"$'{escaped}'"


def _bytes(text: str) -> bytes:
    return text.replace("\\", "\\\\").replace("'", "\\'").encode("utf-8", "surrogateescape")


def short(text: str) -> str:
    """Return a subject that fits a message."""
    return text if len(text) <= MAX_SUBJECT else text[: MAX_SUBJECT - 1] + "\u2026"


def with_severities(problems: Iterable[Problem], severities: Mapping[str, str] | None) -> list[Problem]:
    """Return problems as the settings grade them; a rule set to ignore is left out."""
    if not severities:
        return list(problems)
    graded = (replace(each, severity=severities.get(each.rule, each.severity)) for each in problems)
    return [each for each in graded if each.severity != IGNORE]


def in_report_order(problems: Iterable[Problem]) -> list[Problem]:
    """Return all warnings, then all errors, then the rest, each in the order they were found."""
    rank = {WARN: 0, ERROR: 1, INFO: 2}
    return sorted(problems, key=lambda each: rank.get(each.severity, len(SEVERITIES)))


# --- mneme.check.cell_rules ------------------------------------------------------------

# Opens the place in whatever a person edits with; what to write there stands behind it, as the shell's comment.
EDIT = "${{EDITOR:-vi}} +{line} {path}"

_TABLE_cell_rules = (
    # --- cells: how a file is written ---
    Rule(
        "byte-order-mark",
        WARN,
        "A cell file begins with a byte order mark.",
        "Other tools take the mark for part of the first header and lose that cell; Mneme reads past it and keeps it.",
        "the file begins with a byte order mark",
        "sed -i '1s/^\\xEF\\xBB\\xBF//' {path}",
    ),
    Rule(
        "not-utf-8",
        ERROR,
        "A line holds bytes that are not UTF-8.",
        "Nobody can tell which letters were meant, and other readers refuse the whole file.",
        "the byte {value} is not UTF-8",
        "iconv -f latin1 -t utf-8 {path}",
    ),
    Rule(
        "conflict-marker",
        ERROR,
        "A version conflict was left in the file.",
        "Both sides of the conflict are read as memory, so the file contradicts itself.",
        "a version conflict was left here: '{value}'",
        f"{EDIT}  # keep what is true and delete the marker lines",
    ),
    Rule(
        "text-before-first-cell",
        WARN,
        "Text stands before the first header and belongs to no cell.",
        "It is ignored: whoever wrote it believes it is remembered.",
        "'{value}' stands before the first cell and is not read",
        f"{EDIT}  # begin it with '#' or put it under a header",
    ),
    Rule(
        "missing-id",
        ERROR,
        "A header names no cell.",
        "A cell without an id can be neither linked nor revised.",
        "the header has no id",
        "mneme new-id DEC {path}",
    ),
    Rule(
        "malformed-id",
        WARN,
        "An id is not capitals, a hyphen and at least four ASCII digits.",
        "Ids of another shape are not counted when the next one is given out, and other tools may not find them.",
        "'{value}' does not have the form of an id, as in 'DEC-0042'",
        "mneme new-id DEC {path}",
    ),
    Rule(
        "missing-header-space",
        ERROR,
        "The '@' of a header is not followed by a space.",
        "Other tools take id and topic together for the id.",
        "there is no space between '@' and '{value}'",
        "mneme lint --fix {path}",
        fixable=True,
    ),
    Rule(
        "indented-header",
        ERROR,
        "A header does not begin at the first column.",
        "It starts no cell: the memory under it is lost, or overwrites the cell above.",
        "the cell '{value}' is lost: its '@' is indented",
        "mneme lint --fix {path}",
        fixable=True,
    ),
    Rule(
        "missing-topic",
        WARN,
        "A cell has no topic.",
        "Recall matches the topic first, and contradictions are looked for within one topic.",
        "the cell '{id}' has no topic",
        f"{EDIT}  # write it after the id, as in '@ {{id}}  storage/cache'",
    ),
    Rule(
        "malformed-topic",
        WARN,
        "A topic has an empty part.",
        "It is not the same topic as the one without the stray '/', so what belongs together is kept apart.",
        "the topic '{value}' has an empty part",
        f"{EDIT}  # write it as in 'storage/cache'",
    ),
    Rule(
        "text-after-topic",
        WARN,
        "A header goes on after the topic.",
        "A topic is one word, so the rest of the line is not read.",
        "'{value}' after the topic is not read",
        f"{EDIT}  # join the words of a topic with '-' or '/'",
    ),
    Rule(
        "missing-field",
        ERROR,
        "A cell lacks its gist, state, since or seen.",
        "Without them nobody can tell what the cell claims, or whether it still holds.",
        "the cell '{id}' has no {value}",
        f"{EDIT}  # add a line '{{value}} ...' to it",
    ),
    Rule(
        "duplicate-field",
        ERROR,
        "A field stands twice in one cell.",
        "The last one wins in silence, and what the first one said is lost.",
        "the cell '{id}' has a second {value}",
        f"{EDIT}  # keep one, or move the other to a cell of its own",
    ),
    Rule(
        "text-in-status",
        ERROR,
        "A status line holds something besides state, conf, since and seen.",
        "What follows is not read as what it looks like.",
        "'{value}' is not part of a status line",
        f"{EDIT}  # put it on a line of its own",
    ),
    Rule(
        "unknown-state",
        ERROR,
        "A state is none of the five.",
        "A cell in an unknown state is on no spine.",
        "there is no state '{value}'",
        f"{EDIT}  # proposed, live, stale, superseded or retired",
    ),
    Rule(
        "unknown-conf",
        ERROR,
        "A confidence is none of the three.",
        "Trust can't be judged by a word nobody else uses.",
        "there is no confidence '{value}'",
        f"{EDIT}  # high, med or low",
    ),
    Rule(
        "invalid-date",
        ERROR,
        "A date is impossible or not written as YYYY-MM-DD.",
        "Dates are compared as text: one written otherwise sorts wrongly, an impossible one never decays.",
        "'{value}' is not a date of the form 2026-06-05",
        "mneme lint --fix {path}",
        fixable=True,
    ),
    Rule(
        "unknown-relation",
        WARN,
        "A link's relation is none of the six.",
        "Nothing follows a link whose meaning it does not know.",
        "there is no relation '{value}'",
        f"{EDIT}  # supersedes, superseded-by, relates, depends-on, blocks or refines",
    ),
    Rule(
        "incomplete-link",
        ERROR,
        "A link lacks its relation or its target.",
        "It links to nothing.",
        "the link '{value}' is not complete",
        f"{EDIT}  # write it as in 'link  depends-on DEC-0003'",
    ),
    Rule(
        "text-after-link",
        WARN,
        "A link goes on after its target.",
        "A link has one target; the rest of the line is not read.",
        "'{value}' after the link is not read",
        f"{EDIT}  # give each target a link of its own",
    ),
    Rule(
        "inline-comment",
        WARN,
        "A comment stands at the end of a line.",
        "There are no comments within a line: what follows the '#' is part of the field.",
        "'{value}' is part of the line, not a comment",
        f"{EDIT}  # move it to a line that begins with '#'",
    ),
    Rule(
        "colon-after-key",
        WARN,
        "A key is followed by a colon.",
        "Other tools do not read the line at all.",
        "the key '{value}' is followed by a colon",
        "mneme lint --fix {path}",
        fixable=True,
    ),
    Rule(
        "misspelt-key",
        WARN,
        "A key is written with capitals.",
        "Other tools do not read the line at all.",
        "the key '{value}' is written in lower case",
        "mneme lint --fix {path}",
        fixable=True,
    ),
    Rule(
        "missing-cue",
        INFO,
        "A cell has no cue.",
        "The cue says which future tasks should recall the cell; without it only the topic and the gist do.",
        "the cell '{id}' has no cue",
        f"{EDIT}  # add a line 'cue   the words it should be found by'",
    ),
    Rule(
        "empty-cue",
        WARN,
        "A cue says nothing.",
        "Somebody meant to say when the cell should be recalled, and did not.",
        "the cue of '{id}' is empty",
        f"{EDIT}  # write the words it should be found by",
    ),
    Rule(
        "missing-body",
        INFO,
        "A cell does not say why.",
        "A claim without its reason can't be judged again when things change.",
        "the cell '{id}' does not say why",
        f"{EDIT}  # add a line '> the reason'",
    ),
    # --- cells: what they say ---
    Rule(
        "overlong-gist",
        WARN,
        "A gist is too long for the spine.",
        "Every session pays for every gist; what does not fit one line belongs in the body.",
        "the gist of '{id}' is {value} characters wide; the spine has room for {limit}",
        "mneme supersede {id} 'the same in one line'",
    ),
    Rule(
        "compound-gist",
        INFO,
        "A gist makes two claims.",
        "Two claims in one cell can't be revised apart.",
        "the gist of '{id}' makes more than one claim",
        "mneme remember 'the second claim'",
    ),
    Rule(
        "overlong-body",
        WARN,
        "A body holds what should be a link.",
        "Memory holds the why; a long text belongs in a file of its own, and the cell links to it.",
        "the body of '{id}' has {value} characters; over {limit} it should be a link to a file",
        f"{EDIT}  # move it to a file and write '> see docs/the-file.md'",
    ),
    Rule(
        "link-in-body",
        INFO,
        "A body line is worded as a link.",
        "Only link lines are followed; in the body it is prose.",
        "'{value}' in the body of '{id}' is not followed as a link",
        f"{EDIT}  # write it as 'link  {{value}}'",
    ),
    Rule(
        "exposed-secret",
        ERROR,
        "A memory holds a password, a token or a private key.",
        "Memory is read into every session, shared, and kept in history: a secret in it is no longer one.",
        "{value} stands in the text",
        "mneme forget {id}",
    ),
    # --- cells: how they stand to each other and to the day ---
    Rule(
        "duplicate-id",
        ERROR,
        "Two cells have one id.",
        "A link to the id, or a revision of it, can't tell which cell is meant.",
        "id '{id}' is already used at {value}",
        "mneme new-id {prefix} {path}",
    ),
    Rule(
        "superseded-without-successor",
        WARN,
        "A superseded cell does not say what replaced it.",
        "Whoever finds the old claim can't find the new one.",
        "'{id}' is superseded but has no superseded-by link",
        f"{EDIT}  # add a line 'link  superseded-by ID' to it",
    ),
    Rule(
        "decayed",
        WARN,
        "A live cell was not seen to hold for a long time.",
        "What nobody checked for so long may no longer be true.",
        "'{id}' was last seen to hold {value}d ago",
        "mneme affirm {id}",
    ),
    Rule(
        "stale-for-ever",
        INFO,
        "A stale cell was never settled.",
        "Stale means 'look again'; a cell that stays so for ever is noise on the spine.",
        "'{id}' is stale and was last seen {value}d ago",
        "mneme affirm {id}, or mneme mark {id} retired",
    ),
    Rule(
        "future-date",
        WARN,
        "A date lies in the future.",
        "Nobody has seen it yet; such a cell would never decay.",
        "'{value}' of '{id}' lies in the future",
        "mneme affirm {id}",
    ),
    Rule(
        "seen-before-since",
        WARN,
        "A cell was last seen before it began to hold.",
        "One of the two dates is wrong, and views of the past depend on both.",
        "'{id}' was seen on {value}, before its since {other}",
        "mneme affirm {id}",
    ),
    Rule(
        "dangling-link",
        WARN,
        "A link leads to a cell that is nowhere.",
        "The reason or the successor it promises can't be read.",
        "the link '{value}' of '{id}' leads to no cell",
        "mneme list --prefix {prefix}",
    ),
    Rule(
        "self-link",
        ERROR,
        "A cell links to itself.",
        "Nothing can supersede, refine or depend on itself.",
        "'{id}' links to itself: '{value}'",
        f"{EDIT}  # delete the line or name the other cell",
    ),
    Rule(
        "missing-inverse-link",
        WARN,
        "A supersession is linked on one side only.",
        "From the other side the two cells look unrelated.",
        "'{id}' says {value}, but '{other}' has no link back",
        "mneme lint --fix {path}",
        fixable=True,
    ),
    Rule(
        "superseded-still-live",
        WARN,
        "A cell that was superseded is still in force.",
        "Both the old and the new claim are on the spine.",
        "'{other}' is superseded by '{id}' but its state is {value}",
        f"{EDIT}  # set 'state superseded' at {{place}}",
    ),
    Rule(
        "several-successors",
        WARN,
        "A cell is superseded by more than one other.",
        "There is no telling which of them now holds.",
        "'{id}' is superseded by {value}",
        "mneme show {id}",
    ),
    Rule(
        "link-cycle",
        ERROR,
        "Links of one relation lead in a circle.",
        "Each cell of the circle would have to come before the others.",
        "'{id}' leads back to itself by {relation}: {value}",
        "mneme show {id}",
    ),
    Rule(
        "depends-on-dead",
        WARN,
        "A live cell depends on one that no longer holds.",
        "Its ground is gone; it may be wrong too.",
        "'{id}' is live but depends on '{other}', which is {value}",
        "mneme show {other}\nmneme affirm {id}",
    ),
    Rule(
        "rests-on-suspect",
        WARN,
        "A cell rests, by way of others, on one that no longer holds.",
        "What its ground rests on is gone; it is doubtful until somebody has looked.",
        "'{id}' depends on '{other}', which is doubtful: {value}",
        "mneme show {other}\nmneme affirm {id}",
    ),
    Rule(
        "near-duplicate",
        WARN,
        "Two cells say the same.",
        "Revising one leaves the other saying the old thing.",
        "'{id}' says the same as '{other}'",
        "mneme supersede {id} 'the one text that holds'",
    ),
    Rule(
        "suspected-conflict",
        WARN,
        "Two live cells of one topic seem to contradict each other.",
        "Agents act on whichever they read first.",
        "'{id}' and '{other}' seem to contradict each other ({value}); '{winner}' would win by {reason}",
        "mneme supersede {loser} 'what holds'",
    ),
    Rule(
        "unfinished-comparison",
        INFO,
        "There are too many alike cells to compare them all.",
        "The search for twins and contradictions stopped early so that the rest of the check could be done.",
        "the search for twins stopped after {value} comparisons",
        "mneme list  # give alike cells topics of their own",
    ),
    # --- cells: how they changed ---
    Rule(
        "illegal-transition",
        ERROR,
        "A cell changed to a state it can't reach from the one it had.",
        "What was replaced or retired stays so; to believe it again is a new cell.",
        "'{id}' went from {other} to {value}",
        "mneme undo, or mneme remember 'what holds again'",
    ),
    Rule(
        "edited-content",
        ERROR,
        "The gist, body or cue of a cell was changed.",
        "Content is a fact about the past: others acted on it as it was.",
        "the {value} of '{id}' was changed in place",
        "mneme supersede {id} 'the new text'",
    ),
    Rule(
        "vanished-cell",
        ERROR,
        "A cell was deleted.",
        "Memory is retired, never deleted, and its id is never given to another.",
        "the cell '{id}' is gone",
        "mneme undo, or mneme mark {id} retired",
    ),
)

CELL_RULES: dict[str, Rule] = {rule.name: rule for rule in _TABLE_cell_rules}


def make_problem(rule: str, path: str, line: int, **values: object) -> Problem:
    """Return a fault of a cell file, worded as the table says."""
    return word_problem(CELL_RULES[rule], path, line, values)


# --- mneme.check.graph ------------------------------------------------------------


def find_cycles(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return one circle for each knot of nodes that reach each other; a node's edge to itself is none.

    A circle lists its nodes in the order of the edges and begins with the smallest name.
    """
    ahead: dict[str, list[str]] = {}
    for start, end in edges:
        if start != end:
            ahead.setdefault(start, []).append(end)
    knots = _knots(ahead) if ahead else []
    return sorted(_circle(knot, ahead) for knot in knots if len(knot) > 1)


def _knots(ahead: dict[str, list[str]]) -> list[list[str]]:
    """Return the strongly connected parts of a graph (Tarjan's algorithm, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    open_nodes: set[str] = set()
    knots: list[list[str]] = []
    for root in ahead:
        if root in order:
            continue
        path: list[tuple[str, Iterator[str]]] = []
        _enter(root, ahead, order, low, stack, open_nodes, path)
        while path:
            node, following = path[-1]
            step = next((each for each in following if each not in order or each in open_nodes), None)
            if step is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    knots.append(_taken(stack, open_nodes, node))
            elif step in order:
                low[node] = min(low[node], order[step])
            else:
                _enter(step, ahead, order, low, stack, open_nodes, path)
    return knots


def _enter(
    node: str,
    ahead: dict[str, list[str]],
    order: dict[str, int],
    low: dict[str, int],
    stack: list[str],
    open_nodes: set[str],
    path: list[tuple[str, Iterator[str]]],
) -> None:
    order[node] = low[node] = len(order)
    stack.append(node)
    open_nodes.add(node)
    path.append((node, iter(ahead.get(node, ()))))


def _taken(stack: list[str], open_nodes: set[str], node: str) -> list[str]:
    at = len(stack) - 1
    while stack[at] != node:
        at -= 1
    knot = stack[at:]
    del stack[at:]
    open_nodes.difference_update(knot)
    return knot


def _circle(knot: list[str], ahead: dict[str, list[str]]) -> list[str]:
    """Return the shortest way from the smallest node of a knot back to itself."""
    first, inside = min(knot), set(knot)
    came_from: dict[str, str] = {}
    edge = [first]
    while edge:
        following = []
        for node in edge:
            for step in ahead.get(node, ()):
                if step == first:
                    return _way_back(node, first, came_from)
                if step in inside and step not in came_from:
                    came_from[step] = node
                    following.append(step)
        edge = following
    return sorted(knot)


def _way_back(node: str, first: str, came_from: dict[str, str]) -> list[str]:
    way = [node]
    while way[-1] != first:
        way.append(came_from[way[-1]])
    return way[::-1]


# --- mneme.check.secret_shapes ------------------------------------------------------------

_W = "[A-Za-z0-9_-]"

_A = "[A-Za-z0-9]"


class Shape(NamedTuple):
    """A kind of token: what it is called, what each of them has in it, and what it looks like as a whole."""

    kind: str
    mark: str
    shape: str

SHAPES = (
    Shape("a private key", "-----BEGIN", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
    Shape("a private key", "PuTTY-User", r"PuTTY-User-Key-File-[23]"),
    Shape("an AWS access key", "AKIA|ASIA|ABIA|ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    Shape("a GitHub token", "gh[pousr]_|github_pat_", rf"(?:gh[pousr]_{_A}{{36,}}|github_pat_[A-Za-z0-9_]{{40,}})"),
    Shape(
        "a GitLab token",
        "gl(?:pat|dt|rt|ft|cbt|ptt|soat|imt|agent|oas)-|GR1348941",
        rf"(?:gl(?:pat|dt|rt|ft|cbt|ptt|soat|imt|agent|oas)-|GR1348941){_W}{{20,}}",
    ),
    Shape("a Slack token", "xox[abeoprs]-|xapp-", r"xox[abeoprs]-[A-Za-z0-9-]{16,}|xapp-[0-9]-[A-Za-z0-9-]{16,}"),
    Shape(
        "a Slack webhook",
        r"hooks\.slack",
        r"hooks\.slack\.com/services/T[A-Za-z0-9_]+/B[A-Za-z0-9_]+/[A-Za-z0-9_]{20,}",
    ),
    Shape("a Google API key", "AIza", rf"AIza{_W}{{35}}(?!{_W})"),
    Shape("a Google client secret", "GOCSPX-", rf"GOCSPX-{_W}{{28}}"),
    Shape("a Google token", r"ya29\.", rf"ya29\.{_W}{{30,}}"),
    Shape("an API key", "sk-", rf"sk-(?={_W}*[0-9])(?={_W}*[A-Z]){_W}{{24,}}"),
    Shape("a Stripe key", "k_(?:live|test)_|whsec_", rf"(?:[sr]k_live|[sr]k_test|whsec)_{_A}{{16,}}"),
    Shape("a JSON web token", "eyJ", rf"eyJ{_W}{{8,}}+\.eyJ{_W}{{8,}}+\.{_W}{{8,}}"),
    Shape("an npm token", "npm_", rf"npm_{_A}{{36}}"),
    Shape("a PyPI token", "pypi-AgE", rf"pypi-AgE{_W}{{40,}}"),
    Shape("a Docker token", "dckr_", rf"dckr_(?:pat|oat)_{_W}{{24,}}"),
    Shape("a Hugging Face token", "hf_", rf"hf_{_A}{{30,}}"),
    Shape("a Replicate token", "r8_", rf"r8_{_A}{{37}}"),
    Shape("a Groq key", "gsk_", rf"gsk_{_A}{{40,}}"),
    Shape("a Perplexity key", "pplx-", rf"pplx-{_A}{{40,}}"),
    Shape("an xAI key", "xai-", rf"xai-{_A}{{60,}}"),
    Shape("a SendGrid key", r"SG\.", rf"SG\.{_W}{{22}}\.{_W}{{43}}"),
    Shape("a Mailchimp key", r"-us\d", r"[0-9a-f]{32}-us[0-9]{1,2}(?![0-9])"),
    Shape("a Twilio key", "(?:AC|SK)[0-9a-f]{6}", r"(?:AC|SK)[0-9a-f]{32}(?![A-Za-z0-9])"),
    Shape("a Square token", "sq0", rf"sq0(?:csp|atp)-{_W}{{22,}}"),
    Shape("a Discord token", rf"[MNO]{_W}{{23,27}}\.{_W}{{6}}\.", rf"[MNO]{_W}{{23,27}}\.{_W}{{6}}\.{_W}{{27,}}"),
    Shape("a DigitalOcean token", "_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    Shape("a Telegram bot token", ":AA", rf"[0-9]{{8,10}}:AA{_W}{{33}}(?!{_W})"),
    Shape("a Matrix token", "syt_", r"syt_[A-Za-z0-9]+_[A-Za-z0-9]{20}_[A-Za-z0-9]{6}"),
    Shape("a Tailscale key", "tskey-", rf"tskey-[a-z]+-{_W}{{20,}}"),
    Shape("a Vault token", r"hv[sbr]\.", rf"hv[sbr]\.{_W}{{24,}}"),
    Shape("a Databricks token", "dapi", r"dapi[0-9a-f]{32}"),
    Shape("a Linear key", "lin_api_", rf"lin_api_{_A}{{40}}"),
    Shape("a Notion token", "ntn_", rf"ntn_{_A}{{40,}}"),
    Shape("a Grafana token", "glsa_", rf"glsa_{_A}{{32}}_[0-9a-f]{{8}}"),
    Shape("a Postman key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    Shape("a Supabase token", "sbp_", r"sbp_[0-9a-f]{40}"),
    Shape("an Airtable token", "pat[A-Za-z0-9]{14}", rf"pat{_A}{{14}}\.[0-9a-f]{{64}}"),
    Shape("a New Relic key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    Shape("an Azure storage key", "AccountKey=", r"AccountKey=[A-Za-z0-9+/]{86}=="),
    Shape("a Shopify token", "shp(?:at|ca|pa|ss)_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    Shape("an age secret key", "AGE-SECRET", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
)


@cache
def marks() -> re.Pattern[str]:
    """Return what finds the marks of all shapes, in one search."""
    return re.compile("|".join(dict.fromkeys(one.mark for one in SHAPES)))


@cache
def byte_marks() -> re.Pattern[bytes]:
    """Return the same for bytes."""
    return re.compile(marks().pattern.encode())


@cache
def _shapes() -> re.Pattern[str]:
    joined = "|".join(f"({one.shape})" for one in SHAPES)
    return re.compile(rf"(?<![A-Za-z0-9_-])(?:{joined})")


def find_shapes(line: str) -> Iterator[tuple[str, int, int]]:
    """Yield the tokens of a line that has a mark: of which kind, from which character up to which."""
    for found in _shapes().finditer(line):
        yield SHAPES[(found.lastindex or 1) - 1].kind, *found.span()
    # The library's patterns take time that grows with more than the length; a line so long was made by no person.
    for kind, library in no_library() if len(line) <= LONGEST_LINE else ():
        for pattern in library:
            for found in pattern.finditer(line):
                yield kind, *found.span()

LONGEST_LINE = 1000


# --- mneme.check.secret ------------------------------------------------------------

LONG_WORD = 20

NAME_REACH = 24

MIN_PASSWORD = 8

MIN_TOKEN = 16

MIN_ENTROPY_BITS = 3.3

_WORD_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

_RUN = b"x" * LONG_WORD

_TO_RUNS = bytes(120 if each in _WORD_BYTES else 32 for each in range(256))

_NAMES = ("passw", "pwd", "secret", "token", "key", "passphrase", "credential")

_CJK_NAMES = ("\u5bc6\u7801", "\u53e3\u4ee4", "\u5bc6\u94a5", "\u79c1\u94a5", "\u4ee4\u724c")

_NAME_BYTES = tuple(name.encode() for name in (*_NAMES, *_CJK_NAMES))

_SAID_BYTES = (b"assword", *(name.encode() for name in _CJK_NAMES[:2]))


class Secret(NamedTuple):
    """A secret in a text: what kind, on which line, and where."""

    kind: str
    line: int
    start: int
    end: int


def find_secrets(text: str, detector: Detector | None = None) -> list[Secret]:
    """Return the secrets of a text, in its order."""
    content = text.encode("utf-8", "surrogatepass").replace(b"\r", b"\n")
    found: list[Secret] = []
    number, counted, offset = 1, 0, 0
    for start, end in _suspect_lines(content, narrow=detector is None):
        line = content[start:end].decode("utf-8", "surrogatepass")
        number += content.count(b"\n", counted, start)
        if not text.isascii():
            offset += len(content[counted:start].decode("utf-8", "surrogatepass"))
        else:
            offset = start
        counted = start
        found += [Secret(kind, number, offset + a, offset + b) for kind, a, b in (detector or find_in_line)(line)]
    return found if "\r" not in text else [each._replace(line=_line_at(text, each.start)) for each in found]


def _line_at(text: str, at: int) -> int:
    before = text[:at]
    return 1 + before.count("\n") + before.count("\r") - before.count("\r\n")


def _suspect_lines(content: bytes, *, narrow: bool) -> list[tuple[int, int]]:
    """Return the spans of the lines that have something every secret has, each once, in order.

    With `narrow` a long word is only looked at where one of our own patterns could begin.
    """
    shaped = _lines_at(content, _long_words(content))
    if narrow and shaped:
        joined = b"\n".join([content[start:end] for start, end in shaped])
        if not byte_marks().search(joined):
            shaped = []
    if b"-----BEGIN" in content:
        shaped += _lines_at(content, _mentions(content, b"-----BEGIN"))
    if b":" in content and b"://" in content and (not narrow or b"@" in content):
        shaped += _lines_at(content, _mentions(content, b"://"))
    shaped += _lines_at(content, _named(content))
    return sorted(set(shaped)) if len(shaped) > 1 else shaped


def _lines_at(content: bytes, places: Iterable[int]) -> list[tuple[int, int]]:
    """Return the spans of the lines that some places lie in."""
    spans = []
    end = -1
    for at in places:
        if at >= end:
            start = content.rfind(b"\n", 0, at) + 1
            end = content.find(b"\n", at)
            end = end if end >= 0 else len(content)
            spans.append((start, end))
    return spans


def _mentions(content: bytes, needle: bytes) -> Iterator[int]:
    at = content.find(needle)
    while at >= 0:
        yield at
        line_end = content.find(b"\n", at)
        at = content.find(needle, line_end) if line_end >= 0 else -1


def _long_words(content: bytes) -> Iterator[int]:
    runs = content.translate(_TO_RUNS)
    at = runs.find(_RUN)
    while at >= 0:
        yield at
        line_end = content.find(b"\n", at)
        at = runs.find(_RUN, line_end) if line_end >= 0 else -1


def _named(content: bytes) -> Iterator[int]:
    """Yield where something is named like a secret and given a value: `token = ...`, `the password is ...`."""
    places = [at for name in (_SAID_BYTES[:1] if content.isascii() else _SAID_BYTES) for at in _mentions(content, name)]
    for sign in (b"=", b":") if content.isascii() else (b"=", b":", b"\xef\xbc\x9a"):
        pieces = content.split(sign) if sign in content else []
        ends = [piece[-NAME_REACH:] for piece in pieces[:-1]]
        joined = b"\n".join(ends).lower()
        if any([name in joined for name in _NAME_BYTES]):  # noqa: C419 - a list is quicker than what yields one by one
            starts = accumulate((len(piece) + len(sign) for piece in pieces), initial=0)
            next(starts)
            found = zip(starts, (end.lower() for end in ends))
            places += [at - len(sign) for at, end in found if any(name in end for name in _NAME_BYTES)]
    yield from sorted(places)


@cache
def _url_login() -> re.Pattern[str]:
    return re.compile(r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,15}://[^\s:/@]{1,80}:([^\s:/@]{3,80})@[^\s/@]")


@cache
def _assignment() -> re.Pattern[str]:
    names = r"passw(?:or)?d|pwd|passphrase|secret|token|credential|(?:api|access|auth|private|secret|signing)[ _-]?key"
    cjk = "|".join(_CJK_NAMES)
    return re.compile(
        rf"(?:(?<![a-z])(?P<name>{names})s?[\"'`]?(?:\s*[:=\uff1a]\s*|\s+is\s+)"
        rf"|(?P<cjk>{cjk})\s*(?:[:=\uff1a]|\u662f|\u4e3a)\s*)[\"'`]?(?P<value>[^\s\"'`,;\uff0c\u3002]{{{MIN_PASSWORD},200}})",
        re.IGNORECASE,
    )


def find_in_line(line: str) -> Iterator[tuple[str, int, int]]:
    """Yield the kinds of secret in one line and where each stands; this is the built-in detector."""
    taken: list[tuple[int, int]] = []
    if marks().search(line):
        for kind, start, end in find_shapes(line):
            if not _is_made_up(line[start:end]) and not any(a < end and start < b for a, b in taken):
                taken.append((start, end))
                yield kind, start, end
    if "://" in line and "@" in line:
        for found in _url_login().finditer(line):
            if not _is_placeholder(found[1]):
                taken.append(found.span(1))
                yield "a password in an address", *found.span(1)
    taken.sort()
    lower = line.lower()
    if not any([name in lower for name in (*_NAMES, *_CJK_NAMES)]):  # noqa: C419 - as above
        return
    for found in _assignment().finditer(line):
        start, end = found.span("value")
        name = (found["name"] or "password").lower()
        if not _overlaps(taken, start, end) and _is_strong(found["value"], name):
            yield f"a {name}", start, end


def _overlaps(spans: list[tuple[int, int]], start: int, end: int) -> bool:
    """Say whether one of some sorted spans shares a character with a stretch."""
    after = bisect_left(spans, (end, end))
    return after > 0 and spans[after - 1][1] > start


def _is_made_up(token: str) -> bool:
    return "EXAMPLE" in token.upper() or len(set(token)) <= 5  # noqa: PLR2004 - `ghp_xxxxxxxx`


def _is_placeholder(value: str) -> bool:
    if value[0] in "<${%*[(" or "..." in value or "\u2026" in value or len(set(value)) <= 2:  # noqa: PLR2004
        return True
    return bool(
        re.fullmatch(
            r"(?i)(?:your|my|the|some)?[-_]?(?:pass(?:word)?|pwd|secret|token|key|user|changeme|example)+", value
        )
    )


def _is_strong(value: str, name: str) -> bool:
    """Say whether a value given to something named like a secret is one, not a word about it."""
    value = value.rstrip(".)]}>!?")
    if len(value) < MIN_PASSWORD or _is_placeholder(value) or _is_made_up(value) or value[0] in "/~@#":
        return False
    letters, digits = re.search(r"[A-Za-z]", value), re.search(r"[0-9]", value)
    marks = re.search(r"[!@#$%^&*+~?]", value)
    if not letters or not (digits or marks) or "://" in value or "(" in value:
        return False
    if "pass" in name or name == "pwd":
        return bool(marks) or _turns(value) >= 2 or not re.search(r"[-_./:]", value)  # noqa: PLR2004
    return len(value) >= MIN_TOKEN and _turns(value) >= 3 and entropy_bits(value) >= MIN_ENTROPY_BITS  # noqa: PLR2004


def _turns(value: str) -> int:
    """Count how often letters turn to digits or back with nothing between: words and dates hardly do."""
    return len(re.findall(r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]", value))


def entropy_bits(value: str) -> float:
    """Return the Shannon entropy of a text's characters, in bits per character."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values()) if size else 0.0


# --- mneme.formats.record ------------------------------------------------------------

PRIVATE, SHARED = "private", "shared"

PROPOSED, LIVE, STALE, SUPERSEDED, RETIRED = "proposed", "live", "stale", "superseded", "retired"

STATES = (PROPOSED, LIVE, STALE, SUPERSEDED, RETIRED)

WORKING_STATES = (LIVE, STALE)

HIGH, MED, LOW = "high", "med", "low"

CONFS = (HIGH, MED, LOW)


@dataclass(frozen=True)
class Link:
    """A typed relation to another record; `line` is where it is written."""

    relation: str
    target: str
    line: int = 0


# --- mneme.check.suspect ------------------------------------------------------------

GONE = frozenset((SUPERSEDED, RETIRED))

DEPENDS_ON = "depends-on"


class Ground(NamedTuple):
    """What a record says that matters here: its state, its days, the ids that it rests on, and when it was affirmed."""

    state: str
    since: str
    seen: str
    rests: tuple[str, ...] = ()
    affirmed: str = ""


class Suspect(NamedTuple):
    """Why a record is one: the chain from what it rests on to what fell, and the day on which that fell."""

    chain: tuple[str, ...]
    fell: str


def find_suspects(grounds: Mapping[str, Ground], fell_on: Callable[[str], str]) -> dict[str, Suspect]:
    """Return the records in force that rest on something that fell; `fell_on` says when a fallen record did."""
    found: dict[str, Suspect] = {}
    resting: dict[str, list[str]] = {}
    for name, ground in grounds.items():
        for target in ground.rests:
            resting.setdefault(target, []).append(name)
    fallen = [target for target in resting if target in grounds and grounds[target].state in GONE]
    queue = [(target, Suspect((target,), fell_on(target)[:10])) for target in fallen]
    while queue:
        target, why = queue.pop(0)
        for name in resting.get(target, ()):
            if name in found or grounds[name].state not in WORKING_STATES or _was_affirmed(grounds[name], why.fell):
                continue
            found[name] = why
            queue.append((name, Suspect((name, *why.chain), why.fell)))
    return found


def _was_affirmed(ground: Ground, fell: str) -> bool:
    """Say whether a record was seen to hold after its ground fell: on a later day, or on that day and it says so."""
    return bool(fell) and (ground.seen[:10] > fell or ground.affirmed >= fell)


# --- mneme.check.lexicon ------------------------------------------------------------


def _words_lexicon(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _rows_lexicon(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(line.split()) for line in text.strip().splitlines())

STOP_WORDS = _words_lexicon(
    """
a an the is are was were be been being am do does did has have had will would shall should can could may might must
to of in on at by for from with as and or but so than that this these those it its we our us they their them he she
his her you your i my me there here which who whom what when where while then also just only very too into onto over
if because since about via per any all each every both own such same always need needs want please now currently
"""
)

DENIALS = _words_lexicon(
    """
not no never dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt cant cannot couldnt mustnt neednt hasnt
havent hadnt without none nothing nobody avoid avoids avoided avoiding forbid forbids forbidden prohibit prohibits
prohibited stop stops stopped refuse refuses disallow disallowed unsupported 不 没 禁止 无
"""
)

# `not` denies what is said where one of the first stands before it or one of the second comes after it; elsewhere, as in
# `SQLite not JSON`, it only says what something is not mistaken for.
DENIED_AFTER = _words_lexicon(
    """
is are was were be been being am do does did has have had will would shall should can could may might must and or but
if why whether better still often also just so yet then them it they we you i he she this that there which who
"""
)

DENIED_BEFORE = _words_lexicon(
    """
to be been only just yet even all any every enough until before after unless if when on in at for by from with than
without more less a an the use run own need go have do work exist apply help matter kept sent done made set put shown
known given taken left seen held
"""
)

NUMBER_WORDS = _words_lexicon(
    """
two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety hundred
thousand million once twice thrice half quarter
"""
)

RIVALS = _rows_lexicon(
    """
tab tabs space spaces
enable enables enabled enabling disable disables disabled disabling deactivated activated
true false
yes no-way
allow allows allowed permit permits permitted deny denies denied reject rejects rejected block blocks blocked
before after
first last
sync async synchronous asynchronous
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
january february march april june july august september october november december
morning afternoon evening noon midnight night mornings afternoons evenings
hourly daily weekly fortnightly biweekly monthly quarterly yearly annually nightly
light dark
left right
public private
required optional mandatory
manual manually automatic automatically
min minimum max maximum
accept accepts accepted decline declines declined
open opened closed
single double
merge merges merged squash squashed rebase rebased
json yaml toml xml csv ini protobuf parquet avro msgpack
sqlite postgres postgresql mysql mariadb mongodb redis memcached dynamodb cassandra duckdb oracle mssql clickhouse
rest grpc graphql soap
npm yarn pnpm bun
pip poetry uv conda pipenv pdm
black yapf autopep8
pytest unittest nose
jest vitest mocha
react vue svelte angular solid
flask django fastapi tornado bottle
aws gcp azure hetzner ovh digitalocean
kafka rabbitmq nats sqs pulsar kinesis
nginx apache caddy traefik haproxy
slack teams discord mattermost telegram
jira linear asana trello notion
github gitlab bitbucket gitea
ansible terraform puppet chef pulumi salt
docker podman containerd
utc gmt cet cest est pst
english chinese german french spanish japanese korean
vim emacs nano vscode neovim
bash zsh fish
mit apache2 gpl agpl bsd
coffee tea
red green blue yellow orange purple pink teal black white grey gray brown
vegetarian vegan omnivore
window aisle
phone email sms
cash card
celsius fahrenheit kelvin
metric imperial
increase increases increased decrease decreases decreased reduce reduces reduced
start starts started end ends ended
faster slower
higher lower
primary secondary
camelcase snakecase snake_case kebab pascalcase
开启 关闭 启用 停用 禁用 打开
允许 拒绝
之前 之后 以前 以后
周一 周二 周三 周四 周五 周六 周日 星期一 星期二 星期三 星期四 星期五
上午 下午 早上 晚上 中午 凌晨
每天 每周 每月 每年 每小时
同步 异步
公开 私有
手动 自动
浅色 深色
空格 制表符
中文 英文 日文
微信 钉钉 飞书 邮件 短信
咖啡 茶 绿茶 红茶
单引号 双引号
北京 上海 深圳 杭州 广州 成都
支付宝 银行卡 现金
最大 最小
"""
)

SCOPES = _rows_lexicon(
    """
staging production prod dev development test testing ci local qa preview sandbox
linux macos mac windows android ios
frontend backend server client mobile desktop web
weekday weekdays weekend weekends
internal external
read write reads writes reading writing
upload uploads download downloads
input output inputs outputs
request response requests responses
summer winter spring autumn
unit integration e2e smoke
north south east west
buyer seller
admin guest
inbound outbound
home office
breakfast lunch dinner
测试环境 生产环境 开发环境 预发环境
前端 后端 服务端 客户端
工作日 周末
读取 写入
上传 下载
安卓 苹果
内网 外网
夏天 冬天
早餐 午餐 晚餐
"""
)

# What only one does: two claims that differ in who does it contradict each other.
ROLE_VERBS = _words_lexicon("owns leads maintains manages runs chairs approves handles heads supervises coordinates")

# Nouns that a number or a letter follows as a name: `server 2` is another thing than `server 3`.
NUMBERED_THINGS = _words_lexicon(
    """
account appendix batch bay branch bug building bus camera case cell chapter class client cluster column customer
device disk dock env exercise field figure floor gate grade group host issue lab lane lesson level line model module
monitor node option partition phase plan platform port-group pr printer project question queue rack region release
replica rfc room row screen section sensor server shard sheet site slot sprint stage step store table team ticket
tier track unit user vm warehouse worker zone
"""
)

# Words whose stem would hide that they are one word: the first of a line stands for the others.
SYNONYMS = {
    word: row[0]
    for row in _rows_lexicon(
        """
use used uses using utilise utilize
databas db dbs
configur config configs configuration
repositori repo repos repository repositories
environment env
document docs doc documentation
authent auth authentication
kubernet k8s kubernetes
postgres postgresql
js javascript
ts typescript
stor stored
keep kept
run ran runs
live lives
prefer prefers likes like
millisecond ms
second sec secs
minute mins
hour hrs
go went
build built
send sent
writ written wrote
choos chosen chose
start begins
"""
    )
    for word in row[1:]
}

# The same for the values of rivals, after stemming.
SAME_VALUES = {
    word: row[0]
    for row in _rows_lexicon(
        """
allow permit permitt
reject den deni deny
enabl activat
disabl deactivat
requir mandatori
manual manually
automatic automatically
min minimum
max maximum
postgres postgresql
sync synchronou
async asynchronou
开启 打开 启用
关闭 停用 禁用
yearli annual annually yearly
fortnightly biweekly
decreas reduc
midday noon
snakecase snake_case
"""
    )
    for word in row[1:]
}


# --- mneme.check.claim ------------------------------------------------------------

# What takes the place of a word in the frame.
STOP, DENIAL, NUMBER = "", "!", "#"

DENIED = STOP, DENIAL

_CJK = "\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"

_CJK_STOP = "的了是在要会把被就都也很和与及并而必须需应该可以能请个我们其之为"

_CJK_DENIALS = (
    "不要|不能|不得|不可|不应|不再|不会|不需要|无需|禁止|严禁|没有|从不|不用|请勿|切勿|勿|没|不|别(?![的人名])"
)

_CJK_NOT_DENIAL = "不同|不仅|不但|不断|不过|不论|不管|无论|不一样|差不多|特别|区别|级别|分别|类别|别的|别名"

_CJK_DIGITS = "\u3007零一二两三四五六七八九十百千万"

_CJK_MEASURES = "天周个次秒分小月年点号台份条人块倍级层位轮条日时行页杯杯元"

# Punctuation becomes space, apostrophes vanish (`don't`, `user's`); what may stand inside a number or a name stays.
_TABLE_claim: dict[int, str | None] = {
    **dict.fromkeys(map(ord, '!"$&()*,-/;<=>?@[\\]^`{|}~'), " "),
    **dict.fromkeys(map(ord, "\u3001\u3002\uff0c\uff1b\uff1a\uff1f\uff01\u201c\u201d\u300c\u300d\u300a\u300b\u3010\u3011\uff08\uff09\u2014\u2013\u2026\u00b7\u3000\u2192"), " "),
    **dict.fromkeys(map(ord, "'\u2019\u2018"), None),
}  # fmt: skip

# `X, not Y` says X: what it contrasts with is no part of the claim. So does `X not Y` where `not` denies no verb: it
# follows a word that no denial follows, and comes before one word or two.
_CONTRASTS = (" not ", " rather than ", " instead of ", "而不是", "而非", "\uff0c不是")


class Claim(NamedTuple):
    """What a gist claims: see the module."""

    frame: frozenset[str]
    stance: frozenset[tuple[str, str]]
    names: frozenset[str]
    scope: frozenset[tuple[str, str]]
    words: tuple[str, ...]


def raw_words(gists: Sequence[str]) -> list[list[str]]:
    """Return the words of each gist, without the punctuation between them; no gist may hold a line feed.

    Chinese counts as characters and as pairs of them. `plain_word` brings a word into its plain form, `framed` does so by
    itself: that is done once for each word there is.
    """
    return list(map(str.split, plain_text(gists).split("\n")[:-1])) if gists else []


def plain_text(gists: Sequence[str]) -> str:
    """Return each gist as its words with blanks between them, and a line feed after it."""
    text = "\n".join(gists) + "\n"
    if any(mark in text for mark in _CONTRASTS):
        text = "\n".join(map(_without_contrast, gists)) + "\n"
    text = text.translate(_TABLE_claim)
    if text.isascii():
        return text
    lines = text.split("\n")[:-1]
    return "\n".join([line if line.isascii() else " ".join(_wide_words(line)) for line in lines]) + "\n"


def _without_contrast(gist: str) -> str:
    if not any(mark in gist for mark in _CONTRASTS):
        return gist
    return (
        _bare_contrast().sub(_kept_of_contrast, _contrast().sub("", gist))
        if " not " in gist
        else _contrast().sub("", gist)
    )


def _kept_of_contrast(found: re.Match[str]) -> str:
    """Return what remains of `X not Y`: X where Y is only what it contrasts with, else all of it."""
    before, after = found[1].lower(), found[2].lower()
    is_denial = (
        before in DENIED_AFTER or before.endswith("ly") or after in DENIED_BEFORE or after.endswith(("ed", "ing"))
    )
    return found[0] if is_denial else found[1]


@cache
def _contrast() -> re.Pattern[str]:
    return re.compile(
        r"(?:, not| rather than| instead of)\s[^,;.\n]*|(?:\uff0c?而(?:不是|非)|\uff0c不是)[^\uff0c\u3002\uff1b\n]*"
    )


@cache
def _bare_contrast() -> re.Pattern[str]:
    return re.compile(r"([\w+#.-]+) not ([\w+#-]+(?:\.\w+)*)(?: [\w+#-]+)?(?=[,;.]|$)", re.MULTILINE)


@cache
def _pieces() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]+|[^\s{_CJK}]+")


@cache
def _specials() -> re.Pattern[str]:
    """Match, within Chinese text, what is a word of its own: denials, rivals, scopes, counted numbers; and stop words."""
    known = sorted({word for row in (*RIVALS, *SCOPES) for word in row if not word.isascii()}, key=len, reverse=True)
    return re.compile(
        rf"(?P<plain>{_CJK_NOT_DENIAL})|(?P<denial>{_CJK_DENIALS})|(?P<known>{'|'.join(known)})"
        rf"|(?P<number>[{_CJK_DIGITS}]+(?=[{_CJK_MEASURES}]))|(?P<stop>[{_CJK_STOP}])"
    )


def _wide_words(line: str) -> list[str]:
    words: list[str] = []
    for piece in _pieces().findall(line):
        if piece.isascii() or not is_wide(piece[0]):
            words.append(piece)
        else:
            words += _chinese_words(piece)
    return words


def is_wide(char: str) -> bool:
    """Say whether a character is one of those that are read in pairs."""
    return re.match(f"[{_CJK}]", char) is not None


def _chinese_words(run: str) -> list[str]:
    words: list[str] = []
    plain: list[str] = []
    at = 0
    for found in _specials().finditer(run):
        plain.append(run[at : found.start()])
        at = found.end()
        if found.lastgroup == "plain":
            plain.append(found[0])
        elif found.lastgroup != "stop":
            words += _pairs_claim("".join(plain))
            plain = []
            words.append("不" if found.lastgroup == "denial" else found[0])
    return words + _pairs_claim("".join(plain) + run[at:])


def _pairs_claim(text: str) -> list[str]:
    """Return the characters of a text, and every two that stand together: told by both, order counts for half."""
    return [*(text[at : at + 2] for at in range(len(text) - 1)), *text]


@cache
def _rows_claim() -> dict[str, str]:
    return {word: f"={number}" for number, row in enumerate(RIVALS) for word in row}


@cache
def _scopes() -> dict[str, str]:
    return {word: row[0] for row in SCOPES for word in row}


def has_digit(word: str) -> bool:
    """Say whether a word holds an ASCII digit."""
    return not word.isalpha() and _digits().search(word) is not None


@cache
def _digits() -> re.Pattern[str]:
    return re.compile(r"[0-9]+(?:[.:,][0-9]+)*")


@lru_cache(maxsize=1 << 16)
def framed(word: str) -> tuple[str, str]:
    """Return what stands for a word in the frame, and what it adds to the stance; either may be empty."""
    word = plain_word(word)
    if word in STOP_WORDS:
        return STOP, ""
    if word in DENIALS:
        return DENIED
    if word in NUMBER_WORDS or word.isdigit() or (word and not word.strip(_CJK_DIGITS)):
        return NUMBER, word
    row = _rows_claim().get(word)
    if row is not None:
        value = stem(word)
        return row, SAME_VALUES.get(value, SAME_VALUES.get(word, value))
    if has_digit(word):
        return _digits().sub(NUMBER, word), word
    return stem(word) or STOP, ""


def plain_word(word: str) -> str:
    """Return a word in lower case, without the stop or colon that ends a sentence."""
    return word.lower().strip(".:")


def stem(word: str) -> str:
    """Return a word without its inflection, roughly; it need not be a word any more."""
    if word in SYNONYMS:
        return SYNONYMS[word]
    if not word.isascii() or len(word) <= 3:  # noqa: PLR2004
        return word
    for ending, least in (("ing", 6), ("ed", 5)):
        if word.endswith(ending) and len(word) >= least:
            root = word[: -len(ending)]
            doubled = len(root) > 2 and root[-1] == root[-2] and root[-1] not in "lsz"  # noqa: PLR2004
            return root[:-1] if doubled else root.removesuffix("e")
    if word.endswith("ies"):
        return word[:-3] + "i"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and word[-2] not in "aeiou" else word.removesuffix("e")


def claim_of(gist: str) -> Claim:
    """Return what a gist claims."""
    words = list(map(plain_word, raw_words([gist.replace("\n", " ")])[0]))
    pairs = list(map(framed, words))
    return Claim(
        frame=frozenset(place for place, _ in pairs if place),
        stance=frozenset(pair for pair in pairs if pair[1]),
        names=_names(gist),
        scope=frozenset(_scope(words)),
        words=tuple(words),
    )


def _names(gist: str) -> frozenset[str]:
    """Return the words of a gist that are written like names, as they stand in its frame."""
    wide = not gist.isascii() and any("\u3400" <= char <= "\u9fff" for char in gist)
    found = set()
    for number, word in enumerate(re.findall(r"[A-Za-z][\w+#]*(?:\.\w+)*", gist)):
        if wide or word[1:] != word[1:].lower() or (number and word[0].isupper()):
            found.add(framed(word.lower())[0])
    return frozenset(found)


@lru_cache(maxsize=1 << 14)
def may_name(gist: str) -> bool:
    """Say, at a glance, whether a gist may hold a name or a role: if not, a claim has none."""
    return not gist.isascii() or gist[1:] != gist[1:].lower() or any(verb in gist for verb in ROLE_VERBS)


def _scope(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what narrows a claim down: an environment, a year, a numbered thing that says something, not is said."""
    rows = _scopes()
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else ""
        if word in NUMBERED_THINGS and _is_number(following) and (at == 0 or at + 2 < len(words)):
            yield word, following
        elif following and (_years().fullmatch(word) or (following[0] == "号" and not word.strip(_CJK_DIGITS))):
            yield "year" if word.isascii() else "号", word
        elif word in rows:
            yield rows[word], stem(word)


def _is_number(word: str) -> bool:
    return bool(word) and (len(word) == 1 or has_digit(word) or word in NUMBER_WORDS)


@cache
def _years() -> re.Pattern[str]:
    return re.compile("(?:19|20)[0-9]{2}")


def likeness(one: frozenset[str], two: frozenset[str]) -> float:
    """Return the Jaccard likeness of two frames."""
    shared = len(one & two)
    return shared / (len(one) + len(two) - shared) if shared else 0.0

# Of so many words is what changes places; and what relates two things both ways.
LONGEST_THING = 3

MUTUAL = frozenset({"and", "or", "nor", "plus", "with", "versus", "vs", "between", "married", *"和与及或跟"})

SAME, OPPOSED, APART = "same", "opposed", "apart"


def compare_claims(one: Claim, two: Claim) -> tuple[str, str]:
    """Say whether two claims of like frames say the same, contradict each other (and in what), or are of other things."""
    if _scopes_differ(one, two) or _subjects_differ(one, two):
        return APART, ""
    left, right = one.frame - two.frame, two.frame - one.frame
    names = left & (one.names | _role(one)), right & (two.names | _role(two))
    reason = _rival_value(one, two) or (f"{min(names[0])} or {min(names[1])}" if all(names) else "")
    if not reason and (DENIED in one.stance) != (DENIED in two.stance):
        reason = "one denies it"
    if not reason and one.words != two.words and _turned_round(one.words, two.words):
        reason = "one turns it round"
    if not reason:
        return SAME, ""
    others = left - names[0], right - names[1]
    return (APART, "") if all(others) else (OPPOSED, reason)


def _turned_round(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    """Say whether two things have changed places about what relates them: `Ann reports to Bob`, `tabs over spaces`.

    What is only enumerated, or related both ways, may stand in any order. Of Chinese the characters count, not the pairs.
    """
    one, two = (tuple(word for word in words if len(word) == 1 or not is_wide(word[:1])) for words in (one, two))
    if one == two or Counter(one) != Counter(two):
        return False
    first = next(at for at, pair in enumerate(zip(one, two)) if pair[0] != pair[1])
    last = len(one) - next(at for at, pair in enumerate(zip(one[::-1], two[::-1])) if pair[0] != pair[1])
    mine, yours = one[first:last], two[first:last]
    for size in range(1, min(LONGEST_THING, (len(mine) - 1) // 2) + 1):
        between = mine[size:-size]
        if yours == (*mine[-size:], *between, *mine[:size]) and MUTUAL.isdisjoint(between):
            return True
    return False


def _scopes_differ(one: Claim, two: Claim) -> bool:
    for row in {row for row, _ in one.scope} & {row for row, _ in two.scope}:
        if {name for key, name in one.scope if key == row}.isdisjoint(name for key, name in two.scope if key == row):
            return True
    return False


def _role(claim: Claim) -> frozenset[str]:
    """Return who holds a role that only one can hold: `Maria owns ...`."""
    words = claim.words
    return frozenset({framed(words[0])[0]}) if len(words) > 1 and words[1] in ROLE_VERBS else frozenset()


def _subjects_differ(one: Claim, two: Claim) -> bool:
    """Say whether two claims are word for word the same but for who or what they begin with."""
    return (
        one.words[:1] != two.words[:1]
        and _is_subject_alone(one, one.frame - two.frame)
        and _is_subject_alone(two, two.frame - one.frame)
    )


def _is_subject_alone(claim: Claim, difference: frozenset[str]) -> bool:
    words = claim.words
    if len(words) < 2 or difference != {framed(words[0])[0]}:  # noqa: PLR2004 - a subject and its verb
        return False
    return words[1].isascii() and words[1].endswith("s") and words[1] not in ROLE_VERBS


def _rival_value(one: Claim, two: Claim) -> str:
    """Return the two values of one kind that can't both be true, as text, or an empty text."""
    left = {value: place for place, value in map(framed, one.words) if place and value}
    right = {value: place for place, value in map(framed, two.words) if place and value}
    for value, place in left.items():
        if value not in right:
            for other, elsewhere in right.items():
                if place == elsewhere and other not in left:
                    return f"{value} or {other}"
    return ""


# --- mneme.formats.cell ------------------------------------------------------------

CELL_SUFFIXES = (".mneme", ".mn")

BOM = "\ufeff"

INVERSE_RELATIONS = {"supersedes": "superseded-by", "superseded-by": "supersedes"}

RELATIONS = ("supersedes", "superseded-by", "relates", "depends-on", "blocks", "refines")

STATUS_KEYS = ("state", "conf", "since", "seen")

TEXT_KEYS = ("gist", "cue")

KEYS = (*TEXT_KEYS, *STATUS_KEYS, "link")

REQUIRED_FIELDS = ("gist", "state", "since", "seen")

ID_DIGITS = 4

ID_WIDTH, STATE_WIDTH = 14, 6


class Fault(NamedTuple):
    """A line the parser could not take as it stands: which rule, where, about what, and the edits that mend it."""

    rule: str
    line: int
    id: str
    value: str
    fixes: tuple[TextEdit, ...] = ()


@dataclass(frozen=True)
class Cell:
    """One claim: what it says, how it stands, where it lies, and where its status values can be edited.

    Lines are counted from 1 and offsets in characters of the file's text; `end` is where the next cell may begin,
    `tail` is the end of the last line that belongs to this one. A span is `(start, end)`, or None where the value is
    not written.
    """

    id: str
    topic: str = ""
    gist: str = ""
    state: str = ""
    conf: str = MED
    since: str = ""
    seen: str = ""
    cue: str = ""
    body: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    line: int = 0
    end_line: int = 0
    start: int = 0
    end: int = 0
    retired: str = ""
    affirmed: str = ""
    was: tuple[str, ...] = ()
    audience: str = ""
    """`shared` or `private` where the cell says so, else empty: then its file decides."""
    state_span: tuple[int, int] | None = None
    conf_span: tuple[int, int] | None = None
    since_span: tuple[int, int] | None = None
    seen_span: tuple[int, int] | None = None
    head: int = 0
    tail: int = 0
    newline: str = "\n"


class CellFile:
    """A parsed file: its text untouched, its cells, its faults; read on first use and never changed afterwards."""

    __slots__ = ("_columns", "_strict", "path", "text")

    def __init__(self, text: str, path: str = "") -> None:
        self.path = path
        self.text = text
        self._strict: tuple[tuple[Cell, ...], tuple[Fault, ...]] | None = None
        self._columns: Columns | None = None

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell in file order, read strictly."""
        return self._read()[0]

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What could not be read as it stands, in file order."""
        return self._read()[1]

    @property
    def preamble(self) -> str:
        """The text before the first cell."""
        return self.text[: first_header_at(self.text)]

    @property
    def columns(self) -> Columns:
        """The fields of all cells side by side, read in bulk; they say what `cells` and `faults` say."""
        if self._columns is None:
            self._columns = read_columns(self.text)
        return self._columns

    def _read(self) -> tuple[tuple[Cell, ...], tuple[Fault, ...]]:
        if self._strict is None:
            cells, faults = read_strictly(self.text)
            self._strict = tuple(cells), tuple(faults)
        return self._strict

    def __repr__(self) -> str:
        return f"CellFile({self.path!r}, {len(self.text)} characters)"


def parse_cells(text: str, path: str = "") -> CellFile:
    """Return the file that a text is; never fails, whatever the text."""
    return CellFile(text, path)


@cache
def _first_header() -> re.Pattern[str]:
    return re.compile(r"\A\ufeff?@|[\r\n]@")


@cache
def _breaks_cell() -> re.Pattern[str]:
    return re.compile(r"\r\n|\n|\r")


@cache
def _id_shape() -> re.Pattern[str]:
    return re.compile(rf"[A-Z][A-Z0-9]*-[0-9]{{{ID_DIGITS},}}")


@cache
def _lost_header() -> re.Pattern[str]:
    return re.compile(r"\s+@\s*\w+-\w")


@cache
def _words_cell() -> re.Pattern[str]:
    return re.compile(r"\S+")


@cache
def _note_line() -> re.Pattern[str]:
    return re.compile(r"#\s*(?:(retired|affirmed)\s+([0-9]{4}-[0-9]{2}-[0-9]{2})|(was)\s+(\S+)|(audience):\s*(\w+))\s*")


@cache
def _bent_key() -> re.Pattern[str]:
    """Match a key that is nearly right: followed by a colon, or begun or written with capitals."""
    return re.compile(rf"({_any_case(KEYS)})(?:\s*[:\uff1a]|(?=\s))")


@cache
def _bent_pair() -> re.Pattern[str]:
    return re.compile(rf"(?<!\S)({_any_case(STATUS_KEYS)})(?:\s*[:\uff1a]\s*|\s+)(\S+)")


def _any_case(keys: Sequence[str]) -> str:
    return "|".join(form for key in keys for form in (key, key.capitalize(), key.upper()))


@cache
def inline_comment() -> re.Pattern[str]:
    """Match a comment where there can be none: a `#` between blanks, after the start of a line."""
    return re.compile(r"\s#\s")


def is_id(text: str) -> bool:
    """Say whether a text is a well-formed id: capitals, a hyphen, four digits or more."""
    return _id_shape().fullmatch(text) is not None


@lru_cache(maxsize=4096)
def is_date(text: str) -> bool:
    """Say whether a text is a real day in the extended form, as in 2026-06-05."""
    return _date_or_none(text) is not None


def _date_or_none(text: str) -> date | None:
    if len(text) != len("2026-06-05") or text[4] != "-" or text[7] != "-" or not text.isascii():
        return None
    year, month, day = text[:4], text[5:7], text[8:]
    # `int` also takes signs, underscores and space around.
    if not (year + month + day).isdigit():
        return None
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _mended_date(text: str) -> str:
    """Return the extended form of a date that is only written otherwise, or an empty text."""
    shape = re.fullmatch(r"([0-9]{4})([-/.\u5e74]?)([0-9]{1,2})([-/.\u6708]?)([0-9]{1,2})\u65e5?", text)
    if shape and bool(shape[2]) == bool(shape[4]) and (shape[2] or len(text) == len("20260605")):
        mended = f"{shape[1]}-{shape[3]:0>2}-{shape[5]:0>2}"
        return mended if is_date(mended) else ""
    if re.fullmatch(r"[0-9]{4}-?W[0-9]{2}-?[1-7]", text):
        try:
            return date.fromisocalendar(int(text[:4]), int(text.replace("-", "")[5:7]), int(text[-1])).isoformat()
        except ValueError:
            return ""
    return ""


class _Lines(NamedTuple):
    """The lines of a stretch of text without their breaks, the offset of each one, and the number of the first."""

    texts: list[str]
    starts: list[int]
    first: int


def split_lines(text: str, start: int = 0, first: int = 1) -> _Lines:
    """Return the lines of a text (LF, CRLF and lone CR break one), its first at an offset and a number."""
    if "\r" not in text:
        lines = text.split("\n")
        return _Lines(lines, list(accumulate(map(len, lines[:-1]), _after_break, initial=start)), first)
    lines, starts, at = [], [], 0
    for found in _breaks_cell().finditer(text):
        lines.append(text[at : found.start()])
        starts.append(start + at)
        at = found.end()
    lines.append(text[at:])
    starts.append(start + at)
    return _Lines(lines, starts, first)


def _after_break(at: int, size: int) -> int:
    return at + size + 1


def first_header_at(text: str) -> int:
    """Return the offset of the first cell, or the length of a text that has none."""
    found = _first_header().search(text)
    return len(text) if found is None else found.end() - 1


def read_strictly(text: str) -> tuple[list[Cell], list[Fault]]:
    """Read a whole text strictly: the cells, and the faults in file order."""
    table = split_lines(text)
    lines = table.texts
    faults: list[Fault] = []
    if text.startswith(BOM):
        lines[0], table.starts[0] = lines[0][1:], 1
    heads = [at for at, line in enumerate(lines) if line[:1] == "@"]
    read_preamble(table, heads[0] if heads else len(lines), faults)
    cells = [_read_cell(text, table, *stretch, faults) for stretch in pairwise([*heads, len(lines)])]
    return cells, whole_faults(text, faults)


def whole_faults(text: str, faults: list[Fault]) -> list[Fault]:
    """Add the faults that are the file's, not a cell's, and put all in file order."""
    marked = [Fault("byte-order-mark", 1, "", "")] if text.startswith(BOM) else []
    return sorted([*marked, *faults, *_undecoded_lines(text)], key=attrgetter("line"))


def read_block(text: str, start: int, line: int, size: int) -> tuple[Cell, list[Fault]]:
    """Read strictly the one cell that starts at an offset and a line and whose stretch has a size."""
    faults: list[Fault] = []
    table = split_lines(text[start : start + size], start, line)
    return _read_cell(text, table, 0, len(table.texts), faults), faults


def _undecoded_lines(text: str) -> list[Fault]:
    """Report the lines that hold bytes which are not UTF-8 (kept as lone surrogates)."""
    if _encodable(text):
        return []
    return [
        Fault("not-utf-8", number, "", _first_lone(line))
        for number, line in enumerate(split_lines(text).texts, 1)
        if not _encodable(line)
    ]


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _first_lone(line: str) -> str:
    lone = next(ord(char) for char in line if "\ud800" <= char <= "\udfff")
    return f"0x{lone & 0xFF:02x}" if 0xDC80 <= lone <= 0xDCFF else f"U+{lone:04X}"  # noqa: PLR2004 - surrogateescape


def read_preamble(table: _Lines, stop: int, faults: list[Fault]) -> None:
    """Report what stands before the first cell: text that is not a comment, and a header that is not at column 0."""
    told = False
    for at, line in enumerate(table.texts[:stop]):
        if _is_marker(line):
            faults.append(Fault("conflict-marker", at + 1, "", line[:7]))
        elif _is_lost_header(line):
            faults.append(_lost(table, at, ""))
            return
        elif not told and line[:1] != "#" and line.strip():
            told = True
            faults.append(Fault("text-before-first-cell", at + 1, "", line.strip()))


def _is_marker(line: str) -> bool:
    return line[:7] in {"<<<<<<<", ">>>>>>>"} and line[7:8] in {"", " "}


def _is_lost_header(line: str) -> bool:
    return "@" in line and _lost_header().match(line) is not None


def _lost(table: _Lines, at: int, above: str) -> Fault:
    line, start = table.texts[at], table.starts[at]
    indent = len(line) - len(line.lstrip())
    value = line.strip()[1:].split(None, 1)[0]
    return Fault("indented-header", table.first + at, above, value, ((start, start + indent, ""),))


class _Draft:
    """One cell while it is being read: values by field, where they stand, and what was wrong."""

    __slots__ = ("bent", "body", "faults", "head", "id", "last", "links", "notes", "spans", "topic", "values")

    def __init__(self, faults: list[Fault]) -> None:
        self.id = self.topic = ""
        self.values: dict[str, str] = {}
        self.spans: dict[str, tuple[int, int]] = {}
        self.bent: list[_Bent] = []
        self.body: list[str] = []
        self.links: list[Link] = []
        self.notes: list[tuple[str, str]] = []
        self.faults = faults
        self.head = self.last = 0

    def fault(self, rule: str, line: int, value: str = "", *fixes: TextEdit) -> None:
        self.faults.append(Fault(rule, line, self.id, value, fixes))

    def put(self, key: str, value: str, line: int) -> None:
        if key in self.values:
            self.fault("duplicate-field", line, key)
        self.values[key] = value


def _read_cell(text: str, table: _Lines, first: int, last: int, faults: list[Fault]) -> Cell:
    """Read the cell whose header is at index `first` and that ends before index `last`."""
    lines, starts, number = table
    draft = _Draft(faults)
    _read_header(draft, lines[first], starts[first], number + first)
    draft.head = draft.last = first
    end = starts[last] if last < len(starts) else starts[-1] + len(lines[-1])
    for at in range(first + 1, last):
        line = lines[at]
        if not line or line.isspace():
            continue
        kind = _read_line(draft, line, starts[at], number + at)
        if kind == "lost":
            faults.append(_lost(table, at, draft.id))
            end = starts[at]
            break
        if kind:
            draft.last = at
            draft.head = at if kind == "gist" else draft.head
    _settle(draft, number + first)
    return _finished(draft, text, table, first, end)


def _audience(notes: Sequence[tuple[str, str]]) -> str:
    said = [value for name, value in notes if name == "audience"]
    return "" if not said else SHARED if SHARED in said else PRIVATE


def _finished(draft: _Draft, text: str, table: _Lines, first: int, end: int) -> Cell:
    lines, starts, number = table
    values, spans, notes = draft.values, draft.spans, draft.notes
    return Cell(
        id=draft.id,
        topic=draft.topic,
        gist=values.get("gist", ""),
        state=values.get("state", ""),
        conf=values.get("conf", MED),
        since=values.get("since", ""),
        seen=values.get("seen", ""),
        cue=values.get("cue", ""),
        body=tuple(draft.body),
        links=tuple(draft.links),
        line=number + first,
        end_line=number + draft.last,
        start=starts[first],
        end=end,
        retired=next((value for name, value in notes if name == "retired"), ""),
        affirmed=max((value for name, value in notes if name == "affirmed"), default=""),
        was=tuple(value for name, value in notes if name == "was"),
        audience=_audience(notes),
        state_span=spans.get("state"),
        conf_span=spans.get("conf"),
        since_span=spans.get("since"),
        seen_span=spans.get("seen"),
        head=starts[draft.head] + len(lines[draft.head]),
        tail=starts[draft.last] + len(lines[draft.last]),
        newline=_newline_at(text, starts[first] + len(lines[first])),
    )


def _newline_at(text: str, at: int) -> str:
    """Return the line break that stands at an offset, else the one the text ends its last whole line with."""
    here = text[at : at + 2]
    if here:
        return here if here == "\r\n" else here[0]
    return newline_of(text)


def newline_of(tail: str) -> str:
    """Return the last line break of a text, or a line feed if it has none."""
    line_feed, carriage = tail.rfind("\n"), tail.rfind("\r")
    if carriage > line_feed:
        return "\r"
    return "\r\n" if line_feed > 0 and carriage == line_feed - 1 else "\n"


def _read_header(draft: _Draft, line: str, start: int, number: int) -> None:
    words = line[1:].split(None, 2)
    if not words or words[0][0] == "#":
        draft.fault("missing-id", number)
        return
    draft.id = words[0]
    if not line[1].isspace():
        draft.fault("missing-header-space", number, words[0], (start + 1, start + 1, " "))
    if not is_id(words[0]):
        draft.fault("malformed-id", number, words[0])
    if len(words) == 1 or words[1][0] == "#":
        draft.fault("missing-topic", number)
    else:
        draft.topic = words[1]
        if not all(words[1].split("/")):
            draft.fault("malformed-topic", number, words[1])
    extra = " ".join(words[1:]) if len(words) > 1 and words[1][0] == "#" else "".join(words[2:])
    if extra:
        draft.fault("inline-comment" if extra[0] == "#" else "text-after-topic", number, extra.rstrip())


def _read_line(draft: _Draft, line: str, start: int, number: int) -> str:
    """Take one line into the draft; return what it was, or an empty text for a line that belongs to nobody."""
    if line[0] == "#":
        return _read_note(draft, line)
    if _is_marker(line):
        draft.fault("conflict-marker", number, line[:7])
        return ""
    words = line.split(None, 1)
    key = words[0]
    if key[0] == ">":
        draft.body.append(_body_text(line))
        return "body"
    reader = _READERS.get(key)
    if reader is not None:
        return reader(draft, line, start, number)
    if key[0] == "@" and _is_lost_header(line):
        return "lost"
    return _read_bent(draft, line, start, number)


def _body_text(line: str) -> str:
    text = line[line.index(">") + 1 :]
    return text[1:] if text[:1] == " " else text


def _read_note(draft: _Draft, line: str) -> str:
    found = _note_line().fullmatch(line)
    if found is None:
        return ""
    name = found[1] or found[3] or found[5]
    draft.notes.append((name, found[2] or found[4] or found[6]))
    return "note"


def _read_text_field(draft: _Draft, line: str, _start: int, number: int) -> str:
    key, *rest = line.split(None, 1)
    value = rest[0].rstrip() if rest else ""
    if value:
        draft.put(key, value, number)
        if "#" in value and (comment := inline_comment().search(value)):
            draft.fault("inline-comment", number, value[comment.start() + 1 :])
    elif key == "cue":
        draft.fault("empty-cue", number)
        draft.values.setdefault("cue", "")
    return key


def _read_status(draft: _Draft, line: str, start: int, number: int) -> str:
    words = list(_words_cell().finditer(line))
    at = 0
    while at < len(words):
        key = words[at][0]
        if key not in STATUS_KEYS:
            rest = line[words[at].start() :].rstrip()
            draft.fault("inline-comment" if key[0] == "#" else "text-in-status", number, rest)
            break
        if at + 1 < len(words):
            _read_pair(draft, key, words[at + 1], start, number)
        at += 2
    return "status"


def _read_pair(draft: _Draft, key: str, word: re.Match[str], start: int, number: int) -> None:
    span = (start + word.start(), start + word.end())
    draft.put(key, word[0], number)
    draft.spans[key] = span
    _check_value(draft, key, word[0], span, number)


def _check_value(draft: _Draft, key: str, value: str, span: tuple[int, int], number: int) -> None:
    if key == "state":
        if value not in STATES:
            draft.fault("unknown-state", number, value)
    elif key == "conf":
        if value not in CONFS:
            draft.fault("unknown-conf", number, value)
    elif not is_date(value):
        mended = _mended_date(value)
        draft.fault("invalid-date", number, f"{key} {value}", *([(*span, mended)] if mended else ()))


def _read_link(draft: _Draft, line: str, _start: int, number: int) -> str:
    words = line.split(None, 3)
    if len(words) < 3 or words[2][0] == "#":  # noqa: PLR2004 - link, relation, id
        draft.fault("incomplete-link", number, line.strip())
        return "link"
    draft.links.append(Link(words[1], words[2], number))
    if words[1] not in RELATIONS:
        draft.fault("unknown-relation", number, words[1])
    if len(words) > 3:  # noqa: PLR2004
        extra = words[3].rstrip()
        draft.fault("inline-comment" if extra[0] == "#" else "text-after-link", number, extra)
    return "link"

_READERS = {
    **dict.fromkeys(TEXT_KEYS, _read_text_field),
    **dict.fromkeys(STATUS_KEYS, _read_status),
    "link": _read_link,
}


def _read_bent(draft: _Draft, line: str, start: int, number: int) -> str:
    """Take a line whose key is nearly right (`Gist:`): kept aside until it is known whether the right key is there."""
    indent = len(line) - len(line.lstrip())
    found = _bent_key().match(line, indent)
    if found is None:
        return ""
    rule = "misspelt-key" if found.end() == found.end(1) else "colon-after-key"
    key = found[1].lower()
    if key in STATUS_KEYS:
        for pair in _bent_pair().finditer(line, indent):
            where = (start + pair.start(), start + pair.end())
            draft.bent.append(_Bent(rule, number, pair[1].lower(), pair[2], where, start + pair.start(2)))
    else:
        where = (start + indent, start + len(line))
        draft.bent.append(_Bent(rule, number, key, line[found.end() :].strip(), where, 0))
    return "bent"


class _Bent(NamedTuple):
    """A field whose key is nearly right."""

    rule: str
    line: int
    key: str
    value: str
    span: tuple[int, int]
    value_start: int

    def is_sound(self) -> bool:
        """Say whether the value is what the right key would accept."""
        if self.key == "state":
            return self.value in STATES
        if self.key == "conf":
            return self.value in CONFS
        if self.key in {"since", "seen"}:
            return is_date(self.value)
        if self.key == "link":
            words = self.value.split()
            return len(words) == 2 and words[0] in RELATIONS and is_id(words[1])  # noqa: PLR2004
        return bool(self.value)


def _settle(draft: _Draft, number: int) -> None:
    """Report what the whole cell lacks, and take nearly right lines for fields that nothing else gives."""
    if draft.id or draft.values:
        for key in REQUIRED_FIELDS:
            if key not in draft.values:
                draft.fault("missing-field", number, key)
    for bent in draft.bent:
        taken = bent.key not in draft.values and bent.is_sound()
        draft.fault(bent.rule, bent.line, bent.key, *([(*bent.span, f"{bent.key} {bent.value}")] if taken else ()))
        if taken and bent.key == "link":
            relation, target = bent.value.split()
            draft.links.append(Link(relation, target, bent.line))
        elif taken:
            draft.values[bent.key] = bent.value
            if bent.key in STATUS_KEYS:
                draft.spans[bent.key] = (bent.value_start, bent.value_start + len(bent.value))
    if draft.id and "cue" not in draft.values:
        draft.fault("missing-cue", number)
    if draft.id and not draft.body:
        draft.fault("missing-body", number)


# --- mneme.formats.columns ------------------------------------------------------------

# Lines are counted page by page, so that to tell the line of a cell is to count those of one page.
PAGE = 4096

FIELD_NAMES = ("id", "topic", "gist", "state", "conf", "since", "seen", "cue")


class Columns:
    """All cells of a file as parallel sequences, for work that looks at every cell and builds none.

    Links are `(cell index, relation, target, how many links the cell has before it)`. `strict` holds the cells that are
    not canonical, by index: every canonical one has its fields in order, a well-formed id and topic, known words
    and real dates in its status, no inline or special comment and no body line that reads like a link. `bodies` are the
    body lines of the canonical ones as they stand.
    """

    __slots__ = (
        "_breaks",
        "_cells",
        "_faults",
        "_odd_faults",
        "_starts",
        "bodies",
        "confs",
        "cues",
        "gists",
        "ids",
        "links",
        "seens",
        "sinces",
        "states",
        "strict",
        "text",
        "topics",
    )

    def __init__(self, text: str, fields: Sequence[Sequence[str]], bodies: Sequence[str]) -> None:
        self.text = text
        self.set_fields(fields)
        self.bodies = bodies
        self.links: list[tuple[int, str, str, int]] = []
        self.strict: dict[int, Cell] = {}
        self._faults: list[Fault] | None = None
        self._odd_faults: list[Fault] = []
        self._starts: list[int] = []
        self._breaks: list[int] = []
        self._cells: dict[int, Cell] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def fields(self) -> tuple[Sequence[str], ...]:
        """Return the columns in the order of `FIELD_NAMES`."""
        return (self.ids, self.topics, self.gists, self.states, self.confs, self.sinces, self.seens, self.cues)

    def set_fields(self, fields: Sequence[Sequence[str]]) -> None:
        """Set the columns, given in the order of `FIELD_NAMES`."""
        self.ids, self.topics, self.gists, self.states, self.confs, self.sinces, self.seens, self.cues = fields

    @property
    def faults(self) -> list[Fault]:
        """What could not be read as it stands, in file order; looked for only when it is asked for."""
        if self._faults is None:
            first = first_header_at(self.text)
            start = len(BOM) if self.text.startswith(BOM) else 0
            faults = [*self._odd_faults, *_bare_faults(self)]
            read_preamble(split_lines(self.text[start:first], start), first, faults)
            self._faults = whole_faults(self.text, faults)
        return self._faults

    def add_faults(self, faults: list[Fault]) -> None:
        """Keep what was found wrong with a cell that is not canonical."""
        self._odd_faults += faults

    def settle_faults(self, faults: list[Fault]) -> None:
        """Say that these are all the faults there are."""
        self._faults = faults

    def place(self, at: int) -> tuple[int, int, int]:
        """Return the offset and the line at which a cell starts, and how far it is to the next one."""
        if not self._starts:
            self._starts, self._breaks = _starts(self.text), _breaks_columns(self.text)
        start = self._starts[at]
        page = start // PAGE
        line = 1 + self._breaks[page] + self.text.count("\n", page * PAGE, start)
        return start, line, self._starts[at + 1] - start

    def line(self, at: int) -> int:
        """Return the line of a cell's header."""
        cell = self.strict.get(at)
        return cell.line if cell is not None else self.place(at)[1]

    def cell(self, at: int) -> Cell:
        """Return a whole cell, read strictly from its own stretch of the text."""
        cell = self.strict.get(at) or self._cells.get(at)
        if cell is None:
            cell = self._cells[at] = read_block(self.text, *self.place(at))[0]
        return cell

    def link_line(self, at: int, number: int) -> int:
        """Return the line of one of a cell's links."""
        return self.cell(at).links[number].line


def _starts(text: str) -> list[int]:
    """Return the offset of every block of a text without carriage returns, and its end."""
    sizes = [len(block) + 2 for block in text[first_header_at(text) :].split("\n@")]
    sizes[0] -= 1
    sizes[-1] -= 1
    return list(accumulate(sizes, initial=first_header_at(text)))


def _breaks_columns(text: str) -> list[int]:
    """Return how many line feeds there are before each page of a text."""
    return list(accumulate((text.count("\n", at, at + PAGE) for at in range(0, len(text), PAGE)), initial=0))


def _bare_faults(columns: Columns) -> Iterator[Fault]:
    """Yield what the canonical rows lack: a cue, a body."""
    for rule, column in (("missing-cue", columns.cues), ("missing-body", columns.bodies)):
        if "" in column:
            for at, value in enumerate(column):
                if not value and at not in columns.strict:
                    yield Fault(rule, columns.line(at), columns.ids[at], "")


@contextmanager
def collector_off() -> Iterator[None]:
    """Hold the cyclic collector back: bulk work makes many objects and no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _strict_columns(text: str) -> Columns:
    """Read a text strictly and lay its cells side by side."""
    cells, faults = read_strictly(text)
    columns = Columns(text, [list(map(attrgetter(name), cells)) for name in FIELD_NAMES], [""] * len(cells))
    columns.strict = dict(enumerate(cells))
    columns.links = [link for at, cell in enumerate(cells) for link in _link_rows(at, cell)]
    columns.settle_faults(faults)
    return columns


def _link_rows(at: int, cell: Cell) -> Iterator[tuple[int, str, str, int]]:
    return ((at, link.relation, link.target, number) for number, link in enumerate(cell.links))


# --- mneme.check.twin ------------------------------------------------------------

DUPLICATE, CONFLICT = "duplicate", "conflict"

# Likeness in fifths, so that bounds are whole numbers.
ALIKE_FIFTHS, ALIKE_ON_TOPIC_FIFTHS = 4, 3

ALIKE, ALIKE_ON_TOPIC = ALIKE_FIFTHS / 5, ALIKE_ON_TOPIC_FIFTHS / 5

# More than so many cells that differ in nothing but a value are a series (rooms, servers, years), not a quarrel.
SERIES = 4

BUDGET = 2_000_000

SIGNATURE = 2

FEW = 16

# Rows of 13 words or less that are alike to four fifths differ in two words at most; a longer pair has one of 14 and
# none of less than 12.
LONG_PAIR, LONG_PARTNER = 13, 12

# Of two alike rows, only those of eight words or more can differ in two.
TWO_APART = 8

# Four fields of a sum, each wide enough for 16 numbers of 18 bits.
CODE_BITS, FIELD_BITS = 18, 22

_FIELDS = [((1 << FIELD_BITS) - 1) << (field * FIELD_BITS) for field in range(4)]

_TWO_FIELDS = tuple(map(sum, combinations(_FIELDS, 2)))

_IN_ALL_FIELDS = sum(1 << (field * FIELD_BITS) for field in range(4))

NO_WORD = 0

_NO_WORDS = frozenset((NO_WORD,))

ACTIVE_STATES = frozenset((LIVE, STALE, PROPOSED))


class Twins(NamedTuple):
    """Pairs of cells by index, each `(earlier, later, kind, in what)`; and after how many comparisons it gave up."""

    pairs: list[tuple[int, int, str, str]]
    unfinished: int = 0


def find_twins(gists: Sequence[str], topics: Sequence[str], states: Sequence[str], budget: int = BUDGET) -> Twins:
    """Return the pairs among all cells that say the same or seem to contradict each other, in order."""
    with collector_off():
        active = [
            at for at, (gist, state) in enumerate(zip(gists, states)) if gist and state in ACTIVE_STATES
        ]
        search = _Search(in_any_company(active, gists, topics), gists, topics, states, budget)
        search.everywhere()
        search.by_topic()
    return Twins(search.pairs(), budget if search.left <= 0 else 0)


class _Search:
    """One search: the words of all cells in force as sets of numbers, and what was found so far.

    Within a search a cell goes by its place among the cells in force.
    """

    __slots__ = (
        "_claims",
        "active",
        "codes",
        "echoes",
        "found",
        "frames",
        "gists",
        "left",
        "rows",
        "states",
        "topics",
    )

    def __init__(
        self, active: list[int], gists: Sequence[str], topics: Sequence[str], states: Sequence[str], budget: int
    ) -> None:
        self.active = active
        self.gists, self.topics, self.states = ([each[at] for at in self.active] for each in (gists, topics, states))
        self.codes = _Codes()
        code = self.codes.__getitem__
        self.rows = [frozenset(map(code, words)) - _NO_WORDS for words in raw_words(self.gists)]
        kinds = self.codes.kinds
        self.frames = [frozenset(map(kinds.get, row, row)) - _NO_WORDS for row in self.rows] if kinds else self.rows
        self.left = budget
        self.echoes: set[int] = set()
        self.found: dict[Pair, tuple[str, str]] = {}
        self._claims: dict[int, Claim] = {}

    def pairs(self) -> list[tuple[int, int, str, str]]:
        """Return what was found, by the numbers that the cells came with."""
        return sorted((self.active[one], self.active[two], *what) for (one, two), what in self.found.items())

    def everywhere(self) -> None:
        """Find what says the same anywhere: first word for word, then nearly."""
        groups = _groups(self.rows)
        first_of: dict[frozenset[int], int] = {}
        for at in sorted(set(chain.from_iterable(groups))):
            row = self.rows[at]
            first = first_of.setdefault(row, at) if row else at
            if first != at:
                self.echoes.add(at)
                self._judge(first, at, ALIKE_FIFTHS)
        if max(map(len, self.rows), default=0) > LONG_PAIR:
            groups.append([at for at, row in enumerate(self.rows) if len(row) >= LONG_PARTNER])
        for group in groups:
            self._among([at for at in group if at not in self.echoes], self.rows, ALIKE_FIFTHS)

    def by_topic(self) -> None:
        """Find, topic by topic, what says nearly the same and what contradicts."""
        topics: dict[str, list[int]] = {}
        for at, name in enumerate(self.topics):
            if name in topics:
                topics[name].append(at)
            else:
                topics[name] = [at]
        topics.pop("", None)
        for members in topics.values():
            if len(members) > 1:
                self._among(self._sociable(self._singles(members)), self.frames, ALIKE_ON_TOPIC_FIFTHS)

    def _singles(self, members: list[int]) -> list[int]:
        """Return the members of a topic that are neither echoes of another cell nor parts of a series."""
        if self.echoes:
            members = [at for at in members if at not in self.echoes]
        if self.frames is self.rows or len(members) <= SERIES:
            return members
        rows, frames = self.rows, self.frames
        valued = [at for at in members if frames[at] != rows[at]]
        sizes = Counter(frames[at] for at in valued) if len(valued) > SERIES else Counter()
        if not sizes or max(sizes.values()) <= SERIES:
            return members
        parts = {at for at in valued if sizes[frames[at]] > SERIES}
        return [at for at in members if at not in parts]

    def _sociable(self, members: list[int]) -> list[int]:
        """Return the members of a topic that share enough words with the others for one of them to be alike."""
        rows = [self.frames[at] for at in members]
        shared = {word for word, number in Counter(chain.from_iterable(rows)).items() if number > 1}
        if not shared:
            return []
        return [at for at, row in zip(members, rows) if len(row & shared) * 5 >= len(row) * 3]

    def _among(self, members: list[int], sets: Sequence[frozenset[int]], fifths: int) -> None:
        """Judge every pair of a group that is alike enough; in a large group, those that share rare words."""
        if len(members) < 2:  # noqa: PLR2004 - a pair
            return
        few = len(members) <= FEW
        pairs = combinations(members, 2) if few else _candidates({at: sets[at] for at in members}, fifths)
        for one, two in pairs:
            mine, other = sets[one], sets[two]
            shared = len(mine & other)
            if shared and shared * 5 >= fifths * (len(mine) + len(other) - shared):
                self._judge(one, two, fifths)
            self.left -= 1
            if self.left <= 0:
                return

    def _judge(self, one: int, two: int, fifths: int) -> None:
        pair = (one, two) if one < two else (two, one)
        values = self.codes.values_seen
        if pair in self.found or (fifths == ALIKE_FIFTHS and self.rows[one] & values != self.rows[two] & values):
            return
        if fifths == ALIKE_ON_TOPIC_FIFTHS and self._plainly_apart(one, two):
            return
        same_topic = bool(self.topics[one]) and self.topics[one] == self.topics[two]
        kind, reason = judge_pair(self._claim(pair[0]), self._claim(pair[1]), same_topic=same_topic)
        both_live = self.states[one] == self.states[two] == LIVE
        if kind == DUPLICATE or (kind == CONFLICT and both_live):
            self.found[pair] = kind, reason

    def _plainly_apart(self, one: int, two: int) -> bool:
        """Say, without a look at the claims, whether two cells have rival values but other things to say them of."""
        first, second, frames = self.rows[one], self.rows[two], self.frames
        kinds = self.codes.kinds
        rival = {kinds.get(code) for code in first - second} & {kinds.get(code) for code in second - first} - {None}
        if not rival or frames[one] <= frames[two] or frames[two] <= frames[one]:
            return False
        return not (may_name(self.gists[one]) or may_name(self.gists[two]))

    def _claim(self, at: int) -> Claim:
        claim = self._claims.get(at)
        if claim is None:
            claim = self._claims[at] = claim_of(self.gists[at])
        return claim


class _Codes(dict[str, int]):
    """A number for every word: `NO_WORD` for one that does not count, else one for its place or for its value.

    The low bits of a number are four fields. A word stands in one of them, a value in all four, so that the sum of a
    row keeps apart which quarter of its words is the same as another's.
    """

    def __init__(self) -> None:
        super().__init__()
        self.places: dict[str, int] = {}
        self.pairs: dict[tuple[str, str], int] = {}
        self.kinds: dict[int, int] = {}
        self.values_seen: set[int] = set()

    def __missing__(self, word: str) -> int:
        place, value = framed(word)
        code = self._value(place, value) if value else self._place(place) if place else NO_WORD
        self[word] = code
        return code

    def _place(self, place: str) -> int:
        code = self.places.get(place)
        if code is None:
            turn, field = divmod(len(self.places) + 4, 4)
            code = self.places[place] = _scattered(turn) << (field * FIELD_BITS)
        return code

    def _value(self, place: str, value: str) -> int:
        code = self.pairs.get((place, value))
        if code is None:
            code = self.pairs[place, value] = _scattered(len(self.pairs) + 1) * _IN_ALL_FIELDS
            self.kinds[code] = self._place(place) if place else NO_WORD
            self.values_seen.add(code)
        return code


def _scattered(number: int) -> int:
    """Return a number of its own for each number, spread over the low bits while there is room."""
    high, low = divmod(number, 1 << CODE_BITS)
    return (low * 40503 % (1 << CODE_BITS)) + (high << (4 * FIELD_BITS))


def _groups(rows: Sequence[frozenset[int]]) -> list[list[int]]:
    """Return groups such that two rows of one stance, alike to four fifths and not long, are in a group together.

    Two of eight words and nine, or fewer, differ in one word at most: the sum of one is that of the other, less a word.
    Longer ones differ in two words, so they agree in two of the four fields.
    """
    sums = list(map(sum, rows))
    longer = [at for at, row in enumerate(rows) if len(row) >= TWO_APART]
    return [*_one_apart(rows, sums), *_agreeing(longer, sums)]


def _one_apart(rows: Sequence[frozenset[int]], sums: list[int]) -> list[list[int]]:
    """Return the groups of equal rows, and each row with those that have one word less."""
    known = set(sums)
    larger = [at for at, row in enumerate(rows) if not known.isdisjoint(map(sums[at].__sub__, row))]
    if len(known) == len(sums) and not larger:
        return []
    same: dict[int, list[int]] = {}
    for at, total in enumerate(sums):
        same.setdefault(total, []).append(at)
    groups = [group for group in same.values() if len(group) > 1]
    return groups + [[at, *same[sums[at] - word]] for at in larger for word in rows[at] if sums[at] - word in same]


def _agreeing(members: Sequence[int], sums: list[int]) -> list[list[int]]:
    """Return the groups of rows whose sums agree in two fields."""
    groups: list[list[int]] = []
    for mask in _TWO_FIELDS:
        keys = [sums[at] & mask for at in members]
        seen: set[int] = set()
        add = seen.add
        again = {key for key in keys if key in seen or add(key)}
        if again:
            found: dict[int, list[int]] = {}
            for key, at in zip(keys, members):
                if key in again:
                    found.setdefault(key, []).append(at)
            groups += found.values()
    return groups


def _candidates(sets: dict[int, frozenset[int]], fifths: int) -> Iterator[Pair]:
    """Yield pairs of sets, every pair that is alike to so many fifths among them.

    Of two alike sets the larger part is shared, so the few rarest shared words are among the first few of each, in any
    one order of words: a choice of those is a signature. The smaller set of a pair has less room to differ than the
    larger one, so sets are looked up, smallest first, among the shorter signatures of those before them.
    """
    counts = Counter(chain.from_iterable(sets.values()))
    rank = {word: at for at, (word, _) in enumerate(sorted(counts.items(), key=itemgetter(1, 0)))}
    index: dict[tuple[int, ...], list[int]] = {}
    for at, words in sorted(sets.items(), key=_size_of_second):
        row, size = sorted(map(rank.__getitem__, words)), len(words)
        length = min(SIGNATURE, size)
        near: dict[int, None] = {}
        for signature in combinations(row[: size - _least(fifths, 5, size) + length], length) if size else ():
            if signature in index:
                near.update(dict.fromkeys(index[signature]))
        yield from ((other, at) for other in near)
        for signature in (
            combinations(row[: size - _least(2 * fifths, 5 + fifths, size) + length], length) if size else ()
        ):
            index.setdefault(signature, []).append(at)


def _least(part: int, whole: int, size: int) -> int:
    """Return the smallest number that is at least a fraction of a size."""
    return -(-part * size // whole)


def _size_of_second(pair: tuple[int, frozenset[int]]) -> int:
    return len(pair[1])


def judge_pair(one: Claim, two: Claim, *, same_topic: bool) -> tuple[str, str]:
    """Say whether two claims are duplicates, or in conflict (and in what), or neither."""
    alike = likeness(one.frame, two.frame)
    if alike < (ALIKE_ON_TOPIC if same_topic else ALIKE):
        return "", ""
    kind, reason = compare_claims(one, two)
    if kind == SAME and (same_topic or one.stance == two.stance):
        return DUPLICATE, ""
    return (CONFLICT, reason) if kind == OPPOSED and same_topic else ("", "")


# --- mneme.check.wording ------------------------------------------------------------

# In columns of a terminal: a letter takes one, an ideograph two.
GIST_WIDTH = 200

# A gist longer than this is too long whatever it says, and is not read to its end.
READ_CHARACTERS = 1000

_MARKS = (";", "\uff1b", ". ", "! ", "? ", "\u3002")


@cache
def _second_claim() -> re.Pattern[str]:
    """Match the place where a first claim ends and a second one, of three words or four ideographs, begins."""
    return re.compile(
        r"\S\s+\S+\s*(?:;\s+|(?<!\b[Ee]\.g)(?<!\b[Ii]\.e)(?<!\bvs)(?<!\betc)(?<!\bcf)(?<!\bapprox)(?<![. ][A-Za-z])"
        r"[.!?]\s+(?=[A-Z]))\S+\s+\S+\s+\S"
        r"|[\u3400-\u9fff]{2}[^\u3002\uff1b]*[\u3002\uff1b]\s*[^\s\u3002\uff1b]{4}"
    )


@cache
def _relation_line() -> re.Pattern[str]:
    names = "|".join(sorted(RELATIONS, key=len, reverse=True))
    return re.compile(rf"\s*(?:{names})\s+[A-Z][A-Z0-9]*-[0-9]+\s*")


def width_of(text: str) -> int:
    """Return how many columns a text takes."""
    return len(text) if text.isascii() else len(text) + sum(east_asian_width(char) in "WF" for char in text)


def is_compound(gists: Sequence[str]) -> list[int]:
    """Return the indexes of the gists that make more than one claim."""
    joined = "\n".join(gists)
    marks = [mark for mark in _MARKS if mark[0] in joined and mark in joined]
    if not marks:
        return []
    return [
        at
        for at, gist in enumerate(gists)
        if any(mark in gist for mark in marks) and _second_claim().search(gist, 0, READ_CHARACTERS) is not None
    ]


def named_relation(line: str) -> bool:
    """Say whether a body line is nothing but a relation and an id, as a link line would be."""
    return _relation_line().fullmatch(line) is not None


# --- mneme.formats.cell_edit ------------------------------------------------------------


def numbered_id(prefix: str, number: int) -> str:
    """Return an id as the format writes it."""
    return f"{prefix}-{number:0{ID_DIGITS}d}"


# --- mneme.check.cell ------------------------------------------------------------

DECAY_AFTER_DAYS = 45

STALE_FOR_EVER_DAYS = 90

BODY_CHARACTERS = 1800

# Relations that say one thing comes before another: followed round in a circle they make no sense.
ORDERED_RELATIONS = ("supersedes", "depends-on", "blocks", "refines")


def check_cells(
    files: Sequence[CellFile],
    *,
    today: date,
    severities: Mapping[str, str] | None = None,
    decay_days: int = DECAY_AFTER_DAYS,
    gist_width: int = GIST_WIDTH,
    body_characters: int = BODY_CHARACTERS,
) -> list[Problem]:
    """Return every fault of some cell files, taken together as one memory: warnings, then errors, then the rest.

    Links may lead from one file to another. Among the warnings come first the superseded cells without a successor,
    then for each cell its decay and its links; what else there is follows by line.
    """
    with collector_off():
        return in_report_order(
            with_severities(_problems(_Scope(files), today, decay_days, gist_width, body_characters), severities)
        )


def _problems(scope: _Scope, today: date, decay_days: int, gist_width: int, body_characters: int) -> list[Problem]:
    per_cell = [*_decayed(scope, today, decay_days), *_faulty_links(scope), *_suspects(scope)]
    first = [*_without_successor(scope), *(problem for _, _, problem in sorted(per_cell, key=_by_place))]
    rest: list[Problem] = []
    for number, file in enumerate(scope.files):
        found = [*_check_file(scope, number, file, today), *_wordy(scope, number, gist_width, body_characters)]
        rest += sorted(found, key=lambda problem: problem.line)
    rest += [*_cycles(scope), *_several_successors(scope), *_twins(scope)]
    return [*first, *rest]


def _by_place(found: Found) -> tuple[Place, int]:
    return found[0], found[1]


class _Scope:
    """All cells under check, and where each id lies (the last one, where an id is there twice)."""

    __slots__ = ("_numbers", "_starts", "columns", "files", "repeated")

    def __init__(self, files: Sequence[CellFile]) -> None:
        self.files = files
        self.columns: list[Columns] = [file.columns for file in files]
        # Counted through all files, so that the table of ids is made in one step.
        self._starts = list(accumulate(map(len, self.columns), initial=0))
        ids = chain.from_iterable(columns.ids for columns in self.columns)
        self._numbers = dict(zip(ids, range(self._starts[-1])))
        self._numbers.pop("", None)
        self.repeated = len(self._numbers) < self._starts[-1]

    def __contains__(self, cell_id: str) -> bool:
        return cell_id in self._numbers

    def find(self, cell_id: str) -> Place | None:
        """Return where an id lies, or None."""
        number = self._numbers.get(cell_id)
        return None if number is None else self.place(number)

    def place(self, number: int) -> Place:
        """Return the place of a cell counted through all files."""
        file = bisect_right(self._starts, number) - 1
        return file, number - self._starts[file]

    def state(self, place: Place) -> str:
        return self.columns[place[0]].states[place[1]]

    def id(self, place: Place) -> str:
        return self.columns[place[0]].ids[place[1]]

    def line(self, place: Place) -> int:
        return self.columns[place[0]].line(place[1])

    def path(self, place: Place) -> str:
        return self.files[place[0]].path

    def spot(self, place: Place, other: Place) -> str:
        """Return where a cell lies, as one says it at another cell."""
        line = self.line(place)
        return f"line {line}" if place[0] == other[0] else f"{self.path(place)}:{line}"

    def problem(self, rule: str, place: Place, line: int = 0, **values: object) -> Problem:
        return make_problem(rule, self.path(place), line or self.line(place), id=self.id(place), **values)

    def links(self) -> Iterator[tuple[Place, str, str, int]]:
        for number, columns in enumerate(self.columns):
            for at, relation, target, nth in columns.links:
                yield (number, at), relation, target, nth


def _days_before(today: date, days: int) -> str:
    return date.fromordinal(max(1, today.toordinal() - days)).isoformat()


def _age(seen: str, today: date) -> int:
    return (today - date.fromisoformat(seen)).days


def _decayed(scope: _Scope, today: date, decay_days: int) -> Iterator[Found]:
    live_limit, stale_limit = _days_before(today, decay_days), _days_before(today, STALE_FOR_EVER_DAYS)
    latest = max(live_limit, stale_limit)
    for number, columns in enumerate(scope.columns):
        if min(columns.seens, default=latest) >= latest:
            continue
        for at in [at for at, seen in enumerate(columns.seens) if seen < latest]:
            state, seen = columns.states[at], columns.seens[at]
            if not is_date(seen):
                continue
            place = number, at
            if state == LIVE and seen < live_limit:
                yield place, -1, scope.problem("decayed", place, value=_age(seen, today))
            elif state == STALE and seen < stale_limit:
                yield place, -1, scope.problem("stale-for-ever", place, value=_age(seen, today))


def _wrong_days(scope: _Scope, number: int, columns: Columns, today: date) -> Iterator[Problem]:
    now = today.isoformat()
    for key, days in (("since", columns.sinces), ("seen", columns.seens)):
        for at in [at for at, day in enumerate(days) if day > now] if max(days, default="") > now else ():
            if is_date(days[at]):
                yield scope.problem("future-date", (number, at), value=f"{key} {days[at]}")
    if not any(map(gt, columns.sinces, columns.seens)):
        return
    for at, (since, seen) in enumerate(zip(columns.sinces, columns.seens)):
        if since <= seen:
            continue
        if is_date(since) and is_date(seen):
            yield scope.problem("seen-before-since", (number, at), value=seen, other=since)


def _without_successor(scope: _Scope) -> Iterator[Problem]:
    for number, columns in enumerate(scope.columns):
        if SUPERSEDED in columns.states:
            replaced = [at for at, state in enumerate(columns.states) if state == SUPERSEDED]
            linked = {at for at, relation, _, _ in columns.links if relation == "superseded-by"}
            for at in replaced:
                if at not in linked:
                    yield scope.problem("superseded-without-successor", (number, at))


def _faulty_links(scope: _Scope) -> Iterator[Found]:
    paired = _pairs_cell(scope)
    told: set[tuple[str, str]] = set()
    for place, relation, target, nth in scope.links():
        if relation in _WATCHED or target not in scope or target == scope.id(place):
            for found in _check_link(scope, place, (relation, target), paired, told):
                yield place, nth, found(scope.columns[place[0]].link_line(place[1], nth))


def _pairs_cell(scope: _Scope) -> set[tuple[str, str, str]]:
    """Return every half of a supersession that is written down."""
    return {(scope.id(place), rel, target) for place, rel, target, _ in scope.links() if rel in INVERSE_RELATIONS}

_WATCHED = frozenset(INVERSE_RELATIONS)


def _check_link(
    scope: _Scope,
    place: Place,
    link: tuple[str, str],
    paired: set[tuple[str, str, str]],
    told: set[tuple[str, str]],
) -> Iterator[Callable[[int], Problem]]:
    """Yield what is wrong with one link, as functions of its line (which costs a second look at the cell)."""
    (relation, target), mine = link, scope.id(place)
    value, other = f"{relation} {target}", scope.find(target)
    if target == mine:
        yield lambda line: scope.problem("self-link", place, line, value=value)
    elif other is None:
        prefix = target.rpartition("-")[0] or target
        yield lambda line: scope.problem("dangling-link", place, line, value=value, prefix=prefix)
    elif relation in INVERSE_RELATIONS:
        if (target, INVERSE_RELATIONS[relation], mine) not in paired:
            yield lambda line: scope.problem("missing-inverse-link", place, line, value=value, other=target)
        winner, loser = (place, other) if relation == "supersedes" else (other, place)
        pair = scope.id(winner), scope.id(loser)
        if scope.state(loser) in WORKING_STATES and scope.state(winner) != PROPOSED and pair not in told:
            told.add(pair)
            yield lambda _: _still_live(scope, winner, loser)


def _suspects(scope: _Scope) -> Iterator[Found]:
    """Yield the cells in force that rest on one that fell, at the link by which they do."""
    rests = [(place, target, nth) for place, relation, target, nth in scope.links() if relation == DEPENDS_ON]
    if not rests:
        return
    grounds = _grounds(scope, [(place, target) for place, target, _ in rests])
    suspects = find_suspects(grounds, lambda name: _fell_on(scope, name))
    for place, target, nth in rests:
        why = suspects.get(scope.id(place))
        if why is None or why.chain[0] != target or scope.state(place) != LIVE:
            continue
        line = scope.columns[place[0]].link_line(place[1], nth)
        state = scope.state(scope.find(why.chain[-1]) or place)
        if len(why.chain) == 1:
            yield place, nth, scope.problem("depends-on-dead", place, line, other=target, value=state)
        else:
            last = f"'{why.chain[-1]}' is {state}"
            yield place, nth, scope.problem("rests-on-suspect", place, line, other=target, value=last)


def _grounds(scope: _Scope, rests: Iterable[tuple[Place, str]]) -> dict[str, Ground]:
    targets: dict[Place, list[str]] = {}
    for place, target in rests:
        targets.setdefault(place, []).append(target)
        if (other := scope.find(target)) is not None:
            targets.setdefault(other, [])
    columns = scope.columns
    return {
        scope.id((file, at)): Ground(
            scope.state((file, at)),
            columns[file].sinces[at],
            columns[file].seens[at],
            tuple(named),
            columns[file].cell(at).affirmed,
        )
        for (file, at), named in targets.items()
    }


def _fell_on(scope: _Scope, name: str) -> str:
    """Return the day on which a cell fell: when its successor came, or when it was retired; else as long as it was seen."""
    place = scope.find(name)
    if place is None:
        return ""
    file, at = place
    cell = scope.columns[file].cell(at)
    heirs = [scope.find(link.target) for link in cell.links if link.relation == "superseded-by"]
    days = [scope.columns[heir[0]].sinces[heir[1]] for heir in heirs if heir is not None]
    return min(filter(None, days), default="") or cell.retired or cell.seen


def _still_live(scope: _Scope, winner: Place, loser: Place) -> Problem:
    where = f"{scope.path(loser)}:{scope.line(loser)}"
    ids = {"id": scope.id(winner), "other": scope.id(loser)}
    state = scope.state(loser)
    return make_problem("superseded-still-live", scope.path(loser), scope.line(loser), value=state, place=where, **ids)


def _several_successors(scope: _Scope) -> Iterator[Problem]:
    winners: dict[str, set[str]] = {}
    for place, relation, target, _ in scope.links():
        if relation in INVERSE_RELATIONS and target in scope:
            winner, loser = (scope.id(place), target) if relation == "supersedes" else (target, scope.id(place))
            winners.setdefault(loser, set()).add(winner)
    for loser, found in winners.items():
        where = scope.find(loser) if len(found) > 1 else None
        if where is not None:
            yield scope.problem("several-successors", where, value=", ".join(sorted(found)))


def _cycles(scope: _Scope) -> Iterator[Problem]:
    edges: dict[str, list[tuple[str, str]]] = {relation: [] for relation in ORDERED_RELATIONS}
    for place, relation, target, _ in scope.links():
        if relation == "superseded-by":
            edges["supersedes"].append((target, scope.id(place)))
        elif relation in edges:
            edges[relation].append((scope.id(place), target))
    for relation, pairs in edges.items():
        for circle in find_cycles(pairs):
            where = min(filter(None, map(scope.find, circle)), default=None)
            if where is not None:
                value = " -> ".join((*circle, circle[0]))
                yield scope.problem("link-cycle", where, relation=relation, value=value)


def _check_file(scope: _Scope, number: int, file: CellFile, today: date) -> Iterator[Problem]:
    columns = scope.columns[number]
    for fault in columns.faults:
        yield make_problem(fault.rule, file.path, fault.line, id=fault.id, value=fault.value)
    if scope.repeated:
        yield from _repeated_ids(scope, number, columns)
    yield from _wrong_days(scope, number, columns, today)
    for secret in find_secrets(file.text):
        yield make_problem("exposed-secret", file.path, secret.line, value=secret.kind, id=_id_at(columns, secret.line))


def _id_at(columns: Columns, line: int) -> str:
    """Return the id of the cell that holds a line, or an empty text before the first one."""
    low, high = 0, len(columns)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if columns.line(middle) <= line else (low, middle)
    return columns.ids[low - 1] if low else ""


def _repeated_ids(scope: _Scope, number: int, columns: Columns) -> Iterator[Problem]:
    earlier: dict[str, Place] = {}
    for before, others in enumerate(scope.columns[:number]):
        for at, cell_id in enumerate(others.ids):
            earlier.setdefault(cell_id, (before, at))
    for at, cell_id in enumerate(columns.ids):
        first = earlier.setdefault(cell_id, (number, at))
        if cell_id and first != (number, at):
            prefix = cell_id.rpartition("-")[0] or "DEC"
            where = scope.spot(first, (number, at))
            yield scope.problem("duplicate-id", (number, at), value=where, prefix=prefix)


def _wordy(scope: _Scope, number: int, gist_width: int, body_characters: int) -> Iterator[Problem]:
    """Yield the gists that say too much, and the bodies that hold what should be a link."""
    columns = scope.columns[number]
    widest = max(map(len, columns.gists), default=0)
    wide = (
        [at for at, gist in enumerate(columns.gists) if len(gist) > gist_width // 2] if widest > gist_width // 2 else []
    )
    for at in wide:
        width = width_of(columns.gists[at])
        if width > gist_width:
            yield scope.problem("overlong-gist", (number, at), value=width, limit=gist_width)
    for at in is_compound(columns.gists):
        yield scope.problem("compound-gist", (number, at))
    longest = max(map(len, columns.bodies), default=0)
    long = (
        [at for at, body in enumerate(columns.bodies) if len(body) > body_characters]
        if longest > body_characters
        else []
    )
    for at in sorted({*long, *columns.strict}):
        size = sum(map(len, columns.cell(at).body))
        if size > body_characters:
            yield scope.problem("overlong-body", (number, at), value=size, limit=body_characters)
    for at, cell in columns.strict.items():
        for line in cell.body:
            if named_relation(line):
                yield scope.problem("link-in-body", (number, at), value=line.strip())


def _twins(scope: _Scope) -> Iterator[Problem]:
    """Yield the pairs of cells that say the same, or that seem to contradict each other."""
    columns = scope.columns
    gists, topics, states = (list(chain.from_iterable(map(field, columns))) for field in _TWIN_FIELDS)
    found = find_twins(gists, topics, states)
    if found.pairs:
        linked = {frozenset((scope.id(place), target)) for place, _, target, _ in scope.links()}
        for one, two, kind, reason in found.pairs:
            first, second = scope.place(one), scope.place(two)
            ids = frozenset((scope.id(first), scope.id(second)))
            if len(ids) == 2 and ids not in linked:  # noqa: PLR2004 - two cells, two ids
                if kind == CONFLICT:
                    yield _conflict(scope, first, second, reason)
                else:
                    yield scope.problem("near-duplicate", second, other=scope.id(first))
    if found.unfinished:
        yield make_problem("unfinished-comparison", scope.files[0].path, 0, value=found.unfinished)

_TWIN_FIELDS = attrgetter("gists"), attrgetter("topics"), attrgetter("states")


def _conflict(scope: _Scope, first: Place, second: Place, reason: str) -> Problem:
    def strength(place: Place) -> tuple[int, str]:
        columns, at = scope.columns[place[0]], place[1]
        return _CONF_RANK.get(columns.confs[at], 0), columns.seens[at]

    one, two = strength(first), strength(second)
    winner, loser = (first, second) if one > two else (second, first)
    by = "conf" if one[0] != two[0] else "seen" if one[1] != two[1] else "standing later"
    ids = {"id": scope.id(second), "other": scope.id(first), "winner": scope.id(winner), "loser": scope.id(loser)}
    return make_problem("suspected-conflict", scope.path(second), scope.line(second), value=reason, reason=by, **ids)

_CONF_RANK = {"high": 3, "med": 2, "low": 1}


# --- mneme.engine.results ------------------------------------------------------------


@dataclass(frozen=True)
class Report:
    """What a check found, and how much it looked at."""

    problems: tuple[Problem, ...]
    cells: int

    @property
    def exit_code(self) -> int:
        """1 if anything is an error, else 0."""
        return EXIT_PROBLEMS if any(problem.severity == ERROR for problem in self.problems) else EXIT_CLEAN

    @property
    def summary(self) -> str:
        """The line that counts: cells, errors, warnings, notes."""
        named = ((ERROR, "error"), (WARN, "warning"), (INFO, "note"))
        severities = [problem.severity for problem in self.problems]
        counts = [(self.cells, "cell"), *((severities.count(severity), name) for severity, name in named)]
        return ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts)


# --- mneme.formats.spine ------------------------------------------------------------


def _spine_row(cell_id: str, state: str, gist: str, topic: str) -> str:
    return f"{cell_id:<{ID_WIDTH}} {state:<{STATE_WIDTH}} {gist}  [{topic}]"


def spine_lines(file: CellFile) -> list[str]:
    """Return the spine of a file: a line for every cell in a working state, in file order."""
    columns = file.columns
    rows = zip(columns.ids, columns.states, columns.gists, columns.topics)
    return [_spine_row(*row) for row in rows if row[1] in WORKING_STATES]


# --- mneme.memory.cells.ids ------------------------------------------------------------

_ID_CHARS = 80


def highest_in(content: bytes, prefix: str | None = None) -> Highest:
    """Return the highest number by prefix, or of one, among headers, link targets and tombstones of a file's bytes."""
    if b"\r" in content:
        content = content.replace(b"\r", b"\n")
    prefixes = {found.decode() for found in _ANY_ID.findall(content)} if prefix is None else {prefix}
    found = ((name, _highest_of(content, name.encode())) for name in prefixes)
    return {name: number for name, number in found if number}


def _highest_of(content: bytes, prefix: bytes) -> int:
    """Return the highest number under a prefix that stands where an id may, trying the largest first."""
    pattern = re.escape(prefix) + rb"-([0-9]{1,18})(?!\S)"
    words = re.findall(pattern, content)
    numbers = list(map(int, words))
    largest = max(numbers, default=0)
    last = content.rfind(prefix + b"-" + words[numbers.index(largest)]) if words else -1
    if largest and re.compile(pattern).match(content, last) and _opens_at(content, last):
        return largest
    places = ((int(found[1]), found.start()) for found in re.finditer(pattern, content))
    return next((number for number, at in sorted(places, reverse=True) if _opens_at(content, at)), 0)


def _opens_at(content: bytes, at: int) -> bool:
    """Say whether what stands here is an id: it comes after `@`, `link RELATION`, `# was` or `# forgotten`."""
    return _OPENING.fullmatch(content[max(0, at - _ID_CHARS) : at].rpartition(b"\n")[2]) is not None

_ANY_ID = re.compile(rb"(?<![A-Za-z0-9_])([A-Z][A-Z0-9]*)-[0-9]")

_OPENING = re.compile(rb"\s*(?:\xef\xbb\xbf)?(?:@[ \t]*|link[ \t]+\S+[ \t]+|#[ \t]*(?:was|forgotten)[ \t]+)")


# --- mneme.render ------------------------------------------------------------

# Marks that turn the direction of text or hide it; the joiners that emoji and Persian need are left alone.
_INVISIBLE = "\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"

_HARMFUL = f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_INVISIBLE}]"

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}

_SEVERITY_STYLES = {ERROR: "red", WARN: "yellow"}


def safe_text(text: str) -> str:
    r"""Return text that cannot act on a terminal: control characters and overrides are written as `\x1b`, `\u202e`."""
    # Nothing that is harmful counts as printable, and most of what is printed needs no pattern.
    return text if text.replace("\n", "").isprintable() else re.sub(_HARMFUL, _escape, text)


def one_line(text: str) -> str:
    """Return text that is harmless and stays on its line."""
    return safe_text(text.replace("\n", "\\n").replace("\t", " "))


def paint(text: str, style: str, *, colour: bool) -> str:
    """Return text in a style, or as it is where colour is not wanted."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if colour and style and text else text


def problem_text(problem: Problem, *, colour: bool = False) -> str:
    """Return a problem as compilers print them: place, severity, rule, message; then the hint."""
    place = f"{problem.path}:{problem.line}" if problem.line else problem.path
    severity = paint(problem.severity, _SEVERITY_STYLES.get(problem.severity, ""), colour=colour)
    where = f"{one_line(place)}: " if place else ""
    lines = [f"{where}{severity} {problem.rule}: {one_line(problem.message)}"]
    lines += [f"  hint: {safe_text(line)}" for line in problem.hint.splitlines()]
    return "\n".join(lines)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code <= 0xFF:  # noqa: PLR2004 -- the widest two-digit escape
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 -- the widest four-digit escape


# --- the command ------------------------------------------------------------

EXIT_BROKEN_PIPE = 141

USAGE = """\
usage: python3 mneme_tool.py spine [FILE ...]           the live and stale cells, one line each
       python3 mneme_tool.py lint [FILE ...]            check the cells; exit code 1 if there is an error
       python3 mneme_tool.py new-id PREFIX [FILE ...]   the next free id of a prefix

Without FILE: the first *.mneme or *.mn file here by name, else the first one below. --today DATE counts as today.
"""


class _CannotGoOnError(Exception):
    """What is wrong, and what to do about it."""


def read_columns(text):  # noqa: ANN001, ANN201 - stands in for the bulk reader, whose pattern older Pythons refuse
    """Read all cells of a text into columns, one by one."""
    return _strict_columns(text)


def pairwise(items):  # noqa: ANN001, ANN201 - stands in for the one of itertools, which older Pythons lack
    """Yield every two neighbours."""
    listed = list(items)
    return zip(listed, listed[1:])  # noqa: B905, RUF007 - `strict` is newer as well


def no_library():  # noqa: ANN201 - stands in for the patterns of a package, which the tool does not ask for
    """Return no pattern."""
    return ()


def in_any_company(active, _gists, _topics):  # noqa: ANN001, ANN201 - stands in for what sorts a crowd out with numpy
    """Return all cells."""
    return active


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code: 0 clean, 1 errors in the cells, 2 could not do it."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        return _run(*_without_today(arguments))
    except _CannotGoOnError as error:
        sys.stderr.write(f"mneme_tool: {safe_text(str(error))}\n")
        return EXIT_FAILED
    except BrokenPipeError:
        sys.stderr.close()
        return EXIT_BROKEN_PIPE


def _run(words: list[str], today: date) -> int:
    command, *rest = words or ["lint"]
    if command == "spine":
        return _print_spine(rest)
    if command == "lint":
        return _print_lint(rest, today)
    if command == "new-id":
        return _print_new_id(rest)
    sys.stderr.write(USAGE)
    return EXIT_CLEAN if command in {"-h", "--help"} else EXIT_FAILED


def _without_today(arguments: list[str]) -> tuple[list[str], date]:
    words = list(arguments)
    if "--today" not in words:
        return words, date.today()  # noqa: DTZ011 - the day where the person is
    at = words.index("--today")
    value = words[at + 1] if at + 1 < len(words) else ""
    if not is_date(value):
        raise _CannotGoOnError(f"'{value}' is not a date\n  hint: --today 2026-01-31")
    return words[:at] + words[at + 2 :], date.fromisoformat(value)


def _print_spine(names: list[str]) -> int:
    for name, content in _contents(names):
        for line in spine_lines(parse_cells(_decoded(content), name)):
            sys.stdout.write((safe_text(line) if sys.stdout.isatty() else line) + "\n")
    return EXIT_CLEAN


def _print_lint(names: list[str], today: date) -> int:
    files = [parse_cells(_decoded(content), name) for name, content in _contents(names)]
    problems = in_report_order(check_cells(files, today=today))
    report = Report(tuple(problems), sum(len(file.columns) for file in files))
    for problem in report.problems:
        sys.stdout.write(problem_text(problem) + "\n")
    sys.stdout.write(("\n" if report.problems else "") + report.summary + "\n")
    return report.exit_code


def _print_new_id(words: list[str]) -> int:
    if not words or not re.fullmatch(r"[A-Z][A-Z0-9]*", words[0]):
        given = f"'{words[0]}' is no prefix" if words else "which prefix is it?"
        raise _CannotGoOnError(f"{given}\n  hint: python3 mneme_tool.py new-id DEC")
    prefix, *names = words
    highest = max(highest_in(content).get(prefix, 0) for _, content in _contents(names))
    sys.stdout.write(numbered_id(prefix, highest + 1) + "\n")
    return EXIT_CLEAN


def _contents(names: list[str]) -> list[tuple[str, bytes]]:
    found = []
    for name in names or [_default_file()]:
        try:
            found.append((name, Path(name).read_bytes()))
        except OSError as error:
            raise _CannotGoOnError(f"cannot read '{name}': {error.strerror or error}") from error
    return found


def _default_file() -> str:
    here = Path()
    for pattern in ("*", "**/*"):
        found = sorted(place.as_posix() for place in here.glob(pattern) if place.name.endswith(CELL_SUFFIXES))
        if found:
            return found[0]
    return "project.mneme"


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
