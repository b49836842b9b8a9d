"""Where everything lies, and the only reader of the environment and of `mneme.toml`.

A workspace is found, never guessed at: the rule that found it is kept, so that it can be told. Whether it is trusted is
kept per absolute path in the user's own configuration, because a folder that was cloned is somebody else's word.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.errors import NotFoundError, StorageError
from mneme.settings import FILE_NAME, Settings, parse_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from mneme.profiles import Home, MemoryFiles, Profile

CELL_SUFFIXES = (".mneme", ".mn")
LOG_SUFFIX = ".jsonl"
# What waits for a word; a cell file to which nothing else is written.
PROPOSALS_FILE = "memory/proposals.mneme"
DEFAULT_CELL_FILE = "memory/project.mneme"
SKIPPED_FOLDERS = frozenset({"lost+found", "node_modules", "__pycache__", "venv", "target", "site-packages"})


# The folders in a folder, and the files of memory.
_Listing = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Workspace:
    """One folder of memory: its root, its settings, whether its word may be taken, and how it was found."""

    root: Path
    settings: Settings = field(default_factory=Settings)
    trusted: bool = False
    found_by: str = "--workspace"
    closed: list[str] = field(default_factory=list, init=False, compare=False, repr=False)  # could not be listed so far
    _profile: list[Profile] = field(default_factory=list, init=False, compare=False, repr=False)
    # The paths that were sorted last, and how: the same paths need not be sorted again.
    _selected: list[Any] = field(default_factory=list, init=False, compare=False, repr=False)
    # What lay in each folder when its inode last said so, old enough to say so again.
    _listed: dict[tuple[str, tuple[str, ...]], tuple[tuple[int, ...], _Listing]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @property
    def profile(self) -> Profile:
        """The layout of this workspace, with its settings applied; made when it is first asked for."""
        if not self._profile:
            from mneme.profiles import profile_of

            self._profile.append(profile_of(self.settings))
        return self._profile[0]

    def home_of(self, kind: str) -> Home:
        """Return where memories of a kind live; an error where there is no such kind, or no home for it."""
        return self.profile.home_of(kind)

    def kind_of(self, path: str) -> str:
        """Return the kind of what a file holds, as far as its place and name tell."""
        return self.profile.kind_of(path)

    def tier_of(self, path: str) -> str:
        """Return what decides when a file is loaded."""
        return self.profile.tier_of(path)

    def audience_of(self, path: str) -> str:
        """Return for whom a file may be shown by its path; a link shows no more than the file that it leads to."""
        audience = self.profile.audience_of(path)
        if audience == "private" or not (self.root / path).exists():
            return audience
        real, root = Path(os.path.realpath(self.root / path)), Path(os.path.realpath(self.root))
        return self.profile.audience_of(real.relative_to(root).as_posix()) if real.is_relative_to(root) else "private"

    def day_path(self, day: date | str) -> str:
        """Return the path of a day's note."""
        return self.profile.day_path(day)

    def note_files(self) -> list[str]:
        """Return the workspace paths of all Markdown memory, in order of name."""
        return list(self.memory_files().notes)

    def fact_files(self) -> list[str]:
        """Return the workspace paths of all `items.json` of entities, in order of name."""
        return list(self.memory_files().facts)

    def memory_files(self) -> MemoryFiles:
        """Return everything that is memory, from one walk."""
        from mneme.profiles.select import SUFFIXES, select_memory

        found = list(self.walk(SUFFIXES))
        if not self._selected or self._selected[0] != found:
            self._selected[:] = [found, select_memory(found, self.profile)]
        selected: MemoryFiles = self._selected[1]
        return selected

    def cell_files(self) -> list[str]:
        """Return the workspace paths of all cell files, in order of name."""
        return sorted(self.walk(CELL_SUFFIXES))

    def transcript_files(self) -> list[str]:
        """Return the whole paths of the session logs that settings name; a folder that is not trusted names none."""
        sources = self.settings.find("transcripts.sources") if self.trusted else None
        found: set[str] = set()
        for source in sources or ():
            found.update(_logs_at(os.path.expanduser(str(source))))
        return sorted(found)

    def default_cell_file(self) -> str:
        """Return the cell file that a new cell goes to; an error where a folder that may hold it cannot be listed."""
        if chosen := self.settings.find("cells.default"):
            return str(chosen)
        existing = [path for path in self.cell_files() if path != PROPOSALS_FILE]
        for folder in self.closed:
            if DEFAULT_CELL_FILE.startswith(folder):
                message = f"the folder '{folder or '.'}' cannot be listed, so it is not known where cells go"
                raise StorageError(message, f"ls -ld {self.root / folder}")
        return existing[0] if len(existing) == 1 else DEFAULT_CELL_FILE

    def walk(self, suffixes: tuple[str, ...]) -> Iterator[str]:
        """Yield the workspace paths of files with one of the suffixes; hidden, ignored and linked folders are passed.

        A folder that cannot be listed is passed too, and kept in `closed`.
        """
        stack = [""]
        while stack:
            folders, found = self._listing(stack.pop(), suffixes)
            stack.extend(folders)
            yield from found

    def _listing(self, prefix: str, suffixes: tuple[str, ...]) -> _Listing:
        """Return the folders in a folder, and the files with one of the suffixes; what was seen before is not read again.

        A folder's inode changes with every name in it. What a link leads to is no matter of its folder's.
        """
        kept = self._listed.get((prefix, suffixes))
        settled_ns = files.settled_before_ns()
        try:
            seen = (self.root / prefix).stat()
        except OSError:
            return self._read_folder(prefix, suffixes)[0]
        stamp = (seen.st_ino, seen.st_dev, seen.st_mtime_ns, seen.st_ctime_ns)
        if kept and kept[0] == stamp:
            return kept[1]
        listing, linked = self._read_folder(prefix, suffixes)
        if not linked and max(seen.st_mtime_ns, seen.st_ctime_ns) < settled_ns:
            self._listed[prefix, suffixes] = (stamp, listing)
        else:
            self._listed.pop((prefix, suffixes), None)
        return listing

    def _read_folder(self, prefix: str, suffixes: tuple[str, ...]) -> tuple[_Listing, bool]:
        """Return what is in a folder, and whether what is in it may change without it."""
        ignore = self.settings.find("files.ignore") or ()
        folders: list[str] = []
        found: list[str] = []
        entries = self._entries(prefix)
        linked = entries is None
        for entry in entries or ():
            name = entry.name
            path = prefix + name
            if ignore and any(fnmatchcase(path, glob) for glob in ignore):
                continue
            if entry.is_dir(follow_symlinks=False):
                if not name.startswith(".") and name not in SKIPPED_FOLDERS:
                    folders.append(path + "/")
            elif name.endswith(suffixes) and not name.startswith("."):
                linked = linked or entry.is_symlink()
                if entry.is_file(follow_symlinks=False) or (_is_file(entry) and self._is_inside(entry)):
                    found.append(path)
        return (tuple(folders), tuple(found)), linked

    def _entries(self, folder: str) -> list[os.DirEntry[str]] | None:
        """Return what is in a folder; None where it cannot be listed."""
        try:
            with os.scandir(self.root / folder) as found:
                return list(found)
        except FileNotFoundError:
            return None
        except OSError:
            if folder not in self.closed:
                self.closed.append(folder)
            return None

    def _is_inside(self, entry: os.DirEntry[str]) -> bool:
        if not entry.is_symlink():
            return True
        return Path(os.path.realpath(self.root)) in Path(os.path.realpath(entry.path)).parents

    def relative(self, path: str | Path) -> str:
        """Return a path given by a person, relative to where they stand, as a workspace path."""
        place = Path(os.path.abspath(path))
        real = Path(os.path.realpath(place.parent)) / place.name
        for one, base in ((place, self.root), (real, Path(os.path.realpath(self.root)))):
            if one.is_relative_to(base):
                return one.relative_to(base).as_posix()
        message = f"'{path}' is not in the workspace '{self.root}'"
        raise NotFoundError(message, f"mneme --workspace {place.parent} ...")


