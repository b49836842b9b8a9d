"""The index of an open workspace: opened when it is first needed, brought up to date before each read, kept open.

A disk that cannot be written has its memories indexed in this process alone; a damaged file is set aside and made again.
Each of these is said in one line. The verb `index` does on purpose, and wholly, what a read does within its budget.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, TypeVar

from mneme import files
from mneme.engine.memory import HURRIED
from mneme.errors import MnemeError, StorageError
from mneme.index.backend import BusyIndexError, DamagedIndexError
from mneme.index.build import count_missing, embed_missing, refresh
from mneme.index.sqlite import BUSY_SECONDS, SqliteBackend
from mneme.settings import FILE_NAME
from mneme.workspace import embedder_key, open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from mneme.engine.memory import Memory
    from mneme.engine.results import Indexed
    from mneme.errors import Problem
    from mneme.index.backend import Backend
    from mneme.index.build import Freshness, Progress
    from mneme.index.embed import Embedder, EmbedderChoice

INDEX = "index.sqlite"
# The note in the index that says which embedder every piece has a vector of: it serves while another one catches up.
SERVING = "serving"
# A few pieces without a vector are found by their words; of more, meaning would know too little.
FEW_MISSING, FEW_SHARE = 16, 0.05
_KEPT_INDEX, _KEPT_SETTINGS, _KEPT_NOTICES = "index", "settings", "index-notices"
_KEPT_QMD = "qmd-waits"

T = TypeVar("T")


def index(memory: Memory, *, rebuild: bool = False, words: bool = False, progress: Progress | None = None) -> Indexed:
    """Bring the index up to date with the files, vectors included; `rebuild` makes all of it anew.

    With `words` no vectors are made. Progress is told as it goes; stopped at any moment, what was done is kept.
    """
    from mneme.engine import results

    def bring(backend: Backend) -> Indexed:
        backend.wait_at_most(BUSY_SECONDS)
        found = refresh(backend, _current(memory), anew=rebuild, progress=progress)
        name, missing, reason = ("", 0, "only words were asked for") if words else _embed_all(memory, backend, progress)
        return results.Indexed(
            found.files, found.read, found.dropped, backend.tally(()).pieces, name, missing, reason, found.problems
        )

    done = with_index(memory, bring)
    return replace(done, notices=take_notices(memory), problems=(*done.problems, *_qmd(memory, done)))


def _qmd(memory: Memory, done: Indexed) -> Iterable[Problem]:
    """Have QMD see what it has not seen: when it is first asked for, and again after something changed."""
    from mneme.engine.qmd import refresh_now

    if memory.kept.setdefault(_KEPT_QMD, True) or done.read or done.dropped:
        memory.kept[_KEPT_QMD] = False
        yield from refresh_now(memory)


def bring_in(memory: Memory, backend: Backend, budget_seconds: float, urgent: Collection[str] = ()) -> Freshness:
    """Bring changed files in before a read, for as long as the budget lasts; without a file, for as long as it takes."""
    if not isinstance(backend, SqliteBackend):
        budget_seconds = math.inf
    backend.wait_at_most(min(budget_seconds, BUSY_SECONDS))
    return refresh(backend, _current(memory), budget_seconds=budget_seconds, urgent=urgent)


def with_index(memory: Memory, use: Callable[[Backend], T]) -> T:
    """Use the index; one that proves damaged is set aside, begun again, and used once more."""
    backend = _open_index(memory)
    try:
        return use(backend)
    except DamagedIndexError:
        if not isinstance(backend, SqliteBackend):
            raise
        backend.set_aside()
        _note(memory, backend)
        return use(backend)


def _open_index(memory: Memory) -> Backend:
    kept: Backend | None = memory.kept.get(_KEPT_INDEX)
    if kept is not None:
        if kept.is_current():
            return kept
        # Somebody deleted the folder, or set the file aside: whatever lies there now is the index.
        kept.close()
    try:
        backend: Backend = SqliteBackend(files.workplace(memory.root) / INDEX)
        _note(memory, backend)
    except (StorageError, OSError) as fault:
        from mneme.index.reference import ReferenceBackend

        backend = ReferenceBackend()
        reason = fault.message if isinstance(fault, MnemeError) else str(fault)
        memory.kept.setdefault(_KEPT_NOTICES, []).append(f"the index is not kept: {reason}")
    memory.kept[_KEPT_INDEX] = backend
    return backend


def _note(memory: Memory, backend: Backend) -> None:
    """Take what the store has to tell into what the next answer tells."""
    if isinstance(backend, SqliteBackend) and backend.notice:
        memory.kept.setdefault(_KEPT_NOTICES, []).append(backend.notice)
        backend.notice = ""


def take_notices(memory: Memory) -> tuple[str, ...]:
    """Return what there is to tell about the index, once."""
    backend = memory.kept.get(_KEPT_INDEX)
    if backend is not None:
        _note(memory, backend)
    return tuple(memory.kept.pop(_KEPT_NOTICES, ()))


def _current(memory: Memory) -> Any:  # noqa: ANN401 - the workspace, whose type is known to its readers
    """Return the workspace with its settings as they are now: who stays open for long sees them change."""
    try:
        seen = (memory.root / FILE_NAME).stat()
        stamp = f"{seen.st_ino} {seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns}"
    except OSError:
        stamp = ""
    before = memory.kept.setdefault(_KEPT_SETTINGS, stamp)
    if stamp != before:
        memory.workspace = open_workspace(memory.root, found_by=memory.workspace.found_by)
        memory.kept[_KEPT_SETTINGS] = stamp
    return memory.workspace


# Embedders


def chosen_embedder(memory: Memory) -> tuple[Embedder | None, str]:
    """Return the embedder that the settings name, or None and why there is none."""
    return _opened(memory, _choice(memory))


def _choice(memory: Memory) -> EmbedderChoice:
    from mneme.index.embed.choice import EmbedderChoice

    settings = memory.workspace.settings
    return EmbedderChoice(
        kind=str(settings["embedder.kind"]),
        model=str(settings["embedder.model"]),
        url=str(settings["embedder.url"]),
        folder=str(settings["embedder.folder"]),
        dims=int(settings["embedder.dims"]),
        timeout_seconds=float(settings["embedder.timeout_seconds"]),
    )


def _opened(memory: Memory, choice: EmbedderChoice) -> tuple[Embedder | None, str]:
    """Return an embedder that is open; in a folder that is not trusted, no other than the package's own."""
    from mneme.engine.embedders import shared_embedder
    from mneme.index.embed.choice import DEFAULT, NONE

    if choice.kind not in (DEFAULT, NONE) and not memory.workspace.trusted:
        return None, "the workspace is not trusted, so the embedder that it names is not run"
    if choice.kind == DEFAULT:
        # The package's own model lies in the package: a folder named for another kind is none of its business.
        choice = replace(choice, folder="")
    return shared_embedder(replace(choice, key=embedder_key()), hurried=HURRIED in memory.kept)


