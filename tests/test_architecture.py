"""The design, held by reading the sources: direction of imports, clock, environment, writing, size, start-up.

Every check is a function from a source to the faults in it; each test has a twin that feeds it a violation and sees it
found, because a check that never fails may have stopped checking.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent.parent / "src" / "mneme"

# From the bottom up; a unit may import what stands before its own row, and nothing beside it.
LEVELS = (
    ("errors", "compiled"),
    ("keys",),
    ("formats", "settings", "git", "remote"),
    ("profiles",),
    ("files",),
    ("workspace", "plugins"),
    ("memory",),
    ("check",),
    ("index",),
    ("hosts", "models"),
    ("recall", "capture", "consolidate", "transfer", "forget"),
    ("engine",),
    ("hooks",),
    ("serve",),
    ("cli",),
    ("__main__",),
)
RECORD_TYPES = "formats.record"
HIT_TYPES = "recall.answer"
SURFACE_MAY = {"compiled", "engine", "render", "errors", RECORD_TYPES}
# What is narrower than its level: a surface goes through the engine, and rendering knows records and hits only. A verb starts
# the service and the hooks, so the command line stands above them.
NARROWER = {
    "render": {"errors", RECORD_TYPES, HIT_TYPES},
    "serve": SURFACE_MAY | {"hooks"},
    "hooks": SURFACE_MAY,
    "cli": SURFACE_MAY | {"serve", "hooks"},
}
STRANGERS_INSIDE = ("memory", "consolidate", "serve", "cli")
CLI_FRAME = {"frame", "verbs", "options", "helptext", "context"}

# Who may do what the design gives to one place, and why.
READS_CLOCK = {
    "": "the Python API is a surface too: it turns the clock into an argument",
    "cli.context": "a surface turns the clock into an argument",
    "serve": "the resident service turns the clock into an argument",
    "hooks": "a hook turns the clock into an argument",
    "files.lock": "signs the lock with the time of day, for the person who waits for it",
    "memory.cells.ids": "compares a file's stamps with the moment it was looked at, both as the machine counts",
    "index.build": "compares files' stamps with the moment they were looked at, as the machine counts",
    "files.disk": "compares a file's stamp with the moment it was read, both as the machine counts",
    "files.displaced": "compares a file's age on disk with the machine's clock, whatever day memory believes it is",
}
READS_ENVIRONMENT = {
    "workspace": "the one reader of environment and settings",
    "hooks.call": "runs before anything of ours is imported, and has to find the engine",
    "cli.frame": "NO_COLOR, TERM and MNEME_DEBUG say how to print, before any workspace is known",
}
READS_SETTINGS = {
    "settings": "the one parser of mneme.toml; `workspace` gives it the text",
    "hosts.sources.servers": "reads the settings of another program, Codex",
    "hosts.switches": "the same, and turns a switch in them",
}
WRITES_FILES = {
    "files": "the one writer",
    "index": "the index is derived: it lies in the machine's own folder, and may be lost at any moment",
    "compiled": "keeps what Python has compiled, beside the bytecode that Python keeps",
    "hooks.call": "tells a fault in its log when nothing of ours could be imported; the rest is the engine's",
    "cli.frame": "keeps the traceback of a crash, which must not depend on what has just crashed",
}

CLOCK = {
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.datetime.today",
    "datetime.date.today",
    "time.time",
    "time.time_ns",
    "time.localtime",
    "time.gmtime",
    "time.ctime",
    "time.strftime",
}
ENVIRONMENT = {
    "os.environ",
    "os.environb",
    "os.getenv",
    "os.getenvb",
    "os.path.expanduser",
    "os.path.expandvars",
    "pathlib.Path.home",
}
SETTINGS = {"tomllib"}
# fmt: off
WRITING = {
    "os.chmod", "os.chown", "os.fchmod", "os.fsync", "os.ftruncate", "os.link", "os.makedirs", "os.mkdir",
    "os.open", "os.pwrite", "os.remove", "os.removedirs", "os.rename", "os.renames", "os.replace", "os.rmdir",
    "os.symlink", "os.truncate", "os.unlink", "os.utime", "os.write", "os.writev",
    "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copyfileobj", "shutil.copymode", "shutil.copystat",
    "shutil.copytree", "shutil.move", "shutil.rmtree",
}
WRITING_METHODS = {
    "write_text", "write_bytes", "mkdir", "touch", "unlink", "rename", "rmdir", "symlink_to", "hardlink_to",
    "chmod", "truncate",
}
# fmt: on
WRITING_MODULES = {"tempfile"}
LONGEST_FUNCTION_LINES = 60


@dataclass(frozen=True)
class Module:
    """One source file: its dotted name below `mneme`, and its syntax tree."""

    name: str
    tree: ast.Module
    is_package: bool = False

    @property
    def unit(self) -> str:
        """Return the part of the tree that the module belongs to."""
        return self.name.partition(".")[0]


def parse_module(name: str, source: str, *, is_package: bool = False) -> Module:
    """Return a module from its text."""
    return Module(name, ast.parse(source), is_package)


def load_modules() -> list[Module]:
    """Read every source file of the package."""
    modules = []
    for path in sorted(SOURCES.rglob("*.py")):
        parts = path.relative_to(SOURCES).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        modules.append(parse_module(name, path.read_text(encoding="utf-8"), is_package=is_package))
    return modules


def imported(module: Module) -> list[str]:
    """Return the dotted names below `mneme` that a module imports, wherever in it and for whatever purpose."""
    names: list[str] = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            source = _import_source(module, node)
            names += [f"{source}.{alias.name}" for alias in node.names]
    return [name.removeprefix("mneme.") for name in names if name.startswith("mneme.")]


def _import_source(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = ["mneme", *module.name.split(".")]
    keep = len(parts) - node.level + (1 if module.is_package else 0)
    return ".".join([*parts[:keep], *([node.module] if node.module else [])])


def allowed_units(unit: str) -> set[str]:
    """Return what a part of the tree may import."""
    if unit in NARROWER:
        return NARROWER[unit]
    level = next((n for n, row in enumerate(LEVELS) if unit in row), None)
    if level is None:
        return set()
    return {name for row in LEVELS[:level] for name in row}


def import_faults(module: Module) -> list[str]:
    """Find imports that go up, sideways, or past the engine."""
    unit = module.unit
    if not unit:  # the package itself opens a memory, so it stands on the engine
        return [
            f"mneme imports {name}" for name in imported(module) if name.partition(".")[0] not in {"engine", "errors"}
        ]
    allowed = allowed_units(unit)
    faults = [] if allowed or unit in LEVELS[0] else [f"{module.name}: '{unit}' has no place in the layers"]
    for name in imported(module):
        top = name.partition(".")[0]
        if top == unit or top in allowed or any(name == one or name.startswith(f"{one}.") for one in allowed):
            continue
        faults.append(f"{module.name} imports {name}")
    return faults


def sibling_faults(module: Module) -> list[str]:
    """Find imports between neighbours that should not know each other."""
    parts = module.name.split(".")
    if parts[0] not in STRANGERS_INSIDE or len(parts) == 1:
        return []
    common = CLI_FRAME if parts[0] == "cli" else set()
    neighbours = [name.split(".")[1] for name in imported(module) if name.startswith(f"{parts[0]}.")]
    return [f"{module.name} imports {parts[0]}.{one}" for one in neighbours if one != parts[1] and one not in common]


def used_names(module: Module) -> list[tuple[str, int]]:
    """Return every dotted name used in a module with its line, spelt from where it was imported."""
    origin: dict[str, str] = {}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                origin[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            origin |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    found = []
    for node in ast.walk(module.tree):
        dotted = _dotted(node)
        if dotted:
            head, dot, tail = dotted.partition(".")
            found.append((f"{origin.get(head, head)}{dot}{tail}", node.lineno))
    return found


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        value = _dotted(node.value)
        return f"{value}.{node.attr}" if value else ""
    return ""


def may(module: Module, allowed: dict[str, str]) -> bool:
    """Say whether a module, or a package around it, is on a list."""
    parts = module.name.split(".")
    return any(".".join(parts[:n]) in allowed for n in range(1, len(parts) + 1))


def use_faults(module: Module, names: set[str], allowed: dict[str, str], what: str) -> list[str]:
    """Find uses of names that belong to one place."""
    if may(module, allowed):
        return []
    uses = {(name, line) for name, line in used_names(module) if name in names}
    return [f"{module.name}:{line} {what}: {name}" for name, line in sorted(uses)]


def import_of_faults(module: Module, names: set[str], allowed: dict[str, str], what: str) -> list[str]:
    """Find imports of modules that belong to one place."""
    if may(module, allowed):
        return []
    found = [
        (alias.name if isinstance(node, ast.Import) else node.module or "", node.lineno)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    ]
    return [f"{module.name}:{line} {what}: {name}" for name, line in found if name.partition(".")[0] in names]


def writing_faults(module: Module) -> list[str]:
    """Find what changes a disk outside the one writer."""
    if may(module, WRITES_FILES):
        return []
    faults = use_faults(module, WRITING, {}, "writes")
    faults += import_of_faults(module, WRITING_MODULES, {}, "writes")
    calls = [node for node in ast.walk(module.tree) if isinstance(node, ast.Call)]
    return faults + [f"{module.name}:{call.lineno} writes: {ast.unparse(call)[:60]}" for call in calls if _writes(call)]


def _writes(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name) and function.id == "open":
        return _has_writing_mode(call, position=1)
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr == "open":
        return _has_writing_mode(call, position=0) or _has_writing_mode(call, position=1)
    if function.attr == "replace":  # a path's takes one argument, a text's takes two, a date's takes names
        return len(call.args) == 1 and not call.keywords
    return function.attr in WRITING_METHODS


def _has_writing_mode(call: ast.Call, position: int) -> bool:
    given = [*call.args[position : position + 1], *(word.value for word in call.keywords if word.arg == "mode")]
    modes = [mode.value for mode in given if isinstance(mode, ast.Constant) and isinstance(mode.value, str)]
    return any(set(mode) <= set("rwaxbt+") and set(mode) & set("wax+") for mode in modes)


def size_faults(module: Module) -> list[str]:
    """Find functions that a reader can't hold in mind."""
    functions = [node for node in ast.walk(module.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    sizes = [(node.name, (node.end_lineno or 0) - node.lineno + 1) for node in functions]
    return [f"{module.name}.{name} has {lines} lines" for name, lines in sizes if lines > LONGEST_FUNCTION_LINES]


def start_faults(modules: list[str]) -> list[str]:
    """Find what `mneme --help` should not have imported: any verb, any layer below, anything from outside."""
    frame = {"", "compiled", "cli", "cli.frame", "cli.verbs", "cli.helptext", "errors"}
    ours = [name for name in modules if name.split(".")[0] == "mneme"]
    heavy = {
        "argparse",
        "asyncio",
        "json",
        "logging",
        "pathlib",
        "sqlite3",
        "subprocess",
        "tomllib",
        "urllib",
    }
    strangers = [
        name for name in modules if name.partition(".")[0] not in sys.stdlib_module_names | {"mneme", "__main__"}
    ]
    faults = [name for name in ours if name.partition(".")[2] not in frame] + [
        name for name in modules if name in heavy
    ]
    return faults + [name for name in strangers if not name.startswith(("_", "sitecustomize", "usercustomize"))]


@pytest.fixture(scope="module")
def modules() -> list[Module]:
    """Give the modules of the package, read once."""
    return load_modules()


def test_imports_go_downward_only(modules: list[Module]) -> None:
    """No module imports from its own level or a higher one, and the surfaces go through the engine."""
    assert [fault for module in modules for fault in import_faults(module)] == []


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("errors", "from mneme.formats import cell"),
        ("formats.cell", "import mneme.files"),
        ("formats.cell", "from mneme import engine"),
        ("files.writer", "def late():\n    from mneme.workspace import Settings"),
        ("memory.cells", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from mneme.check import rules"),
        ("recall.query", "from mneme.capture import turns"),
        ("cli.remember", "from mneme.memory import cells"),
        ("cli.remember", "from mneme.formats import cell"),
        ("serve.http", "from ..files import writer"),
        ("render", "from mneme.formats.cell import Cell"),
        ("workspace", "from mneme import plugins"),
        ("helpers", "import json"),
        ("", "from mneme.files import apply"),
    ],
)
def test_an_upward_import_is_found(name: str, source: str) -> None:
    """Imports upward, sideways, past the engine, inside functions, for types only and relative ones are all found."""
    assert import_faults(parse_module(name, source)) != []


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("engine", "from mneme.index import sqlite\nfrom mneme.errors import Problem"),
        ("cli.remember", "from mneme import engine, render\nfrom mneme.formats.record import STATES"),
        ("cli.serve", "from mneme.serve import http"),
        ("render", "from mneme.formats.record import Record"),
        ("formats.note", "from .cell import parse"),
        ("", "from mneme.engine import open_memory"),
    ],
)
def test_a_downward_import_is_not_a_fault(name: str, source: str) -> None:
    """What the layers allow passes."""
    assert import_faults(parse_module(name, source)) == []