def _logs_at(pattern: str) -> Iterator[str]:
    """Yield the logs that a path, a folder or a glob stands for."""
    if not pattern.startswith("/"):
        return
    place = Path(pattern)
    found = place.rglob(f"*{LOG_SUFFIX}") if place.is_dir() else Path("/").glob(pattern[1:])
    yield from (str(path) for path in found if path.suffix == LOG_SUFFIX and path.is_file())


def _has_suffix(name: str, suffixes: tuple[str, ...]) -> bool:
    return name.endswith(suffixes) and not name.startswith(".")


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def _names(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


# The environment


_CALLER: ContextVar[Mapping[str, str] | None] = ContextVar("_CALLER", default=None)


@contextmanager
def environment_of(env: Mapping[str, str]) -> Iterator[None]:
    """Let a caller's environment stand for this process's own in the block: a service answers for many callers."""
    token = _CALLER.set(env)
    try:
        yield
    finally:
        _CALLER.reset(token)


def _environment(env: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Return the environment that is meant: the one given, else the caller's, else this process's."""
    if env is not None:
        return env
    caller = _CALLER.get()
    return os.environ if caller is None else caller


# Finding


def find_workspace(
    asked: str | None = None, *, here: Path | None = None, env: Mapping[str, str] | None = None
) -> Workspace:
    """Return the workspace that a command is about, by the contract's order; the personal one when there is no other."""
    env = _environment(env)
    root, found_by = _find_root(asked, here, env)
    return open_workspace(root, found_by=found_by, env=env)


def open_workspace(root: Path, *, found_by: str = "--workspace", env: Mapping[str, str] | None = None) -> Workspace:
    """Return the workspace in a folder that is known to be one."""
    env = _environment(env)
    text = files.find_file(root / FILE_NAME)
    settings = Settings() if text is None else parse_settings(text.decode("utf-8", "surrogateescape"))
    trusted = found_by == "personal" or str(root) in trusted_paths(env)
    return Workspace(root, settings, trusted=trusted, found_by=found_by)


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        message = "the folder you are in has been deleted"
        raise NotFoundError(message, "cd ~") from error


def _find_root(asked: str | None, here: Path | None, env: Mapping[str, str]) -> tuple[Path, str]:
    for value, found_by in ((asked, "--workspace"), (env.get("MNEME_WORKSPACE"), "MNEME_WORKSPACE")):
        if value:
            return _given(value, found_by), found_by
    start = here or _here()
    for folder in (start, *start.parents):
        if folder != start and _is_common(folder):
            continue
        if marker := find_marker(folder):
            return _whole_workspace(folder, marker)
    return personal_folder(env), "personal"


def _given(value: str, found_by: str) -> Path:
    place = given_folder(value)
    if not place.is_dir():
        what = "is not a folder" if place.exists() else "does not exist"
        message = f"the workspace '{value}' (from {found_by}) {what}"
        raise NotFoundError(
            message, f"mneme init --workspace {value}" if what == "does not exist" else f"ls -ld {value}"
        )
    return place


def _is_common(folder: Path) -> bool:
    """Say whether anybody may write into a folder: what lies in one such as /tmp claims nothing below it."""
    try:
        return bool(folder.stat().st_mode & stat.S_IWOTH)
    except OSError:
        return True


def _whole_workspace(folder: Path, marker: str) -> tuple[Path, str]:
    """Return the workspace whose `memory` folder somebody stands in, rather than that folder by itself."""
    if folder.name == "memory" and marker.endswith(CELL_SUFFIXES):
        above = find_marker(folder.parent)
        if above in (FILE_NAME, "MEMORY.md"):
            return folder.parent, above
    return folder, marker


def given_folder(value: str) -> Path:
    """Return the absolute path of a folder as a person wrote it; symbolic links in it stay."""
    return Path(os.path.abspath(os.path.expanduser(value)))


def find_marker(folder: Path) -> str | None:
    """Return the name that makes a folder a workspace, or None."""
    if (folder / FILE_NAME).is_file():
        return FILE_NAME
    cells = [entry.name for entry in _names(folder) if _has_suffix(entry.name, CELL_SUFFIXES) and _is_file(entry)]
    if cells:
        return min(cells)
    if (folder / "MEMORY.md").is_file() and (folder / "memory").is_dir():
        return "MEMORY.md"
    return None


# The user's own folders


def personal_folder(env: Mapping[str, str]) -> Path:
    """Return the folder of the personal workspace."""
    return _user_folder(env, "XDG_DATA_HOME", ".local/share", "Library/Application Support")


def config_folder(env: Mapping[str, str]) -> Path:
    """Return the folder of the user's configuration, trust decisions among it."""
    return _user_folder(env, "XDG_CONFIG_HOME", ".config", "Library/Preferences")


def home_folder(env: Mapping[str, str] | None = None) -> Path:
    """Return the folder of capability memory, the home, which belongs to the user and not to one workspace."""
    env = _environment(env)
    said = env.get("MNEME_HOME")
    return given_folder(said) if said else user_folder(env) / ".claude" / "mneme"


def user_folder(env: Mapping[str, str] | None = None) -> Path:
    """Return the user's own folder, in which host programs keep theirs."""
    env = _environment(env)
    return Path(env.get("HOME") or os.path.expanduser("~"))


def program_folder(variable: str, name: str, env: Mapping[str, str] | None = None) -> Path:
    """Return the folder that a host program keeps its settings in: where its variable says, else in the user's own."""
    said = _environment(env).get(variable)
    return given_folder(said) if said else user_folder(env) / name


def keep_runtime_quiet() -> None:
    """Keep onnxruntime, which is imported next, from counting what it does and sending it to its maker."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


def switches_file(env: Mapping[str, str] | None = None) -> Path:
    """Return where it is kept how the switches of host programs stood before they were set for us."""
    return config_folder(_environment(env)) / "switches.json"


def token_file(env: Mapping[str, str] | None = None) -> Path:
    """Return where the token lies that the resident engine is asked with over HTTP."""
    return config_folder(_environment(env)) / "http-token"


def search_path(env: Mapping[str, str] | None = None) -> str:
    """Return the folders in which programs are looked for."""
    return _environment(env).get("PATH", os.defpath)


def wants_fallback(env: Mapping[str, str] | None = None) -> bool:
    """Say whether cards may be found by their triggers alone where there is no embedder."""
    return _environment(env).get("MNEME_FALLBACK") == "1"


def wants_telemetry(env: Mapping[str, str] | None = None) -> bool:
    """Say whether the home may log what it recalled: ids and scores, never what was asked."""
    return _environment(env).get("MNEME_TELEMETRY") != "0"


def _user_folder(env: Mapping[str, str], variable: str, linux: str, macos: str) -> Path:
    if env.get(variable):
        return Path(env[variable]) / "mneme"
    return user_folder(env) / (macos if sys.platform == "darwin" else linux) / "mneme"


def model_key(env: Mapping[str, str] | None = None) -> str:
    """Return the key of the language model's server; secrets are no settings."""
    return _environment(env).get("MNEME_MODEL_KEY", "")


def embedder_key(env: Mapping[str, str] | None = None) -> str:
    """Return the key of the embedder's server; secrets are no settings."""
    return (os.environ if env is None else env).get("MNEME_EMBEDDER_KEY", "")


def quiet_environment(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for a host program that we start ourselves: its hooks must not call us again."""
    return {**_environment(env), "MNEME_HOOKS": "off"}


# Trust


def trusted_paths(env: Mapping[str, str] | None = None) -> set[str]:
    """Return the absolute paths whose word may be taken: one per line in the user's `trusted` file."""
    content = files.find_file(config_folder(_environment(env)) / "trusted")
    lines = (content or b"").decode("utf-8", "surrogateescape").split("\n")
    plain = {line for line in lines if line and line[0] not in '"#' and line[-1] != "\r"}
    return plain | {_parse_path(line) for line in lines if line and line[0] != "#" and line not in plain}


def set_trust(root: Path, *, trusted: bool, env: Mapping[str, str] | None = None) -> None:
    """Write down that a path is trusted, or that it no longer is."""
    env = _environment(env)
    known = trusted_paths(env)
    if (str(root) in known) == trusted:
        return
    place = config_folder(env) / "trusted"
    lines = sorted(known | {str(root)} if trusted else known - {str(root)})
    files.write_whole(place, "".join(_print_path(line) + "\n" for line in lines).encode("utf-8", "surrogateescape"))


def _print_path(path: str) -> str:
    """Return a path as a line of its own: as it is, or quoted where it could be read as something else."""
    import json

    return path if path.isprintable() and path == path.strip() and path[:1] not in {'"', "#"} else json.dumps(path)


def _parse_path(line: str) -> str:
    import json

    try:
        return str(json.loads(line)) if line.startswith('"') else line.removesuffix("\r")
    except ValueError:
        return line
