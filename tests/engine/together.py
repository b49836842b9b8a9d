"""Two agents and a person in an editor at one workspace: what each of them does, each a process of its own.

Every agent keeps a ledger of what it was told of each write; the person keeps one of each save. Run as a script:
`together.py agent|person ROOT LEDGER SECONDS NAME`.
"""

from __future__ import annotations

import json
import random
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mneme.engine import Memory
    from mneme.engine.results import Done

HOME = "memory/semantic/infrastructure.md"
SYLLABLES = "ba de fi go hu ka le mi no pu ra se ti vo zu".split()  # noqa: SIM905 - a list of words reads as one


def sentence(chance: random.Random, word: str) -> str:
    """Return a text like no other, with the word it is known by."""
    return " ".join(["".join(chance.choices(SYLLABLES, k=3)) for _ in range(4)] + [word])


def work(root: Path, ledger: Path, seconds: float, name: str) -> None:
    """Write memories of many kinds as fast as it goes, and keep what came of each."""
    from mneme.engine import open_memory
    from mneme.errors import MnemeError

    chance, number, end = random.Random(name), 0, time.monotonic() + seconds  # noqa: S311 - no secret
    with ledger.open("a", encoding="utf-8", buffering=1) as told:
        while time.monotonic() < end:
            number += 1
            row: dict[str, object] = {"word": f"{name}{number:05d}x"}
            try:
                with open_memory(str(root), now=lambda: datetime.now(UTC)) as memory:
                    done = write(memory, chance, sentence(chance, str(row["word"])))
                    problems = [problem.message for problem in (*done.problems, *memory.problems)]
                    row |= {"status": "ok", "problems": problems}
            except MnemeError as error:
                row |= {"status": "refused", "message": error.message}
            told.write(json.dumps(row) + "\n")


def write(memory: Memory, chance: random.Random, text: str) -> Done:
    """Write one memory, most often into the file that the person has open."""
    act = chance.choice(["infrastructure", "infrastructure", "note", "buffer", "decision"])
    if act == "note":
        return memory.note(text)
    if act == "buffer":
        return memory.buffer_add(text)
    return memory.remember(text, kind=act, force=True)


def edit(root: Path, ledger: Path, seconds: float, name: str) -> None:
    """Read a file, think, and save it with a line more: anew, in place, or without looking whether it changed."""
    chance, number, end = random.Random(name), 0, time.monotonic() + seconds  # noqa: S311 - no secret
    place = root / HOME
    with ledger.open("a", encoding="utf-8", buffering=1) as told:
        while time.monotonic() < end:
            number += 1
            word = f"{name}{number:05d}x"
            careless = chance.random() < 0.2
            before = place.read_bytes()
            time.sleep(chance.uniform(0.01, 0.1))  # the person thinks
            if not careless and place.read_bytes() != before:
                continue  # the editor says that the file changed, and the person opens it again
            save(place, before + f"- {sentence(chance, word)}\n".encode(), anew=chance.random() < 0.5)
            told.write(json.dumps({"word": word, "status": "ok", "careless": careless}) + "\n")


def save(place: Path, content: bytes, *, anew: bool) -> None:
    """Write a file as editors do: a new one in its place, or into the one that is there."""
    if not anew:
        with place.open("r+b") as file:
            file.write(content)
            file.truncate()
        return
    beside = place.with_name(".infrastructure.md.swp")
    beside.write_bytes(content)
    beside.replace(place)


if __name__ == "__main__":
    who, where, kept, long, called = sys.argv[1:]
    (work if who == "agent" else edit)(Path(where), Path(kept), float(long), called)
