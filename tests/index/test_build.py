"""The index is a function of the files: whatever happened to them, catching up comes to what building anew would."""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from mneme.index import build
from mneme.index.backend import ANY, BusyIndexError
from mneme.index.build import count_behind, embed_missing, refresh
from mneme.index.embed import Vectors
from mneme.index.reference import ReferenceBackend
from mneme.index.search import find_ranked
from mneme.index.sqlite import SqliteBackend
from mneme.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

PATHS = (
    "memory/project.mneme",
    "memory/2026-01-05.md",
    "MEMORY.md",
    "memory/deep/er.md",
    "brain/areas/acme/items.json",
)
CELL = "@FACT-{n:04} storage/cache\ngist  {text}\nstate live  conf med  since 2026-01-0{d}  seen 2026-01-0{d}\n\n"
FACTS = (
    '[{{"id": "acme-00{d}", "fact": "{text}", "category": "status", "timestamp": "2026-01-0{d}", "status": "active"}}]'
)
WORDS = ("zebra", "horse", "cache", "sqlite", "deploy", "printer", "花生过敏")


# Another name of the same kind: plain, in other case, and a letter with an accent in either way of writing it.
MOVED = (
    *("memory/moved.md", "memory/other.mneme", "memory/2026-01-06.md", "memory/MOVED.md"),
    *("memory/caf\u00e9.md", "memory/cafe\u0301.md"),
)


def content_of(path: str, words: list[str]) -> bytes:
    """Return a file of memory that says some words, as files of its name do."""
    if path.endswith(".mneme"):
        return "".join(CELL.format(n=n, text=word, d=n % 9 + 1) for n, word in enumerate(words)).encode()
    if path.endswith(".json"):
        return FACTS.format(d=len(words), text=" ".join(words)).encode()
    return ("# Notes\n\n" + "".join(f"- {word} was here\n" for word in words)).encode()


def everything(backend: object) -> dict[str, object]:
    """Return all that an index says, rows and stamps aside: its pieces, and what it answers to every word."""
    pieces = [piece for _, piece in backend.listed(ANY, 10_000)]
    answers = {}
    for word in WORDS:
        ranked, _ = find_ranked(backend, word, None, ANY)
        found = dict(backend.pieces([one.row for one in ranked], ANY))
        answers[word] = [(found[one.row].record.path, found[one.row].record.id, one.log_odds) for one in ranked]
    tally = backend.tally(WORDS)
    return {"pieces": pieces, "answers": answers, "tally": (tally.pieces, tally.mean_length, dict(tally.frequency))}


def built(workspace: Workspace) -> dict[str, object]:
    """Return all that an index made from nothing says, by somebody who has seen nothing before."""
    backend = ReferenceBackend()
    workspace = open_workspace(workspace.root)
    refresh(backend, workspace)
    fresh = SqliteBackend(workspace.root / ".mneme.d/fresh.sqlite")
    try:
        refresh(fresh, workspace)
        made = everything(fresh)
    finally:
        fresh.close()
        for part in (workspace.root / ".mneme.d").glob("fresh.sqlite*"):
            part.unlink()
    assert made["pieces"] == everything(backend)["pieces"]
    return made


class Hashing:
    """An embedder that knows no meanings: a text's vector is made of its hash."""

    name, dims = "hashing/8@1", 8

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a unit vector for each text."""
        return Vectors(self.dims, b"".join(map(self.vector, texts)))

    def vector(self, text: str) -> bytes:
        """Return the vector of one text."""
        numbers = [byte - 127.5 for byte in hashlib.blake2b(text.encode(), digest_size=self.dims).digest()]
        length = math.sqrt(math.fsum(number * number for number in numbers))
        return struct.pack(f"<{self.dims}f", *(number / length for number in numbers))


def vectors_of(backend: SqliteBackend) -> dict[str, float]:
    """Return for each text, by its own vector, how near its piece's vector is; and hold that none is too many."""
    embedder = Hashing()
    pieces = backend.listed(ANY, 10_000)
    near = {}
    for row, piece in pieces:
        question = embedder.vector(piece.spoken)
        near[piece.record.id] = round(backend.similar(embedder.name, question, [row]).get(row, 0.0), 5)
        assert row in [hit for hit, _ in backend.by_vector(embedder.name, question, len(pieces), ANY).hits]
    assert backend.embedded(embedder.name) == len(pieces)
    return near


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Return a workspace with one file of each kind."""
    (tmp_path / "mneme.toml").write_text('profile = "default"\n', "utf-8")
    for path in PATHS:
        write(tmp_path, path, ["zebra", "cache"])
    return open_workspace(tmp_path)


def write(root: Path, path: str, words: list[str]) -> None:
    """Write a file of memory."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(content_of(path, words))


