"""Whether to speak: what strangers' questions get, what is answered once its evidence is gone, and how true scores are.

A question is *answerable* where its evidence is there, *strange* where it is about nothing in the store, and *emptied*
where everything that answers it was taken out of the files and the rest left standing. Prints nothing when run.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from filed import pages_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from filed import Filed

    from mneme.recall.answer import Answer

ANSWERABLE, STRANGE, EMPTIED = "answerable", "strange", "emptied"
KEPT_SHARE, STRAY_SHARE = 0.90, 0.03
BINS = 10
CONSIDERED = 5
EMPTIED_STEP, MOST_EMPTIED = 4, 50


@dataclass(frozen=True, slots=True)
class Evidence:
    """What came of one question: whether it was answered and how surely, and of the first hits which were right."""

    name: str
    kind: str
    answered: bool
    certain: bool
    scores: tuple[float, ...]
    right: tuple[bool, ...]

    @classmethod
    def of(cls, name: str, kind: str, answer: Answer, right: list[bool]) -> Evidence:
        """Return it of an answer; where nothing can be right, nothing is."""
        scores = tuple(hit.score for hit in answer)[:CONSIDERED]
        known = tuple(right[: len(scores)]) + (False,) * (len(scores) - len(right))
        return cls(name, kind, bool(scores), answer.certain, scores, known)

    @property
    def best(self) -> float:
        """Return the best score, 0 where nothing was said."""
        return max(self.scores, default=0.0)


def without_evidence(filed: Filed) -> Iterator[Evidence]:
    """Take what answers a question out of the files, ask it, and put it back: of every so manieth question."""
    store = filed.store
    if not store.is_talk or len(store.questions) < EMPTIED_STEP:
        return
    whole = pages_of(store)
    for question in store.questions[1::EMPTIED_STEP][:MOST_EMPTIED]:
        less = store.without(frozenset(question.gold))
        pages = pages_of(less)
        touched = {path: pages[path] for path in whole if path in pages and pages[path].text != whole[path].text}
        filed.write(touched)
        yield Evidence.of(store.name, EMPTIED, filed.ask(question.text), [])
        filed.write({path: whole[path] for path in touched})
    filed.write(whole)
    filed.memory.index()


def figures(evidence: list[Evidence]) -> dict[str, object]:
    """Return what all of it comes to, by set, and over all how far a score is true."""
    by_set: dict[str, dict[str, list[Evidence]]] = defaultdict(lambda: defaultdict(list))
    for one in evidence:
        by_set[one.name][one.kind].append(one)
    return {
        "points": {name: _points(kinds) for name, kinds in by_set.items() if kinds[STRANGE]},
        "emptied": {name: _curve(kinds) for name, kinds in by_set.items() if kinds[EMPTIED]},
        "reliability": reliability(evidence),
    }


def _points(kinds: dict[str, list[Evidence]]) -> dict[str, float]:
    """Return what passes at the two points as they are set, and what would where 3% of strangers do."""
    strange, known = kinds[STRANGE], kinds[ANSWERABLE]
    ranked = sorted((one.best for one in strange), reverse=True)
    at = ranked[min(len(ranked) - 1, int(STRAY_SHARE * len(ranked)))]
    best = sorted((one.best for one in known), reverse=True)
    kept_at = best[min(len(best) - 1, int(KEPT_SHARE * len(best)))]
    return {
        "strange": len(strange),
        "answerable": len(known),
        "strange answered, asked": _share(strange, "answered"),
        "answerable answered, asked": _share(known, "answered"),
        "strange answered, injection": _share(strange, "certain"),
        "answerable answered, injection": _share(known, "certain"),
        "answerable above all but 3% of strange": round(sum(one.best > at for one in known) / len(known), 4),
        "strange above 90% of answerable": round(sum(one.best >= kept_at for one in strange) / len(strange), 4),
    }


def _share(held: list[Evidence], what: str) -> float:
    return round(sum(getattr(one, what) for one in held) / len(held), 4) if held else 0.0


def _curve(kinds: dict[str, list[Evidence]]) -> dict[str, object]:
    """Return the risk at each coverage: questions with their evidence and without, one of each, surest first.

    An answer is wrong where none of its first hits is evidence. Risk is the share of wrong ones among those given.
    """
    emptied, known = kinds[EMPTIED], kinds[ANSWERABLE]
    step = max(1, len(known) // len(emptied))
    mixed = sorted((*known[::step][: len(emptied)], *emptied), key=lambda one: -one.best)
    rows = []
    for tenth in range(1, BINS + 1):
        given = mixed[: max(1, len(mixed) * tenth // BINS)]
        rows.append({"coverage": tenth / BINS, "risk": round(sum(not any(one.right) for one in given) / len(given), 4)})
    return {
        "emptied": len(emptied),
        "answered, asked": _share(emptied, "answered"),
        "answered, injection": _share(emptied, "certain"),
        "curve": rows,
    }


def reliability(evidence: list[Evidence]) -> list[dict[str, float]]:
    """Return, by tenths of the score, how many of the first hits there were and how many of them were right."""
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for one in evidence:
        if one.kind != EMPTIED:
            for score, right in zip(one.scores, one.right, strict=True):
                bins[min(BINS - 1, int(score * BINS))].append((score, right))
    return [
        {
            "from": number / BINS,
            "hits": len(held),
            "said": round(sum(score for score, _ in held) / len(held), 3),
            "true": round(sum(right for _, right in held) / len(held), 3),
        }
        for number, held in sorted(bins.items())
    ]


def as_text(found: dict[str, object]) -> list[str]:
    """Return the figures in lines."""
    lines = []
    for name, row in found["points"].items():
        lines += [f"  {name}", *(f"    {label:42} {value}" for label, value in row.items())]
    for name, row in found["emptied"].items():
        curve = "  ".join(f"{one['coverage']:.1f}:{one['risk']:.2f}" for one in row["curve"])
        given = f"asked {row['answered, asked']}, injection {row['answered, injection']}"
        lines += [f"  {name}, evidence removed ({row['emptied']}): answered {given}", f"    coverage:risk  {curve}"]
    lines += [
        f"    score from {row['from']:.1f}: {row['hits']:6} hits, said {row['said']:.3f}, true {row['true']:.3f}"
        for row in found["reliability"]
    ]
    return lines
