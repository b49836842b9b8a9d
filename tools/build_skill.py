"""The one-file tool of the agent skill, made of the sources that the `mneme` command is made of.

It begins with `tools/skill_tool.py`, takes what that uses from the modules of mneme, and what that uses in turn, and
writes it as one module of the standard library alone. Names that two modules share are told apart; what Python 3.9
lacks is taken out. With `--check` nothing is written, and a file that is not what would be written is a failure.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "skills" / "mneme" / "scripts" / "mneme_tool.py"
TOOL = "skill_tool"
OLDEST_PYTHON = (3, 9)

# What the tool brings along itself, because the Pythons it runs on have it not, or not so.
REPLACED = {
    ("mneme.formats.columns", "read_columns"): "read_columns",
    ("mneme.check.secret_shapes", "_library"): "no_library",
    ("mneme.check.twin", "_in_company"): "in_any_company",
    ("itertools", "pairwise"): "pairwise",
}
# Keywords that only say more strictly what the code does anyway, and that older Pythons do not know.
TOO_NEW_KEYWORDS = {"dataclass": {"slots", "kw_only"}, "zip": {"strict"}}
# Functions that are private where they lie, and which the tool needs by a name of its own.
PUBLIC = {("mneme.formats.columns", "strict_columns"): "_strict_columns"}

HEADER = """\
#!/usr/bin/env python3
# Built by tools/build_skill.py from the sources of mneme: edit those, then `make skill`.
# License: MIT. Needs Python {oldest} or later and nothing else. Sources: {digest}
# ruff: noqa: B905, F821, I001, RUF100, UP036
# fmt: off
# mypy: ignore-errors
"""

GUARD = f"""\
if sys.version_info < {OLDEST_PYTHON}:
    sys.exit("mneme_tool: needs Python {".".join(map(str, OLDEST_PYTHON))} or later")
"""

Name = tuple[str, str]
Edit = tuple[int, int, str]


@dataclass
class Module:
    """One source file: its text, what it defines at the top, and what it imports."""

    name: str
    text: str
    tree: ast.Module
    definitions: dict[str, ast.stmt] = field(default_factory=dict)
    imports: dict[str, Name] = field(default_factory=dict)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.split("\n")

    def offset(self, line: int) -> int:
        """Return where a line begins."""
        return sum(len(one) + 1 for one in self.lines[: line - 1])

    def start(self, node: ast.expr | ast.keyword) -> int:
        """Return where a node begins; the parser counts columns in bytes."""
        return self._place(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.keyword) -> int:
        """Return where a node ends."""
        return self._place(node.end_lineno or 0, node.end_col_offset or 0)

    def _place(self, line: int, column: int) -> int:
        return self.offset(line) + len(self.lines[line - 1].encode()[:column].decode())


class BuildError(Exception):
    """The sources hold something that the tool cannot be built of."""


@cache
def load_module(name: str) -> Module:
    """Read a module of mneme, or the tool's own."""
    place = ROOT / "tools" / f"{TOOL}.py" if name == TOOL else ROOT / "src" / (name.replace(".", "/") + ".py")
    if not place.exists():
        place = place.with_suffix("") / "__init__.py"
    text = place.read_text(encoding="utf-8")
    module = Module(name, text, ast.parse(text))
    for statement in module.tree.body:
        module.definitions |= dict.fromkeys(_defined(statement), statement)
        module.imports |= _imported(statement)
    return module


def _defined(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    targets = (
        statement.targets
        if isinstance(statement, ast.Assign)
        else [statement.target]
        if isinstance(statement, ast.AnnAssign)
        else []
    )
    return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]


def _imported(statement: ast.AST) -> dict[str, Name]:
    if isinstance(statement, ast.ImportFrom):
        return {alias.asname or alias.name: (statement.module or "", alias.name) for alias in statement.names}
    if isinstance(statement, ast.Import):
        return {alias.asname or alias.name.partition(".")[0]: (alias.name, "") for alias in statement.names}
    return {}