@pytest.fixture
def backend(workspace: Workspace) -> SqliteBackend:
    """Return the workspace's index, empty."""
    opened = SqliteBackend(workspace.root / ".mneme.d/index.sqlite")
    yield opened
    opened.close()


class Files(RuleBasedStateMachine):
    """Files change in every way that files do; now and then somebody looks, wholly, in a hurry, or twice at once."""

    @initialize()
    def begin(self) -> None:
        """Make an empty workspace with two indexes' worth of processes."""
        self.root = Path(os.path.realpath(tempfile.mkdtemp(prefix="mneme-")))
        (self.root / "mneme.toml").write_text('profile = "default"\n', "utf-8")
        self.workspace = open_workspace(self.root)
        self.place = self.root / ".mneme.d/index.sqlite"
        self.backends = [SqliteBackend(self.place), SqliteBackend(self.place)]
        self.saved: dict[str, tuple[bytes, int]] = {}

    def teardown(self) -> None:
        """Take the workspace away."""
        if hasattr(self, "root"):
            for backend in self.backends:
                backend.close()
            shutil.rmtree(self.root)

    def existing(self) -> list[str]:
        """Return the files that are there."""
        return [path for path in PATHS if (self.root / path).exists()]

    @rule(path=st.sampled_from(PATHS), words=st.lists(st.sampled_from(WORDS), max_size=4), same_size=st.booleans())
    def edit(self, path: str, words: list[str], *, same_size: bool) -> None:
        """Write a file, sometimes with as many bytes as before and the time it had before."""
        place = self.root / path
        before = place.stat() if place.exists() else None
        write(self.root, path, words)
        if same_size and before is not None:
            os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        """Delete a file, and remember it for later."""
        if self.existing():
            path = data.draw(st.sampled_from(self.existing()))
            place = self.root / path
            self.saved[path] = (place.read_bytes(), place.stat().st_mtime_ns)
            place.unlink()

    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        """Bring a deleted file back with its old time, as a backup does."""
        if self.saved:
            path = data.draw(st.sampled_from(sorted(self.saved)))
            content, modified = self.saved[path]
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            os.utime(place, ns=(modified, modified))

    @rule(data=st.data(), to=st.sampled_from(MOVED))
    def rename(self, data: st.DataObject, to: str) -> None:
        """Move a file where another one may be, its times unchanged."""
        fitting = [path for path in self.existing() if path.rpartition(".")[2] == to.rpartition(".")[2]]
        if fitting:
            (self.root / data.draw(st.sampled_from(fitting))).rename(self.root / to)

    @rule(back=st.booleans())
    def rename_a_folder(self, *, back: bool) -> None:
        """Move a folder with all that is in it."""
        one, other = self.root / "memory/deep", self.root / "memory/deeper"
        one, other = (other, one) if back else (one, other)
        if one.exists() and not other.exists():
            one.rename(other)

    @rule(data=st.data(), name=st.sampled_from(("memory/linked.md", "memory/deep/linked.md", "memory/linked")))
    def link(self, data: st.DataObject, name: str) -> None:
        """Let a link lead to a file or a folder of the workspace, to nowhere, or out of it."""
        place = self.root / name
        if place.parent.exists() and not os.path.lexists(place):
            there = [str(self.root / path) for path in self.existing() if path.endswith(".md")]
            place.symlink_to(data.draw(st.sampled_from([*there, str(self.root / "memory/deep"), "/etc", "nowhere"])))

    @rule(name=st.sampled_from(("memory/linked.md", "memory/deep/linked.md", "memory/linked")))
    def unlink(self, name: str) -> None:
        """Take a link away."""
        if (self.root / name).is_symlink():
            (self.root / name).unlink()

    @rule(data=st.data(), seconds=st.sampled_from((-(10**9), 3600)))
    def skew(self, data: st.DataObject, seconds: int) -> None:
        """Give a file a time long ago, or one that is still to come."""
        if self.existing():
            moment = time.time() + seconds
            os.utime(self.root / data.draw(st.sampled_from(self.existing())), (moment, moment))

    @rule(who=st.sampled_from((0, 1)), hurried=st.booleans())
    def look(self, who: int, *, hurried: bool) -> None:
        """Catch up, or begin to."""
        refresh(self.backends[who], self.workspace, budget_seconds=0.0 if hurried else 60.0)

    @rule()
    def look_at_once(self) -> None:
        """Catch up twice at the same time."""
        threads = [Thread(target=refresh, args=(backend, self.workspace)) for backend in self.backends]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    @rule(who=st.sampled_from((0, 1)))
    def embed(self, who: int) -> None:
        """Make the vectors that are missing of what was brought in so far."""
        embed_missing(self.backends[who], Hashing())

    @rule()
    def delete_the_index(self) -> None:
        """Take away all that is derived, as anybody may at any moment."""
        for backend in self.backends:
            backend.close()
        shutil.rmtree(self.root / ".mneme.d")
        self.backends = [SqliteBackend(self.place), SqliteBackend(self.place)]

    @rule(who=st.sampled_from((0, 1)), after=st.integers(0, 3))
    def crash(self, who: int, after: int) -> None:
        """Fail in the middle of catching up, and open the index again."""
        backend = self.backends[who]
        calls = iter(range(after))

        def failing(*given: object, **more: object) -> object:
            if next(calls, None) is None:
                raise KeyboardInterrupt
            return SqliteBackend._put(backend, *given, **more)

        backend._put = failing
        with contextlib.suppress(KeyboardInterrupt):
            refresh(backend, self.workspace)
        backend.close()
        self.backends[who] = SqliteBackend(self.place)

    @rule()
    def rest(self) -> None:
        """Let the files grow old enough for their stamps to prove something."""
        time.sleep(0.06)

    @rule()
    def share(self) -> None:
        """Change a setting that decides how files are read."""
        text = '[audience]\nshared = ["memory/deep/*"]\n' if self.workspace.profile.shared == () else ""
        (self.root / "mneme.toml").write_text(f'profile = "default"\n{text}', "utf-8")
        self.workspace = open_workspace(self.root)

    @invariant()
    def catching_up_is_building_anew(self) -> None:
        """After a whole look, either index says what one made from nothing says."""
        if hasattr(self, "backends"):
            assert refresh(self.backends[0], self.workspace).fresh
            assert everything(self.backends[0]) == built(self.workspace)
            assert everything(self.backends[1]) == everything(self.backends[0])
            assert not embed_missing(self.backends[0], Hashing())
            assert {*vectors_of(self.backends[0]).values()} <= {1.0}
            assert vectors_of(self.backends[1]) == vectors_of(self.backends[0])


