"""What Python would compile anew in every process, kept beside its bytecode: patterns, and the methods of dataclasses.

Of a module that it imports Python keeps the bytecode, and not what the module then has compiled. In a process that lives
for a moment that is most of the time: a hundred patterns, eighty classes of six methods. They lie in one file, each under
its module and its exact source, for this very interpreter. Only what stands in the sources is kept, never what was made
of data; a file that is lost, damaged, or cannot be written is done without.
"""

from __future__ import annotations

import builtins
import dataclasses
import marshal
import os
import sys
from _imp import source_hash
from contextlib import suppress

TYPE_CHECKING = False  # importing it from `typing` would take longer than all that is done here
if TYPE_CHECKING:
    import re
    from types import FrameType
    from typing import Any

# A command that had so many to compile is the first one of an installation, and leaves them for the next.
MANY = 50
# Functions, beside the bodies of modules, in which patterns are compiled that stand in the sources.
_OF_SOURCES = ("<module>", "_rules")
_OF_PATTERNS, _OF_LOOPS = ("re", "re._compiler", __name__), ("<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")
_SEAL_KEY, _SEAL_BYTES = 0x6D6E656D65, 8
_LENGTH_BYTES, _LONGEST_CONTENTS = 4, 1 << 20

# By module: where in the file it lies, sealed, and what is known of those that were asked for. The file is long, and a
# process needs a tenth of it: no more is read.
_kept: dict[str, tuple[int, int]] = {}
_file = ""
_known: dict[str, dict[Any, Any]] = {}
_more = 0  # how many have been added since the file was read or written


def keep(place: str = "") -> None:
    """From here on look up what is to be compiled, and remember what was not there."""
    if getattr(dataclasses, "exec", None) is _run:
        return
    global _file  # noqa: PLW0603
    _file = place or _place()
    _kept.update(_contents(_file))
    dataclasses.exec = _run  # type: ignore[attr-defined]  # there it stands before the one that is built in
    with suppress(ImportError, AttributeError):
        from re import _compiler as compiler  # type: ignore[attr-defined]

        if compiler.compile.__module__ == compiler.__name__:
            compiler.compile = _compiled


def save(place: str = "", *, least: int = 1) -> None:
    """Write down what has been added, with what others have added meanwhile, if it is as much as that."""
    global _more  # noqa: PLW0603 - there is one table in a process
    place = place or _place()
    if _more < least or not place:
        return
    _more = 0
    found = {module: _opened(_piece(place, *where)) for module, where in _contents(place).items()}
    pieces, kept, size = [], {}, 0
    for module in found.keys() | _known.keys():
        pieces.append(_sealed(found.get(module, {}) | _known.get(module, {})))
        kept[module] = size, len(pieces[-1])
        size += len(pieces[-1])
    contents = _sealed({"version": _version(), "kept": kept})
    written = f"{place}.{os.getpid()}"
    try:
        with open(written, "wb") as file:
            file.write(len(contents).to_bytes(_LENGTH_BYTES, "little") + contents + b"".join(pieces))
        os.replace(written, place)
    except OSError:
        with suppress(OSError):
            os.unlink(written)


def _place() -> str:
    """Return where it is kept, beside our own bytecode; nowhere, where bytecode is not kept either."""
    own = __spec__.cached if __spec__ and not sys.dont_write_bytecode else None
    return own.removesuffix(".pyc") + ".kept" if own else ""


def _version() -> str:
    import _sre  # type: ignore[import-not-found]

    return f"{sys.version} {_sre.MAGIC}"


def _contents(place: str) -> dict[str, tuple[int, int]]:
    """Return where in a file each module lies; nothing, where it is another interpreter's or damaged."""
    length = int.from_bytes(_piece(place, 0, _LENGTH_BYTES), "little")
    found = _opened(_piece(place, _LENGTH_BYTES, min(length, _LONGEST_CONTENTS)))
    if found.get("version") != _version():
        return {}
    start = _LENGTH_BYTES + length
    return {module: (start + offset, size) for module, (offset, size) in found["kept"].items()}