def test_neighbours_do_not_know_each_other(modules: list[Module]) -> None:
    """Siblings in memory, consolidate, serve and cli do not import each other."""
    assert [fault for module in modules for fault in sibling_faults(module)] == []


def test_an_import_between_neighbours_is_found() -> None:
    """A verb importing a verb and a store importing a store are found; the frame is common to all verbs."""
    assert sibling_faults(parse_module("cli.lint", "from mneme.cli import spine")) != []
    assert sibling_faults(parse_module("memory.cells", "from mneme.memory.notes import parse_day")) != []
    assert sibling_faults(parse_module("cli.frame", "from mneme.cli.lint import run")) != []
    assert sibling_faults(parse_module("cli.lint", "from mneme.cli.context import IO")) == []


def test_nothing_below_the_surfaces_reads_the_clock(modules: list[Module]) -> None:
    """Time is an argument."""
    assert [fault for module in modules for fault in use_faults(module, CLOCK, READS_CLOCK, "reads the clock")] == []


@pytest.mark.parametrize(
    "source",
    [
        "from datetime import datetime\nnow = datetime.now()",
        "from datetime import date as day\nprint(day.today())",
        "import datetime as dt\nclock = dt.datetime.now",
        "import time\nf = lambda: time.time()",
        "from time import time_ns\ntime_ns()",
    ],
)
def test_reading_the_clock_is_found(source: str) -> None:
    """Under whatever name it was imported, called or passed on."""
    assert use_faults(parse_module("memory.cells", source), CLOCK, READS_CLOCK, "reads the clock") != []


