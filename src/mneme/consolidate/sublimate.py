"""What has ripened into knowledge: the triggers by which memories become a page, each with its evidence.

A project of which every task is done and that three memories tell of; feedback that keeps coming back to one thing; a user of
whom role, preferences and habits are known; a class of memory that grows dense about one thing. Sources are named, never moved.
Pure: memories and tasks in, proposals out.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.formats.proposal import Proposal, Source
from mneme.formats.section import slug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mneme.formats.piece import Piece

BY, KNOWLEDGE = "sublimate", "knowledge"
POSTMORTEM, STYLE, PLAYBOOK = "project-postmortem", "user-work-style-guide", "user-playbook"
PAGE_OF = {"user": PLAYBOOK, "feedback": STYLE, "project": POSTMORTEM, "reference": "reference-guide"}
LEAST_RELATED, LEAST_DENSE, LEAST_DEEP = 3, 5, 4
LONGEST_QUOTE_CHARS = 140

_WORD = re.compile(r"[a-z][a-z-]{3,}|[\u3400-\u9fff]{2}")
_COMMON = frozenset(
    [
        "about",
        "after",
        "again",
        "also",
        "always",
        "answer",
        "answers",
        "because",
        "before",
        "being",
        "code",
        "could",
        "does",
        "done",
        "down",
        "each",
        "every",
        "file",
        "files",
        "first",
        "from",
        "have",
        "here",
        "into",
        "just",
        "keep",
        "like",
        "likes",
        "make",
        "more",
        "most",
        "much",
        "must",
        "need",
        "needs",
        "never",
        "next",
        "only",
        "other",
        "over",
        "please",
        "prefer",
        "prefers",
        "rule",
        "same",
        "should",
        "since",
        "some",
        "such",
        "that",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "time",
        "user",
        "users",
        "uses",
        "using",
        "very",
        "want",
        "wants",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "will",
        "with",
        "without",
        "work",
        "would",
        "your",
        "memory",
        "memories",
        "project",
        "feedback",
        "reference",
        "fact",
        "description",
        "name",
        "用户",
        "喜欢",
        "不要",
        "应该",
        "我们",
        "可以",
        "这个",
        "使用",
        "需要",
    ]
)
_ROLE = re.compile(
    r"\b(?:engineer|developer|analyst|designer|manager|teacher|student|doctor|lawyer|writer|founder|scientist|researcher|works? (?:as|at|for|in)|role|job|is an? \w+)\b"
    r"|职业|工作|是一?[名个位]",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:prefers?|likes?|dislikes?|wants?|hates?|loves?|favou?rite|rather)\b|喜欢|偏好|讨厌", re.IGNORECASE
)
_HABIT = re.compile(
    r"\b(?:always|usually|every|each|habit|mornings?|evenings?|mondays?|fridays?|daily|weekly|routine|tends? to|never)\b|习惯|总是|每天|每周|通常",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Task:
    """A task as far as it matters here: its words, the section it stands in, and whether it is done."""

    text: str
    section: str
    done: bool


def complete_projects(names: Iterable[str], tasks: Sequence[Task], memories: Sequence[Piece]) -> Iterator[Proposal]:
    """Yield the projects of which every task is done and that enough memories tell of."""
    for name in names:
        mine = [task for task in tasks if _is_about(task, name)]
        if not mine or not all(task.done for task in mine):
            continue
        told = [piece for piece in memories if _mentions(piece, name)]
        if len(told) >= LEAST_RELATED:
            why = f"all {len(mine)} tasks are done, and {len(told)} memories tell of it"
            yield _proposal(f"{name} is complete: its postmortem", name, POSTMORTEM, told, why)


def _is_about(task: Task, name: str) -> bool:
    return task.section.casefold() == name.casefold() or is_named(task.text, name)


def _mentions(piece: Piece, name: str) -> bool:
    own = piece.topic.partition("/")[0].casefold() in (name.casefold(), slug(name))
    return own or any(is_named(text, name) for text in (piece.title, piece.gist, piece.body, " ".join(piece.tags)))


def is_named(text: str, name: str) -> bool:
    """Say whether a text names something as a word of its own."""
    edge = r"\b" if name[:1].isascii() else ""
    return bool(re.search(rf"{edge}{re.escape(name)}{edge}", text, re.IGNORECASE))


def feedback_patterns(memories: Sequence[Piece]) -> Iterator[Proposal]:
    """Yield what three or more pieces of feedback are about."""
    for word, told in related(memories, LEAST_RELATED):
        why = f"{len(told)} pieces of feedback are about '{word}'"
        yield _proposal(f"{word}: feedback for the work style guide", word.capitalize(), STYLE, told, why)


def user_depth(memories: Sequence[Piece]) -> Iterator[Proposal]:
    """Yield the playbook of a user of whom role, preferences and habits have come together over time."""
    facets = {
        name: [piece for piece in memories if pattern.search(_said(piece))]
        for name, pattern in (("role", _ROLE), ("preferences", _PREFERENCE), ("habits", _HABIT))
    }
    days = {piece.record.since[:10] for piece in memories}
    grown = len(memories) >= LEAST_DEEP and (len(days) > 1 or len(memories) > LEAST_DENSE)
    if grown and all(facets.values()):
        counts = ", ".join(f"{len(found)} of {name}" for name, found in facets.items())
        yield _proposal(
            "the user's role, preferences and habits: a playbook", "The user", PLAYBOOK, memories, f"memories: {counts}"
        )


def dense_categories(by_class: Mapping[str, Sequence[Piece]], taken: set[str]) -> Iterator[Proposal]:
    """Yield what a class of memory has grown dense about, as far as no other trigger has it."""
    for name, memories in by_class.items():
        free = [piece for piece in memories if piece.record.id not in taken]
        for word, told in related(free, LEAST_DENSE):
            text = f"Found {name} memories about {word}: merge them into knowledge?"
            yield _proposal(text, word.capitalize(), PAGE_OF[name], told, f"{len(told)} of them are about '{word}'")


def related(memories: Sequence[Piece], least: int) -> Iterator[tuple[str, list[Piece]]]:
    """Yield groups of memories that share a word of weight, the largest first; no memory is in two."""
    words = {piece.record.id: frozenset(_stems(_said(piece))) for piece in memories}
    left = list(memories)
    while len(left) >= least:
        counts = Counter(word for piece in left for word in words[piece.record.id])
        best = min(counts.items(), key=lambda one: (-one[1], -len(one[0]), one[0]), default=("", 0))
        if best[1] < least:
            return
        yield best[0], [piece for piece in left if best[0] in words[piece.record.id]]
        left = [piece for piece in left if best[0] not in words[piece.record.id]]


def _stems(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.lower()):
        stem = word[:-1] if word.endswith("s") and not word.endswith("ss") and word.isascii() else word
        if word not in _COMMON and stem not in _COMMON:
            yield stem


def _said(piece: Piece) -> str:
    from mneme.check.asked import claim_text

    return "\n".join((piece.title, piece.gist, *piece.tags, piece.topic.replace("/", " "), claim_text(rule_of(piece))))


def rule_of(piece: Piece) -> str:
    """Return what a memory says, without its reason and how to apply it: the first paragraph below its first heading."""
    if piece.gist and not piece.body.lstrip().startswith("#"):
        return piece.gist
    rows = [row.strip() for row in piece.body.strip().splitlines()]
    start = next((at for at, row in enumerate(rows) if row and not row.startswith("#")), len(rows))
    end = next((at for at in range(start, len(rows)) if not rows[at] or rows[at].startswith("#")), len(rows))
    return " ".join(rows[start:end]) or piece.gist


def _proposal(text: str, title: str, page: str, told: Sequence[Piece], why: str) -> Proposal:
    sources = tuple(Source(piece.record.id, rule_of(piece)[:LONGEST_QUOTE_CHARS]) for piece in told)
    topic = f"knowledge/{slug(title) or 'page'}"
    return Proposal(text, KNOWLEDGE, BY, topic, {"why": why, "title": title, "category": page}, sources)


def print_section(title: str, told: Sequence[Piece], link_to: Callable[[Piece], str]) -> str:
    """Return the section of a page that memories become: a line each, oldest first, with its day and its source."""
    rows = [f"## {title}", ""]
    for piece in sorted(told, key=lambda one: (one.record.since, one.record.id)):
        day = f"{piece.record.since[:10]}: " if piece.record.since else ""
        rows.append(f"- {day}{' '.join(rule_of(piece).split()).rstrip('.')}. ({link_to(piece)})")
    return "\n".join(rows) + "\n"