def _embed_all(memory: Memory, backend: Backend, progress: Progress | None) -> tuple[str, int, str]:
    """Make every vector of the chosen embedder, then let go of the one that served until now."""
    choice = _choice(memory)
    embedder, reason = _opened(memory, choice)
    if embedder is None:
        return "", 0, reason
    missing = embed_missing(backend, embedder, progress=progress)
    if not missing:
        _serve(backend, choice, embedder.name)
    return embedder.name, missing, ""


def embed_some(memory: Memory, backend: Backend, budget_seconds: float, stop: Callable[[], bool]) -> bool:
    """Make vectors of the chosen embedder for a while, or until it is time to stop; say whether more can be made."""
    choice = _choice(memory)
    embedder, _ = _opened(memory, choice)
    if embedder is None:
        return False
    before = count_missing(backend, embedder.name)
    backend.wait_at_most(min(budget_seconds, BUSY_SECONDS))
    try:
        missing = embed_missing(backend, embedder, budget_seconds=budget_seconds, stop=stop)
    except BusyIndexError:
        return False
    if not missing:
        _serve(backend, choice, embedder.name)
    # Where a whole stretch made none, the next one would not either.
    return missing > 0 and (missing < before or stop())


def _serve(backend: Backend, choice: EmbedderChoice, name: str) -> None:
    """Note whose vectors are whole; those of whoever served before are of no more use."""
    before = _serving(backend)
    if before.get("name") == name:
        return
    backend.set_meta(SERVING, json.dumps({"name": name, "choice": asdict(replace(choice, key=""))}))
    if before.get("name"):
        backend.forget_embedder(str(before["name"]))


def _serving(backend: Backend) -> dict[str, Any]:
    try:
        read = json.loads(backend.meta(SERVING) or "{}")
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def serving_embedder(memory: Memory, backend: Backend, budget_seconds: float) -> tuple[Embedder | None, int, str]:
    """Return the embedder whose vectors answer now, how many vectors the chosen one lacks, and why there is none.

    The chosen one serves as soon as hardly any of its vectors is missing; until then the one before it does.
    """
    from mneme.index.embed.choice import EmbedderChoice

    pieces = backend.tally(()).pieces
    choice = _choice(memory)
    embedder, reason = _opened(memory, choice)
    if embedder is None or not pieces:
        return None, 0, reason
    try:
        missing = embed_missing(backend, embedder, budget_seconds=budget_seconds)
    except BusyIndexError:
        missing = count_missing(backend, embedder.name)
    if missing <= max(FEW_MISSING, FEW_SHARE * pieces):
        if not missing:
            _serve(backend, choice, embedder.name)
        return embedder, missing, ""
    before = _serving(backend)
    if before and before["name"] != embedder.name:
        old, _ = _opened(memory, EmbedderChoice(**before["choice"]))
        if old is not None and count_missing(backend, old.name) <= max(FEW_MISSING, FEW_SHARE * pieces):
            return old, missing, ""
    return None, missing, f"{missing} of {pieces} memories have no vector yet"
