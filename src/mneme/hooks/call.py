"""Carry one event of a host to the resident engine, print the answer, be gone.

A host runs it by the file beside this one (`python -S -E client.py HOST EVENT`), so it imports next to nothing and nothing
of mneme's. Where no engine answers within 50 ms, one is started for the next time, and this process finds the answer
itself. Whatever happens, it exits 0 within the event's deadline with a valid answer or none; faults go to a log.
"""

from __future__ import annotations

import os
import sys
import time

# The modules that `signal` and `socket` are made of: theirs would take longer to import than all the rest.
from _signal import (  # type: ignore[import-not-found]
    ITIMER_REAL,
    SIG_IGN,
    SIGALRM,
    SIGINT,
    SIGPIPE,
    SIGTERM,
    setitimer,
    signal,
)
from _socket import AF_UNIX, SHUT_WR, SOCK_STREAM, socket

TYPE_CHECKING = False  # importing it from `typing` would take longer than all the rest
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType

MAGIC, ACKNOWLEDGED, THINKING, COMPLETE = "mneme-hook 1", b"\x06", b"\x05", b"\x04"
ENGINE_MS = 50
# How long a host may be kept waiting, by event. Far below what each host allows; 1 s is Codex's own for SessionEnd.
DEADLINE_MS = {
    "SessionStart": 5000,
    "UserPromptSubmit": 2000,
    "PreToolUse": 500,
    "PostToolUse": 500,
    "PostToolUseFailure": 500,
    "PreCompact": 2000,
    "Stop": 1000,
    "SessionEnd": 800,
}
# How long where the workspace has a model write what is said; hosts are told to wait ten seconds.
THINKING_MS = 9000
# The events whose answer the host uses; for the others it is enough that the engine has them.
ANSWERED = frozenset({"SessionStart", "UserPromptSubmit", "PreToolUse"})
LONGEST_EVENT_BYTES = 32 * 1024 * 1024
START_AGAIN_SECONDS = 3.0
LONGEST_LOG_BYTES = 512 * 1024
_FORWARDED = ("HOME", "PATH", "MNEME_", "XDG_", "CLAUDE_", "CODEX_", "GEMINI_", "CURSOR_", "OPENCLAW_")
_KIND_AND_OTHERS, _FOLDER = 0o170077, 0o040000
_CHUNK_BYTES = 1 << 20
_START = "import sys; sys.path.append(sys.argv.pop(1)); from mneme.cli import main; sys.exit(main())"


def runtime_folder(env: Mapping[str, str] = os.environ) -> str:
    """Return the folder of the user's one engine: its socket, its lock."""
    if chosen := env.get("MNEME_RUNTIME"):
        return chosen
    own = env.get("XDG_RUNTIME_DIR")
    return f"{own}/mneme" if own else f"{env.get('TMPDIR') or '/tmp'}/mneme-{os.getuid()}"  # noqa: S108 - checked for its owner


def socket_path(env: Mapping[str, str] = os.environ) -> str:
    """Return where the user's engine listens."""
    return runtime_folder(env) + "/engine.sock"


def log_path(env: Mapping[str, str] = os.environ) -> str:
    """Return the file that faults of hooks and of the engine are told in, one line each."""
    state = env.get("XDG_STATE_HOME") or (env["HOME"] + "/.local/state" if env.get("HOME") else "")
    return f"{state}/mneme/hooks.log" if state else runtime_folder(env) + "/hooks.log"


def is_own_folder(folder: str) -> bool:
    """Say whether a folder belongs to this user and nobody else may enter it: anybody may make one in /tmp."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return found.st_uid == os.getuid() and found.st_mode & _KIND_AND_OTHERS == _FOLDER


def log(host: str, event: str, fault: str, env: Mapping[str, str] = os.environ) -> None:
    """Tell a fault in the log, in one line; a full log makes room, and where none can be written nothing is."""
    place = log_path(env)
    moment = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    line = f"{moment} {host} {event} {' '.join(fault.split())[:300]}\n"
    try:
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        full = os.fstat(handle).st_size > LONGEST_LOG_BYTES
        os.write(handle, line.encode("utf-8", "backslashreplace"))
        os.close(handle)
        if full:
            os.replace(place, place + ".old")
    except (OSError, ValueError):
        return


def print_call(host: str, event: str, cwd: str, env: Mapping[str, str] = os.environ) -> bytes:
    """Return what goes before the event's own bytes: who asks, about what, from where, under which settings."""
    kept = [f"{key}={value}" for key, value in env.items() if key.startswith(_FORWARDED)]
    return "\0".join((MAGIC, host, event, cwd, *kept, "", "")).encode("utf-8", "surrogateescape")


def parse_call(message: bytes) -> tuple[str, str, str, dict[str, str], bytes]:
    """Return host, event, folder, environment and the event's own bytes; the inverse of `print_call`."""
    head, end, raw = message.partition(b"\0\0")
    magic, host, event, cwd, *kept = head.decode("utf-8", "surrogateescape").split("\0")
    if not end or magic != MAGIC:
        raise ValueError(magic[:40])
    return host, event, cwd, dict(pair.split("=", 1) for pair in kept), raw


