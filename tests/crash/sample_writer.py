"""A small writer of two files to try the harness on: right as it stands, wrong in the one way that is asked for.

Run in the workspace: `sample_writer.py change|back|reopen [FAULT]`. It shares nothing with the product, so that a
mistake of ours cannot hide in both. Each fault is one that the matrices must be seen to catch.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

FILES = ("one.txt", "sub/two.txt")
OLD = {name: f"{name} as it was\n".encode() * 40 for name in FILES}
NEW = {name: f"{name} as it shall be, and longer\n".encode() * 60 for name in FILES}
MACHINE = Path(".mneme.d")
JOURNAL, HISTORY = MACHINE / "journal", MACHINE / "history"

FAULTS = {
    "no-file-sync": "a new content is renamed into place before its bytes are safe",
    "no-folder-sync": "the journal is dropped before the new names are safe",
    "no-journal-sync": "files change before the journal's name is safe",
    "no-record-sync": "the journal's name is safe before its bytes are",
    "no-retire-sync": "the journal may come back after the command has said that it is done",
    "no-journal": "each file is replaced safely, but nothing ties the two together",
    "in-place": "files are overwritten where they lie",
    "leaves-temp": "recovery forgets the temporary files of a plan that never began",
    "wrong-order": "the journal is dropped before the files are in place",
    "traceback": "a failing disk ends in a stack trace",
    "swallows": "a failing disk is taken for a success",
    "half-back": "after a failure the first file stays new",
    "trusts-journal": "recovery changes files before the name of the journal that it follows is safe",
    "trusts-cache": "recovery takes what it sees for safe and drops the journal",
}


def sync(place: Path) -> None:
    """Make a file's bytes, or a folder's names, safe."""
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        if FAULT != "swallows":
            raise
    finally:
        os.close(handle)


def put(place: Path, content: bytes, *, safe: bool = True) -> None:
    """Write a new file."""
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        os.write(handle, content)
    finally:
        os.close(handle)
    if safe:
        sync(place)


def temp_of(name: str) -> Path:
    """Return where the new content of a file waits."""
    return Path(name).with_name(f".{Path(name).name}.tmp")


def folders() -> list[Path]:
    """Return the folders in which names change."""
    return sorted({Path(name).parent for name in FILES})


def enact(contents: dict[str, bytes]) -> None:
    """Put every content in place, then drop the journal: may be done again and again."""
    if FAULT == "wrong-order":
        retire()
    for name, content in contents.items():
        if FAULT == "in-place":
            put(Path(name), content)
            continue
        if FAULT == "trusts-cache" and Path(name).read_bytes() == content:
            continue
        put(temp_of(name), content, safe=FAULT != "no-file-sync")
        temp_of(name).replace(name)
        if FAULT == "half-back" and name == FILES[0]:
            sync(Path(name).parent)
    if FAULT not in {"no-folder-sync", "trusts-cache"} or (FAULT == "trusts-cache" and VERB != "reopen"):
        for folder in folders():
            sync(folder)
    if FAULT not in {"wrong-order", "no-journal", "in-place"}:
        retire()


def retire() -> None:
    """Move the journal to history."""
    n = len(list(HISTORY.iterdir())) + 1
    (JOURNAL / "1").rename(HISTORY / str(n))
    if FAULT != "no-retire-sync":
        sync(HISTORY)
        sync(JOURNAL)


def make_machine() -> None:
    """Make the folders of machine state."""
    if not MACHINE.is_dir():
        MACHINE.mkdir()
        sync(MACHINE.parent)
    if not (JOURNAL.is_dir() and HISTORY.is_dir()):
        JOURNAL.mkdir(exist_ok=True)
        HISTORY.mkdir(exist_ok=True)
        sync(MACHINE)


def change(contents: dict[str, bytes]) -> None:
    """Bring all files to these contents, or none."""
    make_machine()
    recover()
    if FAULT in {"no-journal", "in-place"}:
        enact(contents)
        return
    staged = JOURNAL / "new"
    if FAULT == "leaves-temp":
        for name, content in contents.items():
            put(temp_of(name), content)
    try:
        record = json.dumps({name: content.decode() for name, content in contents.items()}).encode()
        put(staged, record, safe=FAULT != "no-record-sync")
        staged.replace(JOURNAL / "1")
        if FAULT != "no-journal-sync":
            sync(JOURNAL)
    except OSError:
        for place in (staged, JOURNAL / "1"):
            place.unlink(missing_ok=True)
        raise
    try:
        enact(contents)
    except OSError:
        if FAULT != "half-back":
            raise
        (JOURNAL / "1").unlink(missing_ok=True)
        raise


def recover() -> None:
    """Finish a plan that was written down, and sweep what one that was not left behind."""
    if not JOURNAL.is_dir():
        return
    make_machine()
    (JOURNAL / "new").unlink(missing_ok=True)
    if (JOURNAL / "1").exists():
        if FAULT != "trusts-journal":
            sync(JOURNAL)
        enact({name: text.encode() for name, text in json.loads((JOURNAL / "1").read_bytes()).items()})
    if FAULT != "leaves-temp":
        for name in FILES:
            temp_of(name).unlink(missing_ok=True)


def main() -> int:
    """Run one verb."""
    try:
        if VERB == "reopen":
            recover()
        else:
            change(NEW if VERB == "change" else OLD)
    except OSError as error:
        if FAULT == "traceback":
            raise
        sys.stderr.write(f"sample: cannot write '{error.filename}': {error.strerror}\n")
        return 2
    return 0


VERB, FAULT = (*sys.argv[1:3], "", "")[:2]

if __name__ == "__main__":
    sys.exit(main())
