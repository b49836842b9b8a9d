"""Files -> the index, by difference: what changed is read again, what is gone is dropped, the rest is not touched.

A file is passed over only when its inode says what it said, and everything it says is older than the look before; its
hash decides else. Each step is whole by itself, so this may be killed at any moment, or run twice at once: the next look
finds what is missing. The index holds what the files say and nothing more, whatever happened between.
"""

from __future__ import annotations

import hashlib
import math
import os
import time
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from mneme import files
from mneme.errors import WARN, MnemeError, Problem
from mneme.files.disk import TICK_NS
from mneme.index.backend import BusyIndexError
from mneme.index.stretch import parse_stretches
from mneme.index.turns import is_log, turn_pieces
from mneme.memory import all_paths, is_too_large, read_pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from mneme.formats.piece import Piece
    from mneme.index.backend import Backend
    from mneme.index.embed import Embedder
    from mneme.workspace import Workspace

# Changes when files are read into other pieces than before, so that every index reads its files again.
READ_AS = "2"
# Settings that change nothing about how a file is read.
INDIFFERENT = ("embedder.", "index.", "model.", "rules.", "commit", "qmd")
BATCH_FILES, BATCH_SECONDS = 256, 0.5
EMBED_BATCH, EMBED_FEW, EMBED_AHEAD = 64, 16, 2048
# However little time there is, so many vectors are made: a few new memories are embedded when they are first asked for.
LEAST_EMBEDDED = 32
READING, EMBEDDING = "reading", "embedding"
# What stands for the hash of a note that is too large to be cut into anything: nobody need read it to know that.
LARGE = "large"