def origin_of(name: Name) -> Name:
    """Return where a name is really defined, through modules that only pass it on, and what stands in for it."""
    if name in REPLACED:
        return TOOL, REPLACED[name]
    name = (name[0], PUBLIC.get(name, name[1]))
    if not name[0].startswith("mneme"):
        return name
    module = load_module(name[0])
    if name[1] in module.definitions:
        return name
    if name[1] in module.imports:
        return origin_of(module.imports[name[1]])
    raise BuildError(f"{name[0]} does not define '{name[1]}'")


def uses_of(module: Module, statement: ast.AST) -> dict[str, Name]:
    """Return what a statement uses from outside itself, by the name it uses; annotations are never evaluated."""
    local: dict[str, Name] = {}
    for node in _evaluated(statement):
        local |= {name: origin for name, origin in _imported(node).items() if origin[0].startswith("mneme")}
    used = {}
    for node in _evaluated(statement):
        if not isinstance(node, ast.Name):
            continue
        if node.id in local:
            used[node.id] = origin_of(local[node.id])
        elif node.id in module.definitions:
            used[node.id] = origin_of((module.name, node.id)) if module.name != TOOL else (TOOL, node.id)
        elif node.id in module.imports:
            used[node.id] = origin_of(module.imports[node.id])
    return used


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a statement that are evaluated when it runs."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _evaluated(child)


def needed_names() -> list[Name]:
    """Return every definition that the tool is made of."""
    tool = load_module(TOOL)
    todo: list[Name] = [(TOOL, name) for name in tool.definitions]
    found: dict[Name, None] = {}
    while todo:
        name = todo.pop()
        if name in found or not (name[0] == TOOL or name[0].startswith("mneme")):
            continue
        found[name] = None
        module = load_module(name[0])
        todo += uses_of(module, module.definitions[name[1]]).values()
    return list(found)


def modules_in_order(names: list[Name]) -> list[str]:
    """Return the modules that the names are in, each after those it imports when it is loaded; the tool is last."""
    wanted = {module for module, _ in names}
    order: list[str] = []

    def visit(name: str) -> None:
        if name in order or not (name == TOOL or name.startswith("mneme")):
            return
        for source, _ in load_module(name).imports.values():
            visit(source)
        order.append(name)

    visit(TOOL)
    return [name for name in order if name in wanted]


def build() -> str:
    """Return the text of the tool."""
    names = needed_names()
    finals = _final_names(names)
    parts: list[str] = []
    imports: set[str] = set()
    order = modules_in_order(names)
    for module in map(load_module, order):
        kept = {id(module.definitions[name]) for source, name in names if source == module.name}
        statements = [statement for statement in module.tree.body if id(statement) in kept]
        parts.append(f"\n\n# --- {'the command' if module.name == TOOL else module.name} {'-' * 60}\n")
        parts += [_rewritten(module, statement, finals, imports) for statement in statements]
    docstring = ast.get_docstring(load_module(TOOL).tree, clean=False)
    main = 'if __name__ == "__main__":\n    sys.exit(main(sys.argv[1:]))\n'
    body = "".join(parts) + "\n\n" + main
    digest = hashlib.sha256(body.encode()).hexdigest()[:16]
    header = HEADER.format(oldest=".".join(map(str, OLDEST_PYTHON)), digest=digest)
    first = [f'"""{docstring}"""', "", "from __future__ import annotations", "", "import sys", "", GUARD]
    first += sorted(imports - {"import sys"}, key=_import_order)
    text = header + "\n".join(first) + "\n" + body
    ast.parse(text, feature_version=OLDEST_PYTHON)
    return text


def _import_order(line: str) -> tuple[bool, str]:
    return line.startswith("from "), line


def _final_names(names: list[Name]) -> dict[Name, str]:
    """Return what every definition is called in the one module: its own name, unless another has it too."""
    sharing: dict[str, list[str]] = {}
    for module, name in names:
        sharing.setdefault(name, []).append(module)
    return {
        (module, name): name if len(sharing[name]) == 1 else f"{name}_{module.rpartition('.')[2]}"
        for module, name in names
    }