def ask_engine(place: str, message: bytes, *, wait: bool) -> bytes | None:
    """Return the engine's answer, or None where there is no engine that takes the message within its time.

    Once it has, the answer is worth waiting for until the deadline; without `wait` there is none to wait for.
    """
    if not is_own_folder(os.path.dirname(place)):
        return None
    line = socket(AF_UNIX, SOCK_STREAM)
    try:
        ends = time.monotonic() + ENGINE_MS / 1000
        line.settimeout(ENGINE_MS / 1000)
        line.connect(place)
        line.sendall(message)
        line.shutdown(SHUT_WR)
        line.settimeout(max(ends - time.monotonic(), 0.001))
        if line.recv(1) != ACKNOWLEDGED:
            return None
        if not wait:
            return b""
        line.settimeout(None)
        answer = b""
        while part := line.recv(65536):
            if not answer and part[:1] == THINKING:
                setitimer(ITIMER_REAL, THINKING_MS / 1000)
                part = part[1:]
            answer += part
        # An engine that was killed in mid-answer leaves half of it, which no host could read.
        return answer[:-1] if answer.endswith(COMPLETE) else None
    except OSError:
        return None
    finally:
        line.close()


def is_listening(place: str) -> bool:
    """Say whether an engine listens."""
    line = socket(AF_UNIX, SOCK_STREAM)
    try:
        line.connect(place)
    except OSError:
        return False
    finally:
        line.close()
    return True


def start_engine(env: Mapping[str, str] = os.environ, *, asked: bool = False) -> None:
    """Start the resident engine, of which this process is no part; a second one would see the first and leave.

    `MNEME_SERVE=0` keeps hooks from doing so; one who has `asked` for it is heard all the same.
    """
    folder = runtime_folder(env)
    if env.get("MNEME_SERVE") == "0" and not asked:
        return
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not is_own_folder(folder) or _is_starting(f"{folder}/starting"):
            return
        null = os.devnull
        words = [sys.executable, "-E", "-c", _START, package_parent(), "serve", "--detached"]
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, null, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, null, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, null, os.O_WRONLY, 0),
        ]
        try:
            os.posix_spawn(sys.executable, words, {**env}, file_actions=actions, setsid=True)
        except NotImplementedError:  # the engine then leaves the session by itself
            os.posix_spawn(sys.executable, words, {**env}, file_actions=actions)
    except (OSError, ValueError) as error:
        log("-", "-", f"the engine could not be started: {error}", env)


def _is_starting(mark: str) -> bool:
    """Say whether somebody has started an engine just now, and note that we do, if not."""
    handle = os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        found = os.fstat(handle)
        recent = found.st_size > 0 and 0 <= time.time() - found.st_mtime < START_AGAIN_SECONDS
        if not recent:
            os.pwrite(handle, b"started\n", 0)
        return recent
    finally:
        os.close(handle)


def package_parent() -> str:
    """Return the folder that `mneme` is imported from."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def packages_folder() -> str:
    """Return the folder of the packages that `mneme` needs: an interpreter that was started bare does not look there."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    return os.path.join(os.path.dirname(os.path.dirname(sys.executable)), "lib", version, "site-packages")


def read_event() -> bytes:
    """Return all bytes that the host sent; None of them where they are too many to be an event."""
    parts, size = [], 0
    while part := os.read(0, _CHUNK_BYTES):
        size += len(part)
        if size > LONGEST_EVENT_BYTES:
            message = "the event is too large"
            raise ValueError(message)
        parts.append(part)
    return b"".join(parts)


def write_answer(answer: bytes) -> None:
    """Print the answer; a host that no longer listens is not a fault."""
    rest = memoryview(answer)
    while rest:
        rest = rest[os.write(1, rest) :]


def find_answer(host: str, event: str, raw: bytes, env: Mapping[str, str]) -> bytes:
    """Return the answer to an event: the engine's, or where there is none our own."""
    try:
        cwd = os.getcwd()
    except OSError:
        cwd = "/"
    message = print_call(host, event, cwd, env) + raw
    answer = ask_engine(socket_path(env), message, wait=event in ANSWERED)
    if answer is not None:
        return answer
    start_engine(env)
    return _answer_alone(host, event, cwd, env, raw)


def _answer_alone(host: str, event: str, cwd: str, env: Mapping[str, str], raw: bytes) -> bytes:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if path != here]  # its modules would stand in for the library's
    sys.path += [path for path in (package_parent(), packages_folder()) if path not in sys.path]
    sys.modules.setdefault("mneme.hooks.call", sys.modules[__name__])  # it was found by its file's name alone
    from mneme import compiled

    compiled.keep()
    from mneme.hooks import alone

    return alone.answer(host, event, cwd, env, raw)


def main(words: Sequence[str]) -> None:
    """Answer one event and end the process, always with exit code 0."""
    env = dict(os.environ)
    host, event = (*words, "", "")[:2]
    if env.get("MNEME_HOOKS") == "off":
        os._exit(0)

    def give_up(number: int, _frame: FrameType | None) -> None:
        log(host, event, "out of time" if number == SIGALRM else f"ended by signal {number}", env)
        os._exit(0)

    try:
        signal(SIGALRM, give_up)
        signal(SIGTERM, give_up)
        signal(SIGINT, give_up)
        signal(SIGPIPE, SIG_IGN)
        setitimer(ITIMER_REAL, DEADLINE_MS.get(event, 1000) / 1000)
        answer = find_answer(host, event, read_event(), env)
        write_answer(answer)
    except BrokenPipeError:
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - a hook never harms its host
        log(host, event, f"{type(error).__name__}: {error}", env)
    os._exit(0)