class Progress(Protocol):
    """What is told while it goes on: what is being done, how much of it is done, and how much there is."""

    def __call__(self, stage: str, done: int, total: int, /) -> None:
        """Hear of one step."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """How far the index is behind the files, and what bringing it up to date came to."""

    files: int = 0
    behind: tuple[str, ...] = ()
    read: int = 0
    dropped: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def fresh(self) -> bool:
        """Say whether everything that the files hold is in the index."""
        return not self.behind


@dataclass(frozen=True, slots=True)
class _Look:
    """What one look found: how many files there are, the stamps of those that may have changed, and which are gone."""

    count: int
    changed: Mapping[str, str]
    gone: tuple[str, ...]


def refresh(
    backend: Backend,
    workspace: Workspace,
    *,
    budget_seconds: float = math.inf,
    urgent: Collection[str] = (),
    anew: bool = False,
    progress: Progress | None = None,
) -> Freshness:
    """Bring the index up to date, the newest changes first, for as long as the budget lasts.

    Files that are `urgent` are read whatever it takes. `anew` reads every file and keeps nothing of what was there.
    """
    deadline = time.monotonic() + budget_seconds
    known = backend.known()
    look = _look(workspace, known, anew=anew)
    work = _Work(backend, workspace, known, anew=anew)
    waiting = sorted(look.changed, key=lambda path: path not in urgent) if urgent else list(look.changed)
    done = 0
    try:
        if look.gone:
            backend.drop(look.gone)
        for done, path in enumerate(waiting):
            if done and path not in urgent and time.monotonic() >= deadline:
                break
            work.bring(path, look.changed[path])
            if progress:
                progress(READING, done + 1, len(waiting))
        else:
            done = len(waiting)
        work.finish()
    except BusyIndexError:
        # Another process is bringing it up to date: nothing here can tell how far it has come.
        return Freshness(look.count, (*waiting, *look.gone), 0, 0, tuple(work.problems))
    return Freshness(look.count, tuple(waiting[done:]), work.read, len(look.gone), tuple(work.problems))


class _Work:
    """What was read and waits to be put, so that many files become one step."""

    __slots__ = ("_anew", "_backend", "_known", "_pieces", "_since", "_stamps", "_workspace", "problems", "read")

    def __init__(self, backend: Backend, workspace: Workspace, known: Mapping[str, str], *, anew: bool) -> None:
        self._backend, self._workspace, self._anew = backend, workspace, anew
        self._known = {} if anew else known
        self._pieces: list[tuple[str, str, Sequence[Piece]]] = []
        self._stamps: dict[str, str] = {}
        self._since = time.monotonic()
        self.problems: list[Problem] = []
        self.read = 0

    def bring(self, path: str, stamp: str) -> None:
        """Read one file and let it wait for its step."""
        content: bytes | None = b""
        place = _place(self._workspace, path)
        large = is_too_large(path, place)
        if large:
            self.problems.append(_too_large(path, place))
        try:
            content = b"" if large else files.find_file(place)
        except MnemeError as fault:
            self.problems.append(Problem(path, 0, "unreadable-file", WARN, fault.message, fault.hint))
        if content is None:
            return
        config, _, proof = stamp.partition(" ")
        held = f"{config} {LARGE if large else _digest(content)}"
        kept = held if _seen(self._workspace, path, config) != stamp else f"{held} {proof}".rstrip()
        before = self._known.get(path, "")
        if _hash_in(before) == held:
            if kept != before:
                self._stamps[path] = kept
        else:
            self._pieces.append((path, kept, _read(self._workspace, path, content)))
            self.read += 1
        if len(self._pieces) + len(self._stamps) >= BATCH_FILES or time.monotonic() > self._since + BATCH_SECONDS:
            self.finish()

    def finish(self) -> None:
        """Put what waits."""
        if self._stamps:
            self._backend.restamp(self._stamps)
        if self._pieces:
            self._backend.put_many(self._pieces, anew=self._anew)
        self._stamps, self._pieces, self._since = {}, [], time.monotonic()


def _too_large(path: str, place: Path) -> Problem:
    from mneme.check.found import find, worded
    from mneme.formats.note import LARGE_NOTE_BYTES

    value, limit = (size // 2**20 for size in (place.stat().st_size, LARGE_NOTE_BYTES))
    return worded(path, find("large-file", 0, value=value, limit=limit))


def _place(workspace: Workspace, path: str) -> Path:
    return Path(path) if is_log(path) else files.place_of(workspace.root, path)


def _read(workspace: Workspace, path: str, content: bytes) -> Sequence[Piece]:
    if is_log(path):
        return turn_pieces(content, path, workspace)
    return read_pieces(workspace, path, content)


def _look(workspace: Workspace, known: Mapping[str, str], *, anew: bool) -> _Look:
    """Compare what the files' inodes say with what is known; the newest come first among those that may have changed."""
    config = config_digest(workspace)
    proven = time.time_ns() - TICK_NS
    changed: list[tuple[int, str, str]] = []
    vanished: set[str] = set()
    paths = (*all_paths(workspace), *workspace.transcript_files())
    met = 0
    for path, seen in _seen_at(workspace.root, paths):
        if seen is None:
            vanished.add(path)
            continue
        held = known.get(path)
        if held is not None:
            met += 1
            # As `_proves` says, without the call.
            inode = f" {seen.st_ino} {seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns}"
            if not anew and held.endswith(inode) and held.startswith(config):
                continue
        changed.append((-seen.st_mtime_ns, path, _stamp(config, seen, proven)))
    changed.sort()
    # Where every known file was met, none is gone.
    gone = () if met == len(known) else tuple(known.keys() - (set(paths) - vanished))
    return _Look(len(paths) - len(vanished), {path: stamp for _, path, stamp in changed}, gone)


def _seen_at(root: Path, paths: Iterable[str]) -> Iterator[tuple[str, os.stat_result | None]]:
    """Yield each path with what its inode says, or None; a path from a folder that is open is shorter to follow."""
    stat = os.stat
    try:
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield from ((path, None) for path in paths)
        return
    try:
        for path in paths:
            try:
                yield path, stat(path, dir_fd=folder)
            except OSError:
                yield path, None
    finally:
        os.close(folder)


