"""Vectors on disk: nearest rows, changes in place, and damage that is found."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mneme.index import vectors as module
from mneme.index.embed.protocol import Vectors
from mneme.index.vectors import DamagedVectorsError, VectorFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Array = np.ndarray[Any, Any]

DIMS = 70  # not a whole number of words, so that the last one is filled up


def _rows(count: int, seed: int = 0, dims: int = DIMS) -> Array:
    rows = np.random.default_rng(seed).standard_normal((count, dims), dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _packed(rows: Array) -> Vectors:
    return Vectors(rows.shape[1], rows.astype("<f4").tobytes())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a file is to lie."""
    return tmp_path / "vectors"


_OPEN: list[VectorFile] = []


def _opened(path: Path, name: str = "m", dims: int = DIMS) -> VectorFile:
    _OPEN.append(VectorFile(path, name, dims))
    return _OPEN[-1]


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    """Close what a test opened."""
    yield
    while _OPEN:
        _OPEN.pop().close()


def _filled(path: Path, count: int, seed: int = 0) -> tuple[VectorFile, Array]:
    rows = _rows(count, seed)
    file = _opened(path)
    file.put(range(count), _packed(rows))
    return file, rows


def test_the_nearest_rows_come_first(path: Path) -> None:
    """The hits are those of the whole product, with their cosines, best first."""
    file, rows = _filled(path, 5000)
    for question in _rows(5, seed=1):
        scores = rows.astype(float) @ question.astype(float)
        best = np.argsort(-scores)[:10].tolist()
        hits = file.search(question.tobytes(), 10)
        assert [key for key, _ in hits] == best
        assert [score for _, score in hits] == pytest.approx(scores[best].tolist(), abs=1e-6)


