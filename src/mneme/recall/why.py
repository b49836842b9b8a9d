"""What each term of a score says, in words: what `--explain` shows beside the numbers.

Every name that a score can be the sum of stands here; a test holds it.
"""

from __future__ import annotations

_SAID = {
    # what is measured of one piece
    "words": "how well its words fit, beside the piece whose words fit best",
    "words_place": "its place among all by words",
    "match": "how well its words fit, beside what the question's words could give",
    "plain": "the same, the names of those who speak left out",
    "cover": "how much of the question its words cover",
    "phrase": "words that stand together in the question stand together here",
    "quote": "what the question quotes is here, word for word",
    "sense": "how near it lies in meaning",
    "sense_place": "its place among all by meaning",
    "leads": "how far it is ahead in meaning",
    "part_match": "how well its words fit one part of the question",
    "part_sense": "how near it lies to one part of the question",
    "before_words": "the words of what stands before it",
    "before_sense": "the meaning of what stands before it",
    "after_words": "the words of what stands after it",
    "after_sense": "the meaning of what stands after it",
    "around_words": "the words of what stands two places off",
    "around_sense": "the meaning of what stands two places off",
    "window": "what its neighbours add of the question's words",
    "group_words": "the words of the whole that it is a part of",
    "group_sense": "the meaning of the whole that it is a part of",
    "echo": "what the likeliest say beside the question's words is said here too",
    "speaker": "the question names who says this",
    "other_speaker": "the question names somebody else",
    "asks": "it is a question itself",
    "after_question": "it follows where the same is asked",
    "timed": "a time is wanted, and one is here",
    "counted": "a number is wanted, and one is here",
    "named": "a name is wanted, and one is here",
    "dated": "it dates from the days in question",
    "length": "how much it says",
    "tongue": "it is written in the script of the question",
    # what is measured of the question and all of it
    "base": "where every piece starts",
    "nearest": "how near the nearest lies in meaning",
    "agreement": "how far words and meaning name the same pieces",
    "dispersion": "how far the nearest stands out from the tenth",
    "spread": "how common the question's words are",
    "size": "how many words ask",
    "crowd": "how many pieces there are to be mistaken for the answer",
    "doubt": "whether anything here answers at all",
    "sure": "chances above even, held to what was found true of such",
    "few": "how few pieces there are to choose from",
    # what the question calls by its name, and when
    "id": "the question names it by id",
    "gist": "the question is its gist, word for word",
    "title": "the question is its title, word for word",
    "cue": "the question is one of its cues, word for word",
    "entity": "the question is the entity that it is about",
    "in these days": "it dates from the days that are asked for, and nothing else is asked",
    # what it may be taken for
    "state": "stale, proposed or replaced",
    "conf": "how sure whoever wrote it was",
    "seen": "how long ago it was last seen to hold",
    "recency": "how long ago it happened",
    "superseded": "held below what replaced it",
    "conflict": "held below what contradicts it and wins",
    "diversity": "others from the same place stand before it",
}
SUCCESSOR = "successor of "


def in_words(term: str) -> str:
    """Return what a term says; nothing for one that nobody knows."""
    if term.startswith(SUCCESSOR):
        return "as likely as what it replaced"
    return _SAID.get(term, "")