TestFiles = Files.TestCase
TestFiles.settings = settings(max_examples=15, stateful_step_count=8, deadline=None)


def test_a_second_look_reads_nothing(workspace: Workspace, backend: SqliteBackend) -> None:
    """Files whose stamps are old enough are not opened again; one that is new is, and its hash says it is the same."""
    assert refresh(backend, workspace).read == len(PATHS)
    assert refresh(backend, workspace).read == 0
    time.sleep(0.06)
    refresh(backend, workspace)
    for path in PATHS:
        (workspace.root / path).chmod(0o200)
    stamps = backend.known()
    time.sleep(0.06)
    assert all(len(stamp.split(" ")) == 6 for stamp in stamps.values())


def test_a_budget_brings_in_the_newest_first(workspace: Workspace, backend: SqliteBackend) -> None:
    """One file at least is read however little time there is, and what could not be read is told."""
    os.utime(workspace.root / "MEMORY.md", (2e9, 2e9))
    state = refresh(backend, workspace, budget_seconds=0.0)
    assert (state.fresh, len(state.behind), state.read) == (False, len(PATHS) - 1, 1)
    assert set(backend.known()) == {"MEMORY.md"}
    state = refresh(backend, workspace, budget_seconds=0.0, urgent=["memory/deep/er.md"])
    assert set(backend.known()) >= {"memory/deep/er.md"}


def test_what_cannot_be_read_hides_nothing_else(workspace: Workspace, backend: SqliteBackend) -> None:
    """A file that leads out of the workspace, or is too large, is told and passed over."""
    place = workspace.root / "memory/deep/er.md"
    place.unlink()
    place.mkdir()
    (workspace.root / "memory/deep/huge.md").touch()
    os.truncate(workspace.root / "memory/deep/huge.md", 600 * 1024 * 1024)
    state = refresh(backend, workspace)
    assert [problem.path for problem in state.problems] == ["memory/deep/huge.md"]
    assert backend.tally(["zebra"]).frequency == {"zebra": 4}


def test_rebuilding_keeps_nothing_of_before(workspace: Workspace, backend: SqliteBackend) -> None:
    """What is wrong in the index, however it came there, is gone after a rebuild."""
    refresh(backend, workspace)
    stamp = backend.known()["MEMORY.md"]
    backend.put("MEMORY.md", stamp, [])
    time.sleep(0.06)
    refresh(backend, workspace, anew=True)
    assert everything(backend) == built(workspace)


