"""What is written down about a plan: first so that a crash can be mended, then so that it can be shown and taken back.

A plan's folder begins as `journal/new-<n>` (staged: nothing happened yet), becomes `journal/<n>` (committed: it will
happen, whatever comes) and ends as `history/<n>` (it happened). Each step is one rename. Texts that are large lie
beside the record under the name of their hash.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mneme.errors import NotFoundError
from mneme.files.disk import WORKPLACE, make_folder, remove_tree, storage_errors, sync_folder, write_new, write_whole
from mneme.files.plan import Hunk, digest, print_diff

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RECORD_VERSION = 1
STAGED_PREFIX = "new-"
_INLINE_BYTES = 16_384


@dataclass(frozen=True, slots=True)
class Step:
    """One file of a plan: what it held before and after, by hash, and the hunks between."""

    path: str
    before: str | None
    after: str | None
    hunks: tuple[Hunk, ...] = ()
    reason: str = ""
    to: str | None = None

    @property
    def target(self) -> str:
        """The path under which the file lies afterwards."""
        return self.to or self.path

    @property
    def removes(self) -> bool:
        """Whether the file is gone afterwards."""
        return self.after is None


@dataclass(frozen=True, slots=True)
class Entry:
    """A plan as journal and history know it; `lost` means that its texts were forgotten on purpose."""

    n: int
    verb: str
    at: str
    steps: tuple[Step, ...]
    note: str = ""
    undoes: int | None = None
    made: tuple[str, ...] = ()
    prune: tuple[str, ...] = ()
    needles: tuple[str, ...] = ()
    destroys: bool = False
    lost: bool = False
    abandoned: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path the plan touches, in its order."""
        return tuple(dict.fromkeys(path for step in self.steps for path in (step.path, step.target)))

    def temp_of(self, index: int) -> str:
        """Return the path of a step's temporary file: beside the file it will become."""
        folder = os.path.dirname(self.steps[index].target)
        name = f".mneme-{self.n}-{index}.tmp"
        return f"{folder}/{name}" if folder else name


def journal_folder(root: Path) -> Path:
    """Return where plans wait that are staged or committed."""
    return root / WORKPLACE / "journal"


def history_folder(root: Path) -> Path:
    """Return where plans lie that happened."""
    return root / WORKPLACE / "history"


def pending(root: Path) -> list[str]:
    """Return the names of plans that did not reach their end: one listing, cheap enough for every reader."""
    return sorted(name for name in _listed(journal_folder(root)) if not name.startswith("."))


def numbers(root: Path) -> list[int]:
    """Return the numbers of all plans in history, ascending."""
    return sorted(int(name) for name in _listed(history_folder(root)) if name.isdigit())


def _listed(folder: Path) -> list[str]:
    with storage_errors(folder, "read"):
        try:
            return os.listdir(folder)
        except FileNotFoundError:
            return []


def next_number(root: Path) -> int:
    """Return the number for the next plan."""
    waiting = [int(name.removeprefix(STAGED_PREFIX)) for name in pending(root) if name[-1:].isdigit()]
    return max([0, *numbers(root)[-1:], *waiting]) + 1


def stage(root: Path, entry: Entry) -> Path:
    """Write a plan down durably, before anything else of it happens."""
    folder = journal_folder(root) / f"{STAGED_PREFIX}{entry.n}"
    make_folder(folder)
    blobs: dict[str, bytes] = {}
    record = _record(entry, blobs)
    for name, content in blobs.items():
        write_new(folder / name, content)
    write_new(folder / "plan.json", record)
    sync_folder(folder)
    return folder


def commit(root: Path, entry: Entry) -> Path:
    """Pass the point of no return: from here on a crash ends in the plan being finished."""
    folder = journal_folder(root)
    target = folder / str(entry.n)
    (folder / f"{STAGED_PREFIX}{entry.n}").rename(target)
    sync_folder(folder)
    return target


def uncommit(root: Path, entry: Entry) -> None:
    """Take a committed plan out of the journal, its files being back where they were."""
    folder = journal_folder(root)
    (folder / str(entry.n)).rename(folder / f"{STAGED_PREFIX}{entry.n}")
    sync_folder(folder)


def discard(root: Path, entry: Entry) -> None:
    """Forget a staged plan."""
    remove_tree(journal_folder(root) / f"{STAGED_PREFIX}{entry.n}")


def retire(root: Path, entry: Entry) -> None:
    """Move a finished plan from the journal to history."""
    retire_number(root, entry.n)


def retire_number(root: Path, n: int) -> None:
    """Move a plan's folder from the journal to history, whatever is in it."""
    source, target = journal_folder(root) / str(n), history_folder(root) / str(n)
    make_folder(target.parent)
    if target.exists():
        remove_tree(source)
    else:
        source.rename(target)
    sync_folder(target.parent)
    sync_folder(source.parent)


def rewrite(folder: Path, entry: Entry) -> None:
    """Replace a plan's record by a poorer one, dropping the large texts beside it."""
    blobs: dict[str, bytes] = {}
    record = _record(entry, blobs)
    for name, content in blobs.items():
        if not (folder / name).exists():
            write_new(folder / name, content)
    write_whole(folder / "plan.json", record)
    for name in os.listdir(folder):
        if name not in blobs and name != "plan.json":
            (folder / name).unlink()
    sync_folder(folder)