def test_one_place_reads_the_environment_and_the_settings(modules: list[Module]) -> None:
    """Only `workspace` reads the environment, and mneme.toml is parsed in one place."""
    faults = [f for m in modules for f in use_faults(m, ENVIRONMENT, READS_ENVIRONMENT, "reads the environment")]
    assert faults + [f for m in modules for f in import_of_faults(m, SETTINGS, READS_SETTINGS, "reads TOML")] == []


def test_reading_the_environment_is_found() -> None:
    """`os.environ`, `getenv`, the home folder and a TOML parser are found elsewhere."""
    for source in (
        "import os\nos.environ['X']",
        "from os import getenv\ngetenv('X')",
        "from pathlib import Path\nPath.home()",
    ):
        assert use_faults(parse_module("memory.cells", source), ENVIRONMENT, READS_ENVIRONMENT, "reads") != []
    assert import_of_faults(parse_module("engine", "import tomllib"), SETTINGS, READS_SETTINGS, "reads TOML") != []


def test_one_place_writes_files(modules: list[Module]) -> None:
    """Only `files` creates, changes, moves or removes anything on disk."""
    assert [fault for module in modules for fault in writing_faults(module)] == []


@pytest.mark.parametrize(
    "source",
    [
        "open('x', 'w')",
        "open('x', mode='ab')",
        "import io\nio.open('x', 'r+')",
        "path.open('w', encoding='utf-8')",
        "path.write_text('x')",
        "path.unlink(missing_ok=True)",
        "temporary.replace(path)",
        "import os\nos.rename('a', 'b')",
        "from os import fsync\nfsync(3)",
        "import shutil\nshutil.rmtree('x')",
        "import tempfile",
    ],
)
def test_writing_elsewhere_is_found(source: str) -> None:
    """Every way to change a disk is found outside the writer, and not inside it."""
    assert writing_faults(parse_module("memory.cells", source)) != []
    assert writing_faults(parse_module("files.writer", source)) == []


