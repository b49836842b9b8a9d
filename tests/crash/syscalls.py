"""What a command asked of the kernel, as strace recorded it, call by call.

`record` runs a command under strace and `parse_trace` reads the recording without losing a byte: every string and
path is hexadecimal there, so commas, quotes and newlines cannot confuse it. Nothing here interprets a call beyond
saying which paths it names and whether it changes a folder; `disk.py` does that.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

SYNCS = frozenset({"fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "msync"})
WRITES = frozenset({"write", "writev", "pwrite64", "pwritev", "pwritev2", "copy_file_range", "sendfile", "splice"})
SIZES = frozenset({"ftruncate", "truncate", "fallocate"})
NAMES = frozenset({"rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "unlink", "unlinkat"})
FOLDERS = frozenset({"mkdir", "mkdirat", "rmdir"})
MODES = frozenset({"chmod", "fchmod", "fchmodat", "fchmodat2"})
OPENS = frozenset({"open", "openat", "openat2", "creat"})
CHANGING = SYNCS | WRITES | SIZES | NAMES | FOLDERS | MODES
# Needed to follow descriptors and offsets, never to count as a change.
FOLLOWED = frozenset({"close", "dup", "dup2", "dup3", "fcntl", "lseek", "read", "readv", "pread64", "chdir", "fchdir"})
TRACED = CHANGING | OPENS | FOLLOWED

# Where each call keeps its paths: (folder descriptor or None, path) argument positions.
PATHS: dict[str, tuple[tuple[int | None, int], ...]] = {
    "rename": ((None, 0), (None, 1)),
    "renameat": ((0, 1), (2, 3)),
    "renameat2": ((0, 1), (2, 3)),
    "link": ((None, 0), (None, 1)),
    "linkat": ((0, 1), (2, 3)),
    "symlink": ((None, 1),),
    "symlinkat": ((1, 2),),
    "unlink": ((None, 0),),
    "unlinkat": ((0, 1),),
    "mkdir": ((None, 0),),
    "mkdirat": ((0, 1),),
    "rmdir": ((None, 0),),
    "truncate": ((None, 0),),
    "chmod": ((None, 0),),
    "fchmodat": ((0, 1),),
    "fchmodat2": ((0, 1),),
    "open": ((None, 0),),
    "creat": ((None, 0),),
    "openat": ((0, 1),),
    "openat2": ((0, 1),),
}
# Calls that act on descriptors: argument positions.
DESCRIPTORS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("write", "writev", "pwrite64", "pwritev", "pwritev2", "fsync", "fdatasync", "syncfs"), (0,)),
    **dict.fromkeys(("sync_file_range", "ftruncate", "fallocate", "fchmod", "read", "readv", "pread64"), (0,)),
    "sendfile": (0,),
    "copy_file_range": (2,),
    "splice": (2,),
}

_LINE = re.compile(r"^(?:(\d+) +)?(\w+)\((.*)\) += (-?\d+|\?|0x[0-9a-f]+)(.*)$", re.DOTALL)
_CUT_SHORT = re.compile(r"^(?:(\d+) +)?(\w+)\((.*?)(?: <unfinished \.\.\.>|\) += \?.*)?$", re.DOTALL)
_RESUMED = re.compile(r"^(?:(\d+) +)?<\.\.\. (\w+) resumed>(.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Call:
    """One system call: its arguments as strace printed them, and what it answered."""

    pid: int
    name: str
    args: tuple[str, ...]
    result: int | None  # None: the process died inside the call, so it never took effect
    error: str
    injected: bool
    cwd: str  # the folder that the command was started in: what a bare relative path starts from
    nth: int  # the how-manieth call of this name by this thread: what strace's when= counts

    @property
    def worked(self) -> bool:
        """Say whether the call took effect."""
        return self.result is not None and self.result >= 0 and not self.injected

    def paths(self) -> list[str]:
        """Return every absolute path that the call acts on, by name or by descriptor."""
        found = [self.descriptor(position) for position in DESCRIPTORS.get(self.name, ())]
        for folder, position in PATHS.get(self.name, ()):
            if position < len(self.args):
                start = parse_descriptor(self.args[folder])[1] if folder is not None else self.cwd
                found.append(os.path.normpath(os.path.join(start, os.fsdecode(parse_text(self.args[position])))))  # noqa: PTH118
        return [path for path in found if path]

    def descriptor(self, position: int) -> str:
        """Return the path behind a descriptor argument, or nothing."""
        return parse_descriptor(self.args[position])[1] if position < len(self.args) else ""

    def creates(self) -> bool:
        """Say whether an open may make or empty a file."""
        if self.name == "creat":
            return True
        return self.name in OPENS and any("O_CREAT" in a or "O_TRUNC" in a or "O_TMPFILE" in a for a in self.args)

    def changes(self, root: str) -> bool:
        """Say whether the call changes, or makes durable, something under `root`."""
        if self.name == "sync":
            return True
        if self.name not in CHANGING and not self.creates():
            return False
        return self.touches(root)

    def touches(self, root: str) -> bool:
        """Say whether the call names something under `root`."""
        return any(path == root or path.startswith(root + "/") for path in self.paths())

    def summary(self, root: str) -> str:
        """Say in a few words what the call does, for a report."""
        return f"{self.name}({', '.join(os.path.relpath(path, root) for path in self.paths())})"


def parse_text(argument: str) -> bytes:
    """Return the bytes of a string that strace printed with -xx."""
    body = argument[argument.index('"') + 1 : argument.rindex('"')]
    if argument.endswith("..."):
        message = "strace cut a buffer short: raise the -s limit"
        raise ValueError(message)
    return bytes.fromhex(body.replace("\\x", ""))


def parse_descriptor(argument: str) -> tuple[int, str]:
    r"""Return the number and the path of a descriptor printed as `3<\x2f...>`."""
    head, _, tail = argument.partition("<")
    number = -100 if head == "AT_FDCWD" else int(head)
    hexed = re.match(r"(?:\\x[0-9a-f]{2})*", tail)
    return number, os.fsdecode(bytes.fromhex(hexed.group().replace("\\x", ""))) if hexed else ""


def split_arguments(text: str) -> tuple[str, ...]:
    """Split at the commas that separate arguments: none of them can lie inside a string."""
    parts, depth, start = [], 0, 0
    for place, char in enumerate(text):
        if char in "[{(":
            depth += 1
        elif char in "]})":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    tail = text[start:].strip()
    return (*parts, tail) if tail else tuple(parts)


def parse_trace(text: str, cwd: str = "/") -> list[Call]:
    """Read a recording; a call that the thread never came back from has no result."""
    calls: list[Call] = []
    counts: Counter[tuple[int, str]] = Counter()
    for line in _whole_lines(text):
        match = _LINE.match(line) or _CUT_SHORT.match(line)
        if not match:
            continue
        if match[2] in {"chdir", "fchdir"}:
            message = "the command changes its folder: relative paths in the recording would be misread"
            raise ValueError(message)
        pid, name, arguments = int(match[1] or 0), match[2], match[3]
        returned = match[4] if match.re is _LINE else "?"
        after = match[5] if match.re is _LINE else ""
        counts[pid, name] += 1
        error = re.match(r" (E[A-Z0-9]+)", after)
        calls.append(
            Call(
                pid=pid,
                name=name,
                args=split_arguments(arguments),
                result=None if returned == "?" else int(returned, 0),
                error=error[1] if error else "",
                injected="(INJECTED)" in after,
                cwd=cwd,
                nth=counts[pid, name],
            )
        )
    return calls


def _whole_lines(text: str) -> Iterable[str]:
    """Put the two halves of an interrupted line together, at the place where the call was entered."""
    waiting: dict[str, int] = {}
    lines: list[str] = []
    for line in text.split("\n"):
        pid = line.split(" ", 1)[0]
        resumed = _RESUMED.match(line)
        if resumed:
            place = waiting.pop(pid, None)
            if place is not None:
                lines[place] = lines[place].removesuffix("<unfinished ...>").rstrip() + resumed[3]
        elif line:
            if line.endswith("<unfinished ...>"):
                waiting[pid] = len(lines)
            lines.append(line)
    return lines


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended."""

    code: int  # negative: the signal that ended it
    out: str
    err: str