def load_entry(folder: Path) -> Entry:
    """Read one plan; raises `ValueError` or `OSError` where the record is torn."""
    record = json.loads((folder / "plan.json").read_bytes())
    try:
        return _entry(record, folder)
    except (TypeError, KeyError, AttributeError) as error:
        message = f"not the record of a plan: {folder}"
        raise ValueError(message) from error


def _entry(record: dict[str, Any], folder: Path) -> Entry:
    return Entry(
        n=record["n"],
        verb=record["verb"],
        at=record["at"],
        steps=tuple(_step(step, folder) for step in record["steps"]),
        note=record.get("note", ""),
        undoes=record.get("undoes"),
        made=tuple(record.get("made", ())),
        prune=tuple(record.get("prune", ())),
        needles=tuple(record.get("needles", ())),
        destroys=record.get("destroys", False),
        lost=record.get("lost", False),
        abandoned=record.get("abandoned", False),
    )


def get_entry(root: Path, n: int) -> Entry:
    """Return plan `n` of history."""
    try:
        return load_entry(history_folder(root) / str(n))
    except (OSError, ValueError) as error:
        message = f"there is no plan {n} in the history"
        raise NotFoundError(message, "mneme log") from error


def entries(root: Path, *, newest_first: bool = False, after: int = 0) -> Iterator[Entry]:
    """Yield the plans of history that come after plan `after`; a record that cannot be read is passed over."""
    order = [n for n in numbers(root) if n > after]
    for n in reversed(order) if newest_first else order:
        try:
            yield get_entry(root, n)
        except NotFoundError:
            continue


def step_diff(step: Step) -> str:
    """Return one file's part of a plan as a unified diff."""
    if step.removes:
        return f"--- a/{step.path}\n+++ /dev/null\n"
    old_name = "/dev/null" if step.before is None else f"a/{step.path}"
    return print_diff(step.hunks, old_name, f"b/{step.target}")


def stripped(entry: Entry, *, lost: bool) -> Entry:
    """Return the entry without any text: what happened remains, what was said is gone."""
    steps = tuple(replace(step, hunks=(), reason="") for step in entry.steps)
    return replace(entry, steps=steps, needles=(), lost=lost, note="")


def _record(entry: Entry, blobs: dict[str, bytes]) -> bytes:
    record: dict[str, Any] = {
        "version": RECORD_VERSION,
        "n": entry.n,
        "verb": entry.verb,
        "at": entry.at,
        "steps": [_step_record(step, blobs, destroys=entry.destroys) for step in entry.steps],
    }
    for key in ("note", "undoes", "made", "prune", "needles", "destroys", "lost", "abandoned"):
        value = getattr(entry, key)
        if value or (value == 0 and value is not False):
            record[key] = value
    return json.dumps(record, indent=1).encode()


def _step_record(step: Step, blobs: dict[str, bytes], *, destroys: bool) -> dict[str, Any]:
    record: dict[str, Any] = {"path": step.path, "before": step.before, "after": step.after}
    if step.to:
        record["to"] = step.to
    if step.reason:
        record["reason"] = step.reason
    record["hunks"] = [_hunk_record(hunk, blobs, destroys=destroys) for hunk in step.hunks]
    return record


def _hunk_record(hunk: Hunk, blobs: dict[str, bytes], *, destroys: bool) -> dict[str, Any]:
    record: dict[str, Any] = {"at": hunk.at, "line": hunk.line, "new": _packed(hunk.new, blobs)}
    if destroys:
        return record | {"cut": len(hunk.old)}
    for key, content in (("old", hunk.old), ("pre", hunk.pre), ("post", hunk.post)):
        if content:
            record[key] = _packed(content, blobs)
    return record


def _packed(content: bytes, blobs: dict[str, bytes]) -> str | dict[str, str]:
    if len(content) <= _INLINE_BYTES:
        return content.decode("utf-8", "surrogateescape")
    name = digest(content)
    blobs[name] = content
    return {"blob": name}


def _unpacked(value: str | dict[str, str] | None, folder: Path) -> bytes:
    if value is None:
        return b""
    if isinstance(value, dict):
        return (folder / Path(value["blob"]).name).read_bytes()
    return value.encode("utf-8", "surrogateescape")


def _step(record: dict[str, Any], folder: Path) -> Step:
    hunks = tuple(_hunk(hunk, folder) for hunk in record["hunks"])
    return Step(record["path"], record["before"], record["after"], hunks, record.get("reason", ""), record.get("to"))


def _hunk(record: dict[str, Any], folder: Path) -> Hunk:
    # A plan that destroys keeps only the length of what it cut: enough to finish it, nothing to read.
    old = b"\0" * record["cut"] if "cut" in record else _unpacked(record.get("old"), folder)
    return Hunk(
        record["at"],
        record["line"],
        old,
        _unpacked(record["new"], folder),
        _unpacked(record.get("pre"), folder),
        _unpacked(record.get("post"), folder),
    )


def after_edits(steps: Sequence[Hunk]) -> list[Hunk]:
    """Return hunks turned round: spans of the content afterwards that bring back the content before."""
    turned, drift = [], 0
    for hunk in steps:
        turned.append(Hunk(hunk.at + drift, hunk.line, hunk.new, hunk.old, hunk.pre, hunk.post))
        drift += len(hunk.new) - len(hunk.old)
    return turned
