"""What a git repository around the workspace remembers: asked, never relied on.

Everything works without git; where it is there, it knows earlier texts. A repository may be a stranger's, so none of
its hooks, drivers or monitors is ever run by a question. Only `commit_paths` writes, and only what it is given.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mneme.errors import MnemeError

if TYPE_CHECKING:
    from collections.abc import Iterable

TIMEOUT_SECONDS = 20
_CALM = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")


def find_repository(root: Path) -> Path | None:
    """Return the folder that holds `.git`, from the workspace upwards."""
    real = Path(root)
    return next((folder for folder in (real, *real.parents) if (folder / ".git").exists()), None)


def run_git(folder: Path, *args: str, given: bytes | None = None) -> bytes | None:
    """Return what a git command prints, or None where there is no git, no repository, or no answer in time."""
    import subprocess

    command = ["git", *_CALM, "-C", str(folder), *args]
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def changed_files(root: Path, *globs: str) -> list[str]:
    """Return the files below a folder that are not as the last commit has them; one question, however many there are."""
    wanted = [f":(glob)**/{glob}" for glob in globs]
    printed = run_git(root, "diff", "--name-only", "--relative", "-z", "HEAD", "--", *wanted) or b""
    return [path for path in printed.decode("utf-8", "surrogateescape").split("\0") if path]


def was_committed(root: Path, path: str) -> bool:
    """Say whether any commit behind the last one changed a file."""
    return bool(run_git(root, "log", "-1", "--format=%h", "--", f":(literal){path}"))


def head_contents(root: Path, paths: Iterable[str]) -> dict[str, bytes]:
    """Return the files that the last commit has, as it has them; one question, however many there are."""
    asked = [path for path in paths if "\n" not in path]
    given = "".join(f"HEAD:./{path}\n" for path in asked).encode("utf-8", "surrogateescape")
    printed = (run_git(root, "cat-file", "--batch", given=given) if asked else None) or b""
    found: dict[str, bytes] = {}
    at = 0
    for path in asked:
        end = printed.find(b"\n", at)
        head = printed[at:end].split(b" ")
        at = end + 1
        if head[-1].isdigit() and head[-2] == b"blob":
            found[path] = printed[at : at + int(head[-1])]
            at += int(head[-1]) + 1
    return found


def tips(repository: Path) -> str:
    """Return a text that changes when a commit is made or fetched; a few small reads, no process."""
    folder = repository / ".git"
    if folder.is_file():
        link = folder.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
        folder = (repository / link).resolve()
    parts = []
    for name in ("HEAD", "logs/HEAD", "packed-refs", "FETCH_HEAD"):
        try:
            found = (folder / name).stat()
        except OSError:
            continue
        parts.append(f"{name}:{found.st_size}:{found.st_mtime_ns}:{found.st_ino}")
    return " ".join(parts)


def lines_ever(root: Path, globs: tuple[str, ...]) -> bytes:
    """Return every line that any commit added to, or took from, the files that match."""
    printed = run_git(
        root, "log", "--all", "-p", "--unified=0", "--format=", "--no-color", "--no-ext-diff", "--no-textconv", "--",
        *(f":(glob)**/{glob}" for glob in globs),
    )  # fmt: skip
    if not printed:
        return b""
    kept = (
        line[1:] for line in printed.split(b"\n") if line[:1] in {b"+", b"-"} and line[:4] not in {b"+++ ", b"--- "}
    )
    return b"\n" + b"\n".join(kept) + b"\n"


def commit_paths(root: Path, paths: tuple[str, ...], message: str) -> str:
    """Commit these paths as they are on disk, and nothing that the user has staged; returns the commit's short name."""
    wanted = b"\0".join(path.encode("utf-8", "surrogateescape") for path in paths)
    arguments = ("--pathspec-from-file=-", "--pathspec-file-nul")
    run_git(root, "add", "--intent-to-add", *arguments, given=wanted)
    if run_git(root, "commit", "--quiet", "--no-verify", "-m", message, "--only", *arguments, given=wanted) is None:
        problem = f"git would not commit '{paths[0]}'"
        raise MnemeError(problem, "git status")
    return (run_git(root, "rev-parse", "--short", "HEAD") or b"").decode().strip()