def count_behind(backend: Backend, workspace: Workspace, paths: Collection[str]) -> int:
    """Return how many files are not in the index as they are, and how many are in it and gone; nothing is changed."""
    config = config_digest(workspace)
    known = backend.known()
    behind = len({path for path in known if not is_log(path)} - set(paths))
    for path in paths:
        held = known.get(path, "")
        if _is_proven(workspace, path, held, config):
            continue
        place = files.place_of(workspace.root, path)
        if held and is_too_large(path, place):
            behind += _hash_in(held) != f"{config} {LARGE}"
            continue
        content = files.find_file(place) if held else None
        behind += content is None or _hash_in(held) != f"{config} {_digest(content)}"
    return behind


def _seen(workspace: Workspace, path: str, config: str) -> str:
    """Return the stamp of a file as it is now, to be compared with the one from before it was read."""
    try:
        return _stamp(config, (workspace.root / path).stat(), time.time_ns() - TICK_NS)
    except OSError:
        return ""


def _stamp(config: str, seen: os.stat_result, proven: int) -> str:
    """Return what a file's inode says; nothing of it where it is so new that it proves nothing."""
    if max(seen.st_mtime_ns, seen.st_ctime_ns) >= proven:
        return config
    return f"{config} {seen.st_ino} {seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns}"


def _proves(held: str, config: str, seen: os.stat_result) -> bool:
    """Say whether a stamp that was kept proves that a file is as it was; one without an inode in it proves nothing."""
    inode = f" {seen.st_ino} {seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns}"
    return held.endswith(inode) and held.startswith(config)


def _is_proven(workspace: Workspace, path: str, held: str, config: str) -> bool:
    try:
        return _proves(held, config, (workspace.root / path).stat())
    except OSError:
        return False


def _hash_in(stamp: str) -> str:
    """Return the part of a stamp that depends on what is in the file and how it is read."""
    return " ".join(stamp.split(" ", 2)[:2])


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def config_digest(workspace: Workspace) -> str:
    """Return a digest of everything that decides, beside its bytes, how a file is read: settings, and our reading."""
    what = f"{READ_AS}\n{workspace.settings.fingerprint(without=INDIFFERENT)}"
    return hashlib.blake2b(what.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def embed_missing(
    backend: Backend,
    embedder: Embedder,
    *,
    budget_seconds: float = math.inf,
    progress: Progress | None = None,
    stop: Callable[[], bool] = bool,
) -> int:
    """Make the vectors that an embedder lacks, for as long as the budget lasts; returns how many it still lacks.

    It stops between two batches where that is asked for.
    """
    deadline = time.monotonic() + budget_seconds
    most = EMBED_BATCH if budget_seconds == math.inf else EMBED_FEW
    missing = count_missing(backend, embedder.name)
    done = made = 0
    while done < missing and (rows := backend.unembedded(embedder.name, min(EMBED_AHEAD, missing - done))):
        for batch in _batches(rows, most):
            if stop() or (made >= LEAST_EMBEDDED and time.monotonic() >= deadline):
                return missing - done
            vectors = embed_stretches(embedder, batch)
            backend.put_vectors(embedder.name, vectors)
            done += len(batch)
            made += sum(map(len, vectors.values()))
            if progress:
                progress(EMBEDDING, done, missing)
    return count_missing(backend, embedder.name) if done else missing


def _batches(rows: Sequence[tuple[int, str]], most: int) -> Iterator[dict[int, list[str]]]:
    """Yield rows with their stretches, together so many stretches or little more."""
    batch: dict[int, list[str]] = {}
    count = 0
    for row, text in rows:
        batch[row] = parse_stretches(text)
        count += len(batch[row])
        if count >= most:
            yield batch
            batch, count = {}, 0
    if batch:
        yield batch


def embed_stretches(embedder: Embedder, stretches: Mapping[int, Sequence[str]]) -> dict[int, list[bytes]]:
    """Return the vectors of rows: one for each stretch."""
    vectors = iter(embedder.embed_documents([one for own in stretches.values() for one in own]))
    return {row: list(islice(vectors, len(own))) for row, own in stretches.items()}


def count_missing(backend: Backend, name: str) -> int:
    """Return how many pieces lack a vector of an embedder."""
    return max(0, backend.tally(()).pieces - backend.embedded(name))