def test_somebody_else_writing_delays_and_breaks_nothing(workspace: Workspace, backend: SqliteBackend) -> None:
    """Whoever cannot write in time is behind, and catches up later."""
    other = SqliteBackend(workspace.root / ".mneme.d/index.sqlite")
    backend.wait_at_most(0.05)
    with other._writing():
        state = refresh(backend, workspace)
        assert (state.fresh, len(state.behind)) == (False, len(PATHS))
        with pytest.raises(BusyIndexError):
            backend.set_meta("a", "b")
    other.close()
    assert refresh(backend, workspace).fresh


def test_a_killed_process_leaves_a_usable_index(workspace: Workspace) -> None:
    """Killed at whatever moment of a rebuild, the index opens, answers, and catches up."""
    for number in range(60):
        write(workspace.root, f"memory/more/{number}.md", [*WORDS])
    code = (
        "import sys, pathlib\nfrom mneme.index import build\nfrom mneme.index.sqlite import SqliteBackend\n"
        "from mneme.workspace import open_workspace\nbuild.BATCH_FILES = 3\nroot = pathlib.Path(sys.argv[1])\n"
        "backend = SqliteBackend(root / '.mneme.d/index.sqlite')\nprint('ready', flush=True)\n"
        "while True:\n    build.refresh(backend, open_workspace(root), anew=True)\n"
    )
    for pause in (0.0, 0.02, 0.05, 0.11):
        process = subprocess.Popen([sys.executable, "-c", code, str(workspace.root)], stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"ready\n"
        time.sleep(pause)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        backend = SqliteBackend(workspace.root / ".mneme.d/index.sqlite")
        assert backend.notice == ""
        refresh(backend, workspace)
        assert everything(backend) == built(workspace)
        backend.close()


def test_two_processes_index_at_once(workspace: Workspace) -> None:
    """Neither fails, and together they come to what one comes to."""
    for number in range(40):
        write(workspace.root, f"memory/more/{number}.md", [*WORDS])
    code = (
        "import sys, pathlib\nfrom mneme.index import build\nfrom mneme.index.sqlite import SqliteBackend\n"
        "from mneme.workspace import open_workspace\nbuild.BATCH_FILES = 2\nroot = pathlib.Path(sys.argv[1])\n"
        "backend = SqliteBackend(root / '.mneme.d/index.sqlite')\n"
        "assert build.refresh(backend, open_workspace(root)).fresh\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code, str(workspace.root)]) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    backend = SqliteBackend(workspace.root / ".mneme.d/index.sqlite")
    assert refresh(backend, workspace).read == 0
    assert everything(backend) == built(workspace)
    backend.close()


@given(order=st.permutations(PATHS))
@settings(max_examples=10)
def test_the_order_of_indexing_changes_no_score(tmp_path_factory: pytest.TempPathFactory, order: list[str]) -> None:
    """Files may come in any order: every answer and every number in it is the same."""
    root = tmp_path_factory.mktemp("order")
    (root / "mneme.toml").write_text('profile = "default"\n', "utf-8")
    workspace = open_workspace(root)
    backend = SqliteBackend(root / ".mneme.d/index.sqlite")
    for path in order:
        write(root, path, ["zebra", "cache", *WORDS[2:5]])
        refresh(backend, workspace)
    assert everything(backend) == built(workspace)
    backend.close()


def test_only_reading_decides_what_is_read_again(workspace: Workspace) -> None:
    """A setting that changes no piece leaves the index as it is."""
    before = build.config_digest(workspace)
    settings_now = workspace.settings.with_value("embedder.kind", "none").with_value("rules.x", "warn")
    assert build.config_digest(Workspace(workspace.root, settings_now)) == before
    assert build.config_digest(Workspace(workspace.root, settings_now.with_value("profile", "v4"))) != before


def test_a_note_that_is_too_large_is_not_read(workspace: Workspace, backend: SqliteBackend) -> None:
    """What nothing is made of takes no memory and no time; it is told, and comes back when it is small again."""
    place = workspace.root / "MEMORY.md"
    small = place.read_bytes()
    refresh(backend, workspace)
    before = everything(backend)
    os.truncate(place, 1 << 34)
    began = time.process_time()
    state = refresh(backend, workspace)
    assert time.process_time() - began < 1.0
    assert [(problem.path, problem.rule) for problem in state.problems] == [("MEMORY.md", "large-file")]
    assert {piece.record.path for _, piece in backend.listed(ANY, 99)} == {*PATHS} - {"MEMORY.md"}
    assert count_behind(backend, workspace, PATHS) == 0
    assert refresh(backend, workspace).read == 0
    place.write_bytes(small)
    assert count_behind(backend, workspace, PATHS) == 1
    assert refresh(backend, workspace).fresh
    assert everything(backend) == before