def test_signs_find_nearly_what_products_find(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the bound the scan of signs finds the planted neighbours of each question."""
    monkeypatch.setattr(module, "EXACT_BELOW", 100)
    monkeypatch.setattr(module, "RESCORED", 200)
    file, rows = _filled(path, 9000)
    near = rows[:50] + 0.05 * _rows(50, seed=3)
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    found = [file.search(question.tobytes(), 1)[0][0] for question in near.astype(np.float32)]
    assert found == list(range(50))


def test_without_numpy_the_hits_are_the_same(path: Path) -> None:
    """A Python without numpy reads the file, adds to it, and finds the same rows."""
    file, _ = _filled(path, 40)
    question = _rows(1, seed=9)[0]
    expected = file.search(question.tobytes(), 6)
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "import json; from pathlib import Path\n"
        "from mneme.index.vectors import VectorFile; from mneme.index.embed.protocol import Vectors\n"
        f"file = VectorFile(Path(sys.argv[1]), 'm', {DIMS}); question = bytes.fromhex(sys.argv[2])\n"
        "before = file.search(question, 6)\n"
        f"file.put([77], Vectors({DIMS}, question)); print(json.dumps([before, file.search(question, 1)]))"
    )
    command = [sys.executable, "-c", code, str(path), question.tobytes().hex()]
    before, after = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert [tuple(hit) for hit in before] == expected
    assert after[0][0] == 77
    # The signs that were written without numpy are those that numpy writes.
    assert file.search(question.tobytes(), 1)[0][0] == 77
    assert module._sign_words(question.tobytes(), 2) == _plain_signs(question)


def _plain_signs(row: Array) -> tuple[int, int]:
    bits = sum(1 << place for place, number in enumerate(row.tolist()) if number > 0)
    return bits & (2**64 - 1), bits >> 64


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_any_changes_leave_what_a_dictionary_would(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Puts, replacements, drops and reopenings in any order leave the rows a dictionary would hold."""
    path = tmp_path_factory.mktemp("v") / "vectors"
    file, held = _opened(path), {}
    for step in range(data.draw(st.integers(1, 12))):
        keys = data.draw(st.lists(st.integers(0, 30), max_size=8))
        if data.draw(st.booleans()):
            rows = _rows(len(keys), seed=step)
            file.put(keys, _packed(rows))
            held |= {key: row.tobytes() for key, row in zip(keys, rows, strict=True)}
        else:
            assert file.drop(keys) == len(held.keys() & set(keys))
            for key in keys:
                held.pop(key, None)
        if data.draw(st.booleans()):
            file.close()
            file = _opened(path)
        assert {key: file.find(key) for key in file.keys()} == held  # noqa: SIM118 - a method, not a dictionary's
    question = _rows(1, seed=99)[0]
    scores = {key: float(np.frombuffer(row, "<f4").astype(float) @ question) for key, row in held.items()}
    best = sorted(scores, key=lambda key: (-round(scores[key], 7), key))[:5]
    assert [key for key, _ in file.search(question.tobytes(), 5)] == best
    file.verify()


def test_the_order_of_putting_never_changes_a_score(tmp_path: Path) -> None:
    """The same rows put in another order give the same hits with the same scores, to the last digit."""
    rows, order = _rows(3000), np.random.default_rng(5).permutation(3000)
    one, other = _opened(tmp_path / "a"), _opened(tmp_path / "b")
    one.put(range(3000), _packed(rows))
    other.put(order.tolist(), _packed(rows[order]))
    for question in _rows(20, seed=2):
        assert one.search(question.tobytes(), 20) == other.search(question.tobytes(), 20)


@pytest.mark.parametrize("few", [3, 2000])
def test_only_the_rows_among_are_found(path: Path, few: int) -> None:
    """A filter never adds a hit, and never costs one that it lets through."""
    file, rows = _filled(path, 5000)
    allowed = set(range(1, 2 * few, 2))
    question = _rows(1, seed=4)[0]
    hits = file.search(question.tobytes(), 10, among=allowed | {10**9})
    scores = rows @ question
    assert [key for key, _ in hits] == sorted(allowed, key=lambda key: -scores[key])[:10]


def test_dropped_places_are_used_again(path: Path) -> None:
    """A file does not grow while rows come and go."""
    file, _ = _filled(path, 4096)
    size = path.stat().st_size
    for start in range(0, 4096, 512):
        file.drop(range(start, start + 512))
        file.put(range(start, start + 512), _packed(_rows(512, seed=start)))
    assert path.stat().st_size == size
    assert len(file) == 4096


def test_a_dropped_row_leaves_no_bytes(path: Path) -> None:
    """What was forgotten is not in the file."""
    file, rows = _filled(path, 10)
    assert rows[3].tobytes() in path.read_bytes()
    file.drop([3])
    file.flush()
    assert rows[3].tobytes() not in path.read_bytes()
    assert 3 not in file


def test_another_reader_sees_each_change(path: Path) -> None:
    """A file that was opened before a change finds what came after, growth included."""
    writer, _ = _filled(path, 4)
    reader = _opened(path)
    rows = _rows(6000, seed=8)
    writer.put(range(4, 6004), _packed(rows))
    assert reader.search(rows[-1].tobytes(), 1)[0][0] == 6003
    writer.drop([6003])
    assert reader.search(rows[-1].tobytes(), 1)[0][0] != 6003
    assert len(reader) == 6003


def test_writers_that_take_turns_lose_nothing(path: Path) -> None:
    """Two that have the same file open put and drop by turns, and each sees what the other did."""
    rows = _rows(40)
    writers = [_opened(path), _opened(path)]
    for key in range(40):
        writers[key % 2].put([key], _packed(rows[key : key + 1]))
        if key % 5 == 4:
            assert writers[key % 3 % 2].drop([key - 1]) == 1
    kept = {key: rows[key].tobytes() for key in range(40) if key % 5 != 3}
    assert [{key: file.find(key) for key in file.keys()} for file in writers] == [kept, kept]  # noqa: SIM118 - a method


def test_two_processes_may_write(path: Path) -> None:
    """Writers take turns, and neither loses the other's rows."""
    code = (
        "import sys, numpy as np; from pathlib import Path\n"
        "from mneme.index.vectors import VectorFile; from mneme.index.embed.protocol import Vectors\n"
        f"file = VectorFile(Path(sys.argv[1]), 'm', {DIMS})\n"
        "for key in range(int(sys.argv[2]), 400, 2):\n"
        f"    file.put([key], Vectors({DIMS}, np.full({DIMS}, key, '<f4').tobytes()))\n"
    )
    _opened(path).close()
    started = [subprocess.Popen([sys.executable, "-c", code, str(path), str(first)]) for first in (0, 1)]
    assert [process.wait(30) for process in started] == [0, 0]
    file = _opened(path)
    assert {key: file.find(key) for key in range(400)} == {
        key: np.full(DIMS, key, "<f4").tobytes() for key in range(400)
    }


def _spoiled(path: Path, at: int, what: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(what)


@pytest.mark.parametrize("size", [1, 100, 4096, 8000, -1])
def test_a_truncated_file_is_found(path: Path, size: int) -> None:
    """A file cut anywhere is refused when it is opened."""
    _filled(path, 10)[0].close()
    whole = path.read_bytes()
    path.write_bytes(whole[:size])
    with pytest.raises(DamagedVectorsError):
        _opened(path)


@pytest.mark.parametrize("at", [0, 9, 30, 60])
def test_a_spoiled_head_is_found(path: Path, at: int) -> None:
    """No byte of the head can change unnoticed."""
    _filled(path, 10)[0].close()
    _spoiled(path, at, b"\xff\xfe")
    with pytest.raises(DamagedVectorsError):
        _opened(path)


def test_a_spoiled_row_is_never_a_hit(path: Path) -> None:
    """A row whose bytes changed is damage, not a result."""
    file, rows = _filled(path, 10)
    at = path.read_bytes().index(rows[5].tobytes())
    _spoiled(path, at + 8, rows[5].tobytes()[8:12][::-1])
    with pytest.raises(DamagedVectorsError):
        file.verify()
    with pytest.raises(DamagedVectorsError):
        file.find(5)


def test_a_change_that_was_interrupted_is_found(path: Path) -> None:
    """A process that died while it wrote leaves a file that nobody uses."""
    code = (
        "import os, sys; from pathlib import Path; from mneme.index import vectors\n"
        "from mneme.index.embed.protocol import Vectors\n"
        f"file = vectors.VectorFile(Path(sys.argv[1]), 'm', {DIMS})\n"
        "vectors._sign_words = lambda *_: os._exit(9)\n"
        f"file.put([3], Vectors({DIMS}, bytes(4 * {DIMS})))\n"
    )
    _filled(path, 2)[0].close()
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 9
    with pytest.raises(DamagedVectorsError, match="in the middle of a change"):
        _opened(path)


@pytest.mark.parametrize(("name", "dims"), [("other", DIMS), ("m", DIMS + 1)])
def test_another_embedders_vectors_are_never_compared(path: Path, name: str, dims: int) -> None:
    """A file opens under the name and size it was made with, and no other."""
    _filled(path, 3)[0].close()
    with pytest.raises(DamagedVectorsError, match="another embedder's"):
        _opened(path, name, dims)


def test_an_empty_file_finds_nothing(path: Path) -> None:
    """No rows, or none asked for, are no hits."""
    file = _opened(path)
    question = _rows(1)[0].tobytes()
    assert file.search(question, 5) == []
    file.put([1], _packed(_rows(1)))
    assert file.search(question, 0) == []
    assert file.search(question, 5, among=[]) == []
    assert file.search(question, 5) == [(1, pytest.approx(1, abs=1e-6))]


def test_rows_of_another_size_are_refused(path: Path) -> None:
    """What does not fit is refused before anything is written."""
    file = _opened(path)
    for keys, rows in (([1], _rows(2)), ([1], _rows(1, dims=3)), ([-1], _rows(1))):
        with pytest.raises(ValueError, match="were expected"):
            file.put(keys, _packed(rows))
    assert len(_opened(path)) == 0


_SHORTENED = """
import os, struct, sys
from pathlib import Path
from mneme.index.embed.protocol import Vectors
from mneme.index.vectors import DamagedVectorsError, VectorFile
rows = 5000
with VectorFile(Path(sys.argv[1]), "tiny/2@1", 2) as held:
    held.put(range(rows), Vectors(2, struct.pack("<2f", 0.6, 0.8) * rows))
    assert len(held.search(struct.pack("<2f", 1, 0), 3)) == 3
    os.truncate(sys.argv[1], int(sys.argv[2]))
    for ask in (lambda: held.search(struct.pack("<2f", 1, 0), 3), lambda: held.find(rows - 1), lambda: len(held)):
        try:
            ask()
        except DamagedVectorsError:
            print("told")
"""


@pytest.mark.parametrize("left", [0, 100, 5000])
def test_a_file_that_somebody_cuts_off_is_told(tmp_path: Path, left: int) -> None:
    """What is mapped and no longer there is never touched, for whoever touches it is ended by the system."""
    command = [sys.executable, "-c", _SHORTENED, str(tmp_path / "vectors"), str(left)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["told"] * 3), done.stderr
