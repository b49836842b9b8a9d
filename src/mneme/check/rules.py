"""The table of rules: every fault a check can report, in one place each.

A rule's name states the fault, never the cure, and is never renamed. The wording of its message and hint lies here,
so that a check only says which rule, where, and about what; `docs/rules.md` is generated from this table.
A new rule is one entry, one check that reports it, and one fixture in `tests/fixtures/rules`.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mneme.errors import ERROR, IGNORE, INFO, SEVERITIES, WARN, BadInputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_SUBJECT = 60


@dataclass(frozen=True, slots=True)
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


_TABLE = (
    # --- cells: how a file is written ---
    Rule(
        "byte-order-mark",
        WARN,
        "A cell file begins with a byte order mark.",
        "Other tools take the mark for part of the first header and lose that cell; Mneme reads past it and keeps it.",
        "the file begins with a byte order mark",
        "save it as UTF-8 without a byte order mark",
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
        "keep what is true and delete the marker lines",
    ),
    Rule(
        "text-before-first-cell",
        WARN,
        "Text stands before the first header and belongs to no cell.",
        "It is ignored: whoever wrote it believes it is remembered.",
        "'{value}' stands before the first cell and is not read",
        "begin it with '#' or put it under a header",
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
        "write it after the id, as in '@ {id}  storage/cache'",
    ),
    Rule(
        "malformed-topic",
        WARN,
        "A topic has an empty part.",
        "It is not the same topic as the one without the stray '/', so what belongs together is kept apart.",
        "the topic '{value}' has an empty part",
        "write it as in 'storage/cache'",
    ),
    Rule(
        "text-after-topic",
        WARN,
        "A header goes on after the topic.",
        "A topic is one word, so the rest of the line is not read.",
        "'{value}' after the topic is not read",
        "join the words of a topic with '-' or '/'",
    ),
    Rule(
        "missing-field",
        ERROR,
        "A cell lacks its gist, state, since or seen.",
        "Without them nobody can tell what the cell claims, or whether it still holds.",
        "the cell '{id}' has no {value}",
        "add a line '{value} ...' to it",
    ),
    Rule(
        "duplicate-field",
        ERROR,
        "A field stands twice in one cell.",
        "The last one wins in silence, and what the first one said is lost.",
        "the cell '{id}' has a second {value}",
        "keep one, or move the other to a cell of its own",
    ),
    Rule(
        "text-in-status",
        ERROR,
        "A status line holds something besides state, conf, since and seen.",
        "What follows is not read as what it looks like.",
        "'{value}' is not part of a status line",
        "put it on a line of its own",
    ),
    Rule(
        "unknown-state",
        ERROR,
        "A state is none of the five.",
        "A cell in an unknown state is on no spine.",
        "there is no state '{value}'",
        "proposed, live, stale, superseded or retired",
    ),
    Rule(
        "unknown-conf",
        ERROR,
        "A confidence is none of the three.",
        "Trust can't be judged by a word nobody else uses.",
        "there is no confidence '{value}'",
        "high, med or low",
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
        "supersedes, superseded-by, relates, depends-on, blocks or refines",
    ),
    Rule(
        "incomplete-link",
        ERROR,
        "A link lacks its relation or its target.",
        "It links to nothing.",
        "the link '{value}' is not complete",
        "write it as in 'link  depends-on DEC-0003'",
    ),
    Rule(
        "text-after-link",
        WARN,
        "A link goes on after its target.",
        "A link has one target; the rest of the line is not read.",
        "'{value}' after the link is not read",
        "give each target a link of its own",
    ),
    Rule(
        "inline-comment",
        WARN,
        "A comment stands at the end of a line.",
        "There are no comments within a line: what follows the '#' is part of the field.",
        "'{value}' is part of the line, not a comment",
        "move it to a line that begins with '#'",
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
        "add a line 'cue   the words it should be found by'",
    ),
    Rule(
        "empty-cue",
        WARN,
        "A cue says nothing.",
        "Somebody meant to say when the cell should be recalled, and did not.",
        "the cue of '{id}' is empty",
        "write the words it should be found by",
    ),
    Rule(
        "missing-body",
        INFO,
        "A cell does not say why.",
        "A claim without its reason can't be judged again when things change.",
        "the cell '{id}' does not say why",
        "add a line '> the reason'",
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
        "move it to a file and write '> see docs/the-file.md'",
    ),
    Rule(
        "link-in-body",
        INFO,
        "A body line is worded as a link.",
        "Only link lines are followed; in the body it is prose.",
        "'{value}' in the body of '{id}' is not followed as a link",
        "write it as 'link  {value}'",
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
        "add a line 'link  superseded-by ID' to it",
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
        "delete the line or name the other cell",
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
        "set 'state superseded' at {place}",
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
        "mneme show {other}",
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
        "give alike cells topics of their own",
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

RULES: dict[str, Rule] = {rule.name: rule for rule in _TABLE}


def make_problem(rule: str, path: str, line: int, **values: object) -> Problem:
    """Return a fault under a rule of the table, worded as the table says."""
    entry = RULES[rule]
    shown = {name: short(str(value)) for name, value in values.items()}
    shown["path"] = path
    return Problem(path, line, rule, entry.severity, entry.message.format(**shown), entry.hint.format(**shown))


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


def check_severities(chosen: Mapping[str, str]) -> Mapping[str, str]:
    """Return severities as the settings give them; a name that is no rule is told with the nearest."""
    for name in chosen:
        if name not in RULES:
            near = difflib.get_close_matches(name, RULES, n=1)
            message = f"mneme.toml: there is no rule '{name}' to set" + (
                f"; the nearest is '{near[0]}'" if near else ""
            )
            raise BadInputError(message, "edit mneme.toml")
    return chosen