def run_traced(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    recording: Path,
    inject: Iterable[str] = (),
    wrap: Sequence[str] = (),
    *,
    follow: bool = False,
    limit: float = 120.0,
) -> tuple[Ran, list[Call]]:
    """Run a command under strace, with faults put in if asked, and return how it ended and what it called.

    `follow` also records what `disk.replay` needs to follow descriptors; `wrap` goes in front of strace itself.
    """
    inject = list(inject)
    options = [option for fault in inject for option in ("-e", f"inject={fault}")]
    names = TRACED if follow else TRACED - FOLLOWED
    trace = ",".join(sorted(f"?{name}" for name in names | {fault.split(":")[0] for fault in inject}))
    # The filter in the kernel is quicker, but strace loses the signals that it should send then.
    fast = [] if any(":signal=" in fault for fault in inject) else ["--seccomp-bpf"]
    strace = ["strace", "-f", "-y", "-xx", "-s", "100000000", *fast]
    command = [*strace, "-o", str(recording), "-e", f"trace={trace}", *options, "--", *argv]
    done = subprocess.run([*wrap, *command], cwd=cwd, env=dict(env), capture_output=True, timeout=limit, check=False)
    ran = Ran(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
    return ran, parse_trace(recording.read_text("ascii"), str(cwd))


def changing_calls(calls: Sequence[Call], root: str) -> list[Call]:
    """Keep the calls that change the folder, and insist that one thread made them all."""
    found = [call for call in calls if call.changes(root)]
    if len({call.pid for call in found}) > 1:
        message = "more than one thread writes under the workspace: when= cannot say which call is meant"
        raise AssertionError(message)
    return found


def without(calls: Sequence[Call], root: str, nth: int) -> list[Call]:
    """Return the recording as if the nth sync under `root` (from 0) had never been called."""
    syncs = [place for place, call in enumerate(calls) if call.name in SYNCS and call.changes(root)]
    return [call for place, call in enumerate(calls) if place != syncs[nth]]


def find_syncs(calls: Sequence[Call], root: str) -> list[Call]:
    """Return the syncs under `root`, in order."""
    return [call for call in calls if call.name in SYNCS and call.changes(root)]