def _piece(place: str, offset: int, size: int) -> bytes:
    """Return a piece of a file; it is opened anew, since a service closes what it was started with."""
    try:
        handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.pread(handle, size, offset)
    except OSError:
        return b""
    finally:
        os.close(handle)


def _sealed(table: dict[Any, Any]) -> bytes:
    content = marshal.dumps(table)
    return source_hash(_SEAL_KEY, content) + content


def _opened(sealed: bytes) -> dict[Any, Any]:
    """Return what was sealed; nothing, where it is not as it was."""
    content = memoryview(sealed)[_SEAL_BYTES:]
    if not content or source_hash(_SEAL_KEY, content) != sealed[:_SEAL_BYTES]:
        return {}
    table: dict[Any, Any] = marshal.loads(content)  # noqa: S302 - as bytecode is, from the same folder
    return table


def _of(module: str) -> dict[Any, Any]:
    """Return what is known of a module."""
    known = _known.get(module)
    if known is None:
        known = _known[module] = _opened(_piece(_file, *_kept[module])) if module in _kept else {}
    return known


def _run(source: str, names: dict[str, Any], made: dict[str, Any]) -> None:
    """Run the source of a method, as `exec` does."""
    global _more  # noqa: PLW0603
    known = _of(names.get("__name__", ""))
    code = known.get(source)
    if code is None:
        code = known[source] = compile(source, "<string>", "exec")
        _more += 1
    builtins.exec(code, names, made)  # noqa: S102 - in its place


def _compiled(pattern: Any, flags: int = 0) -> re.Pattern[Any]:  # noqa: ANN401 - text, bytes, or parsed already
    """Return a compiled pattern, as `re._compiler.compile` does."""
    import _sre

    module = _module_of(sys._getframe(1)) if isinstance(pattern, str) else ""  # noqa: SLF001 - nothing else tells
    known = _of(module) if module else {}
    made = known.get((pattern, int(flags)))
    if made is None:
        global _more  # noqa: PLW0603
        made = known[pattern, int(flags)] = _compile(pattern, flags)
        _more += bool(module)
    said, code, groups, names, indexes = made
    source = pattern if isinstance(pattern, (str, bytes)) else None
    found: re.Pattern[Any] = _sre.compile(source, said, memoryview(code).cast("I").tolist(), groups, names, indexes)
    return found


def _compile(pattern: Any, flags: int) -> tuple[Any, ...]:  # noqa: ANN401
    """Return what the engine of patterns is given for one: its flags, its code, its groups."""
    from array import array
    from re import _compiler, _parser  # type: ignore[attr-defined]

    parsed = _parser.parse(pattern, flags) if isinstance(pattern, (str, bytes)) else pattern
    code = _compiler._code(parsed, flags)  # noqa: SLF001
    state = parsed.state
    indexes: list[str | None] = [None] * state.groups
    for name, index in state.groupdict.items():
        indexes[index] = name
    told = array("I", code).tobytes()
    return int(flags | state.flags), told, state.groups - 1, dict(state.groupdict), tuple(indexes)


def _module_of(frame: FrameType | None) -> str:
    """Return the module in whose sources a pattern stands, by who has it compiled; nothing, where it is made of data."""
    while frame is not None and (frame.f_globals.get("__name__") in _OF_PATTERNS or frame.f_code.co_name in _OF_LOOPS):
        frame = frame.f_back
    if frame is None or frame.f_code.co_name not in _OF_SOURCES:
        return ""
    return str(frame.f_globals.get("__name__", ""))


def fill() -> None:
    """Import all there is of ours, and keep what that has compiled."""
    from datetime import date
    from importlib import import_module
    from pkgutil import walk_packages

    import mneme

    keep()
    for module in walk_packages(mneme.__path__, "mneme."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):  # an extra that is not installed
                import_module(module.name)
    find_whens = import_module("mneme.formats.when").find_whens
    find_whens("1 五", date(2026, 1, 1))  # its patterns are compiled when they are first asked for
    save()


if __name__ == "__main__":
    from importlib import import_module

    import_module("mneme.compiled").fill()  # not this one, which nobody imports
