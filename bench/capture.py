"""What capture finds in sentences that were labelled by hand before any pattern was written: precision and recall.

bench/capture.py [--data DIR] [--half tune|held|both] [--set found|own|all] [--json] [--show KIND]

The labels name sentences by where they stand, never by their words; beside them stand sentences of our own, written for
kinds that the sets hold few of, and measured without the sets. A label has a kind, or none; under `also` stand the
other kinds that a fair reader would grant. What is found is right if its kind is either; a labelled kind counts as
found if the sentence was found as any of them. A sentence with no kind and something under `also` is counted neither way.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

LABELS = Path(__file__).with_name("capture_labels.jsonl")
OWN = Path(__file__).with_name("capture_own.jsonl")
END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n+")
KINDS = ("fact", "decision", "preference", "correction", "gotcha", "todo", "entity")


@dataclass(frozen=True, slots=True)
class Label:
    """A sentence, by where it stands, and what a fair reader takes from it."""

    ref: str
    hash: str
    lang: str
    kind: str
    also: tuple[str, ...]
    own: str = ""

    @property
    def half(self) -> str:
        """Return the half it belongs to: all sentences of one text are on the same side."""
        text = self.own or self.ref.rpartition("/")[0]
        return "tune" if sha256(text.encode()).digest()[0] % 2 else "held"

    @property
    def fair(self) -> frozenset[str]:
        """Return the kinds that are right."""
        return frozenset(one for one in (self.kind, *self.also) if one)


def read_labels(wanted: str = "found") -> list[Label]:
    """Read the labels of sentences that were found in the sets, of our own, or of all."""
    found = map(json.loads, LABELS.read_text().splitlines()) if wanted != "own" else ()
    own = map(json.loads, OWN.read_text().splitlines()) if wanted != "found" else ()
    return [
        *(Label(row["ref"], row["hash"], row["lang"], row["kind"], tuple(row["also"])) for row in found),
        *(Label("own", "", row["lang"], row["kind"], tuple(row["also"]), row["text"]) for row in own),
    ]


@cache
def store(place: Path) -> dict[tuple[str, str], str]:
    """Return the texts of a retrieval file by store and document."""
    found = json.loads(place.read_text())
    stores = found if isinstance(found, list) else [found]
    return {(one["id"], doc["id"]): doc["text"] for one in stores for doc in one["docs"]}


@cache
def turns(place: Path) -> dict[int, str]:
    """Return what was said in a session, by line."""
    from mneme.formats.transcript import parse_transcript

    return {turn.line: turn.text for turn in parse_transcript(place.read_text(errors="replace")).turns}


@cache
def rows(place: Path) -> list[str]:
    """Return the lines of a file."""
    return place.read_text().split("\n")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text as the labels number them."""
    return [one.strip() for one in END.split(text) if one.strip()]


def sentence_of(data: Path, label: Label) -> str:
    """Return the words that a label is about."""
    if label.own:
        return label.own
    source, rest = label.ref.split(" ", 1)
    if source == "workspace":
        path, _, line = rest.rpartition(":")
        return rows(data / "workspaces" / path)[int(line) - 1].strip()
    name, _, place = rest.partition(" ")
    at, _, number = place.rpartition("/")
    if source == "transcript":
        text = turns(data / "transcripts" / name)[int(at)]
    elif source == "locomo":
        text = store(data / "locomo" / f"{name}.json")[name, at].split(": ", 1)[1].split(" (shared image:")[0]
    else:
        text = store(data / "memsim-zh" / "dev.json")[name, at]
    return sentences(text)[int(number)]


def found_in(text: str, *, spoken: bool) -> list[str]:
    """Return the kinds that capture finds in a sentence."""
    from mneme.capture.statement import find_statements

    return [one.kind for one in find_statements(text, spoken=spoken)]


def measure(data: Path, half: str, show: str, wanted: str = "found") -> dict[str, dict[str, dict[str, float]]]:
    """Return precision and recall by language and kind."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for label in read_labels(wanted):
        if half not in ("both", label.half):
            continue
        text = sentence_of(data, label)
        if label.hash and sha256(text.encode()).hexdigest()[:8] != label.hash:
            sys.exit(f"the data has changed under '{label.ref}'")
        found = found_in(text, spoken=not label.ref.startswith("workspace"))
        count(label, found, counts)
        wrong = [one for one in found if one not in label.fair]
        missed = label.kind and not label.fair & set(found)
        if show and (show in wrong or show == label.kind) and (wrong or missed):
            print(f"{'wrong ' + ','.join(wrong) if wrong else 'missed'} [{label.kind or '-'}] {text}")
    return told(counts)


def count(label: Label, found: list[str], counts: dict[tuple[str, str], Counter[str]]) -> None:
    """Count one sentence."""
    for kind in set(found) & set(KINDS):
        for name in (kind, "all"):
            row = counts.setdefault((label.lang, name), Counter())
            row["right" if kind in label.fair else "wrong"] += 1
    for name in (label.kind, "all") if label.kind else ():
        row = counts.setdefault((label.lang, name), Counter())
        row["there"] += 1
        row["got"] += bool(label.fair & set(found))


def told(counts: dict[tuple[str, str], Counter[str]]) -> dict[str, dict[str, dict[str, float]]]:
    """Return counts as figures."""
    result: dict[str, dict[str, dict[str, float]]] = {}
    for (lang, kind), row in sorted(counts.items(), key=lambda one: (one[0][0], (*KINDS, "all").index(one[0][1]))):
        said = row["right"] + row["wrong"]
        result.setdefault(lang, {})[kind] = {
            "labelled": row["there"],
            "found": said,
            "precision": round(row["right"] / said, 3) if said else 0.0,
            "recall": round(row["got"] / row["there"], 3) if row["there"] else 0.0,
        }
    return result


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path())
    parser.add_argument("--half", choices=("tune", "held", "both"), default="held")
    parser.add_argument("--set", choices=("found", "own", "all"), default="")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", default="")
    args = parser.parse_args()
    there = (args.data / "locomo").is_dir()
    wanted = args.set or ("all" if there else "own")
    if wanted != "own" and not there:
        print(f"there are no question sets at '{args.data}'", file=sys.stderr)
        return 2
    figures = measure(args.data, args.half, args.show, wanted)
    if args.json:
        print(json.dumps({"half": args.half, "set": wanted, "figures": figures}, indent=1))
        return 0
    print(f"sentences: {wanted}; half: {args.half}")
    for lang, kinds in figures.items():
        for kind, row in kinds.items():
            print(
                f"{lang}  {kind:<11} {row['labelled']:>4} labelled  {row['found']:>4} found  "
                f"precision {row['precision']:.2f}  recall {row['recall']:.2f}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
