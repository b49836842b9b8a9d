"""What was typed -> what is to be searched for: plain words, or a query that its writer has taken apart.

`lex: words` asks by words alone, `sem: a sentence` by meaning alone, `id: X` for a record; each ends where the next one
begins. `-word` leaves out what holds the word, and a query of nothing but `"phrases"` wants each of them, word for word.
Anything else is text: quotes that do not close, `NEAR`, `*`, names of columns. A prompt is always text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from mneme.index.words import LONGEST_QUERY, parse_query, parse_terms

_SECTION = re.compile(r"(?:(?<=\s)|^)(lex|sem|id):(?=\s|\w|[\"/.#])", re.IGNORECASE)
_WITHOUT = re.compile(r"(?:(?<=\s)|^)-([^\W\d_][\w-]*)(?=\s|$)")
_QUOTED = re.compile(r'"[^"\n]{2,200}"|“[^”\n]{2,200}”|「[^」\n]{2,200}」|《[^》\n]{2,200}》')
# What may be an id: a cell's, a path, a part of a path; told from words by looking it up.
_NAME = re.compile(r"[^\s\"'`()\[\]{}<>,;]+")
_ID_END = ".:!?。，？！"
MOST_NAMES = 24
LONGEST_NAME = 512


@dataclass(frozen=True, slots=True)
class Question:
    """A query taken apart: what goes to the words and to the meaning, which ids, what must and must not be there.

    `words` or `sense` is empty where a structured query asks nothing of them.
    """

    text: str
    words: str
    sense: str
    names: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()

    def leaving_out(self, words: str) -> Question:
        """Return it without some of its words, where others are left."""
        less, sense = (said.replace(words, " ").strip() for said in (self.words, self.sense))
        return replace(self, words=less or self.words, sense=sense or self.sense)

    @property
    def is_names(self) -> bool:
        """Say whether every word of it may be an id."""
        return bool(self.names) and all(word.rstrip(_ID_END) in self.names for word in self.text.split())

    @property
    def only_ids(self) -> bool:
        """Say whether records are asked for by id and nothing else."""
        return bool(self.ids) and not self.words and not self.sense


def parse_question(text: str, *, literal: bool = False) -> Question:
    """Take a query apart; a `literal` one is a prompt, which nobody wrote as a query."""
    text = _told(text)
    if literal:
        return Question(text, text, text, names_in(text))
    without = tuple(found[1] for found in _WITHOUT.finditer(text))
    rest = _WITHOUT.sub(" ", text) if without else text
    plain, sections = _sections(rest)
    ids = tuple(name for kind, said in sections if kind == "id" for name in _NAME.findall(said))
    words = " ".join((plain, *(said for kind, said in sections if kind == "lex"))).strip()
    sense = " ".join((plain, *(said for kind, said in sections if kind == "sem"))).strip()
    only_phrases = bool(words) and not sections and not _QUOTED.sub(" ", words).strip()
    return Question(
        text,
        words,
        sense,
        names_in(plain),
        ids[:MOST_NAMES],
        tuple(dict.fromkeys(term for word in without for term in parse_terms(word)[:1])),
        parse_query(words).phrases if only_phrases else (),
    )


def names_in(text: str) -> tuple[str, ...]:
    """Return what may be ids in a text, as they stand there and as ids are written."""
    found: dict[str, None] = {}
    for name in _NAME.findall(text):
        bare = name.rstrip(_ID_END)
        if len(bare) > LONGEST_NAME or not (set(bare) & set("-#/.") or bare.isascii()):
            continue
        if any(mark in bare for mark in "-#/."):
            found |= dict.fromkeys((bare, bare.upper()) if "/" not in bare else (bare,))
        if len(found) >= MOST_NAMES:
            break
    return tuple(found)[:MOST_NAMES]


def _sections(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the text before the first section, and the sections."""
    found = list(_SECTION.finditer(text))
    if not found:
        return text.strip(), []
    ends = [*(one.start() for one in found[1:]), len(text)]
    sections = [(one[1].lower(), text[one.end() : end].strip()) for one, end in zip(found, ends, strict=True)]
    return text[: found[0].start()].strip(), sections


def _told(text: str) -> str:
    """Return as much of a query as is looked at, without what no text holds."""
    return text[:LONGEST_QUERY].replace("\0", " ")