def _rewritten(module: Module, statement: ast.stmt, finals: dict[Name, str], imports: set[str]) -> str:
    """Return a definition as it stands in the tool, and note what it imports from the standard library."""
    uses = uses_of(module, statement)
    imports |= {_import_line(used, origin) for used, origin in uses.items() if origin not in finals}
    renamed = {used: finals[origin] for used, origin in uses.items() if finals.get(origin, used) != used}
    edits = [edit for node in ast.walk(statement) for edit in _edits_of(module, node, renamed)]
    is_block = isinstance(statement, ast.FunctionDef | ast.ClassDef)
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        found = re.compile(rf"\b(?:def|class) ({statement.name})\b").search(
            module.text, module.offset(statement.lineno)
        )
        edits += [(*found.span(1), finals[module.name, statement.name])] if found else []
    start, stop = module.offset(_first_line(module, statement)), module.offset((statement.end_lineno or 0) + 1)
    text = _edited(module.text, edits, start, stop)
    return ("\n\n" if is_block else "\n") + text.rstrip("\n") + "\n"


def _edits_of(module: Module, node: ast.AST, renamed: dict[str, str]) -> Iterator[Edit]:
    """Yield what changes about one node: its name, an import of ours, a keyword that is too new."""
    if isinstance(node, ast.Name) and node.id in renamed:
        yield module.start(node), module.end(node), renamed[node.id]
    elif isinstance(node, ast.arg) and node.arg in renamed:
        raise BuildError(f"{module.name}:{node.lineno} hides '{node.arg}', which is renamed")
    elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mneme"):
        end = module.offset((node.end_lineno or 0) + 1)
        yield module.offset(node.lineno), end + (module.text[end : end + 1] == "\n"), ""
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from ((module.end(before), module.end(keyword), "") for before, keyword in _too_new(node))


def _too_new(call: ast.Call) -> Iterator[tuple[ast.expr | ast.keyword, ast.keyword]]:
    """Yield every keyword that older Pythons refuse, with the argument before it."""
    before: ast.expr | ast.keyword = call.args[-1] if call.args else call.func
    for keyword in call.keywords:
        if keyword.arg in TOO_NEW_KEYWORDS.get(getattr(call.func, "id", ""), ()):
            if before is call.func:
                raise BuildError(f"line {call.lineno}: '{keyword.arg}' stands first")
            yield before, keyword
        before = keyword


def _import_line(used: str, origin: Name) -> str:
    source, name = origin
    if not name:
        return f"import {source}" if used == source else f"import {source} as {used}"
    return f"from {source} import {name}" if used == name else f"from {source} import {name} as {used}"


def _first_line(module: Module, statement: ast.stmt) -> int:
    """Return the line where a definition begins, its decorators and the comment above it included."""
    first = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", []))])
    while first > 1 and module.lines[first - 2].startswith("#"):
        first -= 1
    return first


def _edited(text: str, edits: list[Edit], start: int, stop: int) -> str:
    parts: list[str] = []
    done = start
    for low, high, new in sorted(set(edits)):
        if low < done:
            continue  # inside a stretch that was taken out
        parts += (text[done:low], new)
        done = high
    return "".join([*parts, text[done:stop]])


def main(arguments: list[str]) -> int:
    """Write the tool, or check that it is what would be written."""
    text = build()
    fresh = TARGET.exists() and TARGET.read_text(encoding="utf-8") == text
    if arguments == ["--check"]:
        if not fresh:
            print(f"{TARGET.relative_to(ROOT)} is not what the sources say\n  hint: make skill", file=sys.stderr)
        return 0 if fresh else 1
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text, encoding="utf-8")
    TARGET.chmod(0o755)
    print(f"wrote {TARGET.relative_to(ROOT)}, {len(text.splitlines())} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
