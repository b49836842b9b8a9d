"""Long conversations between two people: which turns answer a question. One turn is one entry of the day it was said on.

    bench/locomo.py --data DIR [--json] [--words] [--peers]

Beside the shipped numbers stands `mneme, left out`: each conversation ranked by numbers that were fitted, in this run,
to every set of the folder with that conversation and all that is made of it left out.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from stores import load_family
from table import Run, load_every, run

if TYPE_CHECKING:
    from pathlib import Path

    from stores import Store
    from vectors import Kept

LEFT_OUT = "mneme, left out"


def load(data: Path) -> list[Store]:
    """Read the sets."""
    return load_family(data, "locomo", "*.json", "locomo")


def left_out(found: list[Store], data: Path, kept: Kept) -> list[Run]:
    """Return the run in which no conversation is ranked by numbers that saw it; with one conversation there is none."""
    from cases import collect, derived
    from filed import weighed
    from fitting import Fitted, validate

    from mneme.index.rank import Weights

    talks = [store for store in found if store.name == "locomo"]
    if len(talks) < 2:  # noqa: PLR2004 - one to rank, one to learn from
        return []
    plain = load_every(data)
    cases = collect([*plain, *derived(plain, kept)], plain, kept)
    known = {}
    for store in talks:
        others = [case for case in cases if store.fold not in {case.fold, case.asked_in}]
        numbers = Weights(**Fitted(others).as_json(validate(others)[1]))
        known[store.print] = {"both": numbers, "words": numbers}
    return [Run(LEFT_OUT, lambda store: weighed(known[store.print]), frozenset(known))]


if __name__ == "__main__":
    sys.exit(run("locomo", load, left_out))