@pytest.mark.parametrize("source", ["open('x')", "path.open('rb')", "text.replace('a', 'b')", "day.replace(month=1)"])
def test_reading_is_not_writing(source: str) -> None:
    """Reading a file and replacing in a text pass."""
    assert writing_faults(parse_module("memory.cells", source)) == []


def test_functions_stay_small(modules: list[Module]) -> None:
    """No function is longer than sixty lines."""
    assert [fault for module in modules for fault in size_faults(module)] == []


def test_a_long_function_is_found() -> None:
    """Sixty lines pass, sixty-one do not."""
    body = "    pass\n" * LONGEST_FUNCTION_LINES
    assert size_faults(parse_module("engine", f"def long():\n{body}")) != []
    assert size_faults(parse_module("engine", f"def long():\n{body[:-9]}")) == []


def test_help_starts_light() -> None:
    """`mneme --help` imports the frame and the table of verbs, and nothing else that costs time."""
    program = """
import sys
before = set(sys.modules)
from mneme.cli import main
code = main(["--help"])
loaded = sorted(set(sys.modules) - before)
import json
print(json.dumps([code, loaded]), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    code, loaded = json.loads(done.stderr)
    assert code == 0
    assert "mneme.cli.helptext" in loaded
    assert start_faults(loaded) == []


def test_the_spine_starts_light(tmp_path: Path) -> None:
    """What an agent reads first needs the cells and nothing that is about other kinds of memory."""
    (tmp_path / "project.mneme").write_text("@ DEC-0001  a\ngist  G\nstate live   since 2026-01-01   seen 2026-01-02\n")
    program = f"""
import sys
from mneme.cli import main
code = main(["--workspace", {str(tmp_path)!r}, "spine"])
print([name for name in sys.modules if name.startswith("mneme.")], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("DEC-0001")
    others = ("mneme.profiles", "mneme.keys", "mneme.index", "mneme.recall", "mneme.check", "mneme.memory.notes")
    assert [name for name in others if f"'{name}" in done.stderr] == []


def test_a_heavy_start_is_found() -> None:
    """A verb's module, a layer below and a library are found among what was imported."""
    assert start_faults(["mneme.cli.remember", "mneme.engine", "numpy.linalg", "argparse"]) == [
        "mneme.cli.remember",
        "mneme.engine",
        "argparse",
        "numpy.linalg",
    ]
