"""The scripts that measure run on any folder of question sets, and what they ask is the product's own way in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from mneme.index.rank import WEIGHTS_FILE

BENCH = Path(__file__).resolve().parents[1] / "bench"
TURNS = (
    "Ann: I moved to Lisbon in May.\n\n```\n# not a heading\n```\n- not an entry",
    "Bob: My zebra is ill.",
    "Ann: # Poor thing!",
    "Bob: The vet says that it ate the turtle's paint.",
    "Ann: Is it blue now?",
    "Bob: In parts.",
)


def write_set(folder: Path) -> None:
    """Write a conversation over two days with two questions."""
    docs = [
        {"id": f"gold-{place}", "text": text, "when": f"9:0{place} am on {1 + place // 3} May, 2023"}
        for place, text in enumerate(TURNS)
    ]
    queries = [
        {"id": "a", "question": "Where did Ann move?", "gold": ["gold-0"], "category": 1},
        {"id": "b", "question": "What did the zebra eat?", "gold": ["gold-1", "gold-3"], "category": 4},
    ]
    (folder / "locomo").mkdir()
    held = {"id": "x", "docs": docs, "queries": queries}
    (folder / "locomo/conv.json").write_text(json.dumps(held), "utf-8")


def ran(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the folder as a person does."""
    return subprocess.run(
        [sys.executable, str(BENCH / script), *arguments], capture_output=True, text=True, check=False
    )


def test_a_folder_of_that_shape_is_measured(tmp_path: Path) -> None:
    """Every system gets its line, by category too; a set that nothing was fitted to is called unseen."""
    write_set(tmp_path)
    done = ran("locomo.py", "--data", str(tmp_path), "--json", "--words")
    assert done.returncode == 0, done.stderr
    rows = {(row["system"], row["category"]): row for row in json.loads(done.stdout)["figures"]}
    assert {system for system, _ in rows} == {"mneme", "bm25", "dense", "rrf"}
    assert {category for _, category in rows} == {"all", "1", "4"}
    assert (rows["mneme", "all"]["sample"], rows["mneme", "all"]["hit@5"]) == ("unseen", 1.0)


def test_a_set_of_no_known_family_is_measured_once(tmp_path: Path) -> None:
    """A folder of another name is one more set of the table, and any script reads files of that shape at the top."""
    write_set(tmp_path)
    (tmp_path / "locomo").rename(tmp_path / "chats")
    for script, folder, name in (("table.py", tmp_path, "chats"), ("tools.py", tmp_path / "chats", "conv")):
        done = ran(script, "--data", str(folder), "--json", "--words")
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert report["machine"]["stores"] == 1
        assert {(row["set"], row["sample"]) for row in report["figures"]} == {(name, "unseen")}


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    """Without question sets a script says so in one line, and is no failure of `make bench`."""
    for script in ("table.py", "locomo.py", "memsim.py", "paraphrase.py", "tools.py"):
        done = ran(script, "--data", str(tmp_path))
        assert (done.returncode, done.stdout) == (0, "")
        assert "no question sets" in done.stderr


THINGS = ("kettle", "ladder", "violin", "lantern", "compass", "blanket", "hammer", "mirror", "basket", "anchor")
PLACES = ("attic", "cellar", "garden", "harbour", "library", "kitchen", "workshop", "chapel", "stable", "tower")


def write_talks(folder: Path) -> None:
    """Write two conversations in which somebody says where things are, and questions for each."""
    (folder / "locomo").mkdir()
    for number, names in enumerate((("Ann", "Bob"), ("Cleo", "Dan"))):
        pairs = list(zip(THINGS, PLACES[number:] + PLACES[:number], strict=True))
        docs = [
            {
                "id": str(place),
                "text": f"{names[place % 2]}: I have put the {thing} into the {where} behind the old door.",
                "when": f"9:0{place % 10} am on {1 + place // 10} May, 2023",
            }
            for place, (thing, where) in enumerate(pairs * 2)
        ]
        queries = [
            {"id": thing, "question": f"Where is the {thing} now?", "gold": [str(place)], "category": 4}
            for place, (thing, _) in enumerate(pairs)
        ]
        held = {"id": f"talk-{number}", "docs": docs, "queries": queries}
        (folder / f"locomo/{number}.json").write_text(json.dumps(held), "utf-8")


def test_the_fit_gives_the_same_numbers_again(tmp_path: Path) -> None:
    """To the last digit, whatever was kept of an earlier run; and what it writes is all that the product reads."""
    write_talks(tmp_path)
    written = []
    for seed in ("1", "2"):
        into = tmp_path / f"weights-{seed}.json"
        done = subprocess.run(
            [sys.executable, str(BENCH / "fit.py"), "--data", str(tmp_path), "--into", str(into), "--json"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONHASHSEED": seed},
        )
        assert done.returncode == 0, done.stderr
        written.append(into.read_text("utf-8"))
        # The second run measures some stores again, and reads what was kept of the others.
        kept = sorted(tmp_path.glob("mneme-bench-measured/*/*"))
        assert len(kept) > 1
        for path in kept[::2]:
            path.unlink()
    assert written[0] == written[1]
    held = json.loads(written[0])
    assert set(held["both"]) == set(json.loads(WEIGHTS_FILE.read_text("utf-8"))["both"])
    assert json.loads(done.stdout)["both"]["sets"]["locomo"]["hit@10"] > 0
