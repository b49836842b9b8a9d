"""The skill's one-file tool says what the `mneme` command says, byte for byte, on any Python from 3.9 on."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import build_skill
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mneme.cli import main as mneme_main

if TYPE_CHECKING:
    from types import ModuleType

SKILL = Path(__file__).parents[2] / "skills" / "mneme"
TOOL = SKILL / "scripts" / "mneme_tool.py"
TODAY = "2026-07-20"
STATUS = "state live conf high since 2026-06-03 seen 2026-06-05"
CELL = f"@ DEC-0001  a/b\ngist  G\n{STATUS}\ncue   x\n> y\n"


def pair(old: str = "superseded", inverse: str = "link  superseded-by DEC-0042\n") -> str:
    """Return a cell that supersedes another, and that one."""
    return (
        f"@ DEC-0042  storage/cache\ngist  G\n{STATUS}\ncue   x\n> y\nlink  supersedes DEC-0031\n\n"
        f"@ DEC-0031  storage/cache\ngist  H\n{STATUS.replace('live', old)}\ncue   x\n> y\n{inverse}"
    )


# One input for each case in which readers of the format are known to differ.
CASES: dict[str, bytes] = {
    name: text if isinstance(text, bytes) else text.encode()
    for name, text in {
        "empty": "",
        "pair": pair(),
        "no topic": CELL.replace("  a/b", ""),
        "inline comment": CELL.replace("gist  G", "gist  G # really"),
        "no space after @": CELL.replace("@ ", "@"),
        "indented second header": CELL + " @ DEC-0002  b\ngist  H\nstate retired\n",
        "indented only header": " " + CELL,
        "indented keys": CELL.replace("\ngist", "\n  gist").replace("\nstate", "\n\tstate"),
        "key inside an unknown line": CELL + "the state retired was\n",
        "key inside a gist": CELL.replace("gist  G", "gist  in state live all is well"),
        "gist in a status line": "@ DEC-0001  a\nstate live gist hello there\n",
        "link in a status line": "@ DEC-0001  a\ngist  G\nstate live link supersedes DEC-0001\n",
        "id twice": CELL + "\n" + CELL.replace("gist  G", "gist  Another thing"),
        "impossible dates": CELL.replace("2026-06-03", "2026-13-99").replace("2026-06-05", "2026-02-30"),
        "dates in other forms": CELL.replace("2026-06-03", "20260603").replace("2026-06-05", "2026-W23-5"),
        "seen 45 days ago": CELL,
        "seen 46 days ago": CELL.replace("seen 2026-06-05", "seen 2026-06-04"),
        "stale for years": CELL.replace("live", "stale").replace("2026-06-0", "2020-06-0"),
        "seen in the future": CELL.replace("seen 2026-06-05", "seen 2027-01-01"),
        "unknown words": CELL.replace("live conf high", "LIVE conf hi") + "link  likes DEC-0001\n",
        "link without an id": CELL + "link  supersedes\n",
        "supersedes itself": CELL + "link  supersedes DEC-0001\n",
        "ids of many shapes": "".join(
            CELL.replace("DEC-0001", one) for one in ("DEC-3", "DEC-10000", "DEC-0042-x", "dec-0099", "SUBDEC-0500")
        ),
        "a long id": CELL.replace("DEC-0001", "GOTCHA-000123456"),
        "crlf": pair().replace("\n", "\r\n"),
        "cr": pair().replace("\n", "\r"),
        "byte-order mark": "\ufeff" + CELL,
        "latin-1": CELL.encode().replace(b"gist  G", b"gist  caf\xe9"),
        "empty gist": CELL.replace("gist  G", "gist"),
        "two gists": CELL.replace("gist  G", "gist  G\ngist  H"),
        "body that reads like a status": CELL + "> state retired\n>state retired\n",
        "chinese": CELL.replace("gist  G", "gist  缓存用 SQLite，不用 JSON"),
        "no inverse link": pair(inverse=""),
        "superseded by nobody": CELL.replace("live", "superseded"),
        "text before the first cell": "gist  astray\nstate live\n" + CELL,
        "colons": CELL.replace("gist  G", "gist: G").replace("state live", "State: live"),
        "arabic digits": CELL.replace("DEC-0001", "DEC-٠٠٤٢"),
        "a lone @": "@\n" + CELL,
        "superseded but live": pair(old="live"),
        "newest deleted": CELL + "link  relates DEC-0044\n# was DEC-0050\n# forgotten DEC-0060 2026-07-01\n",
        "line separator": CELL.replace("gist  G", "gist  one\u2028line"),
        "terminal escapes": CELL.replace("gist  G", "gist  \x1b[31mred\x07"),
        "secret": CELL.replace("> y", "> password = hunter2hunter2"),
        "near duplicates": CELL.replace("gist  G", "gist  The local cache uses SQLite and not JSON files")
        + CELL.replace("DEC-0001", "DEC-0002").replace("gist  G", "gist  The local cache uses SQLite not JSON files"),
        "binary": bytes(range(256)) * 4,
    }.items()
}


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """Give the built tool as a module."""
    spec = importlib.util.spec_from_file_location("mneme_tool_built", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def printed(call: object, *words: str) -> tuple[int, bytes]:
    """Return the exit code and the bytes that a main function writes to stdout."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(io.StringIO()):
        code = call(list(words))  # type: ignore[operator]
    stream.flush()
    return code, stream.buffer.getvalue()  # type: ignore[attr-defined]


COMMANDS = (["spine"], ["lint", "--today", TODAY], ["new-id", "DEC"], ["new-id", "GOTCHA"])


def hold_both_together(tool: ModuleType, folder: Path, content: bytes) -> None:
    """Run every command of both on one file, and hold that they print the same bytes."""
    (folder / "memory.mneme").write_bytes(content)
    with contextlib.chdir(folder):
        for words in COMMANDS:
            assert printed(tool.main, *words, "memory.mneme") == printed(mneme_main, *words, "memory.mneme"), words


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the machine's own workspace and settings out."""
    for name in [name for name in os.environ if name.startswith(("MNEME_", "GIT_"))]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize("case", CASES)
def test_the_tool_prints_what_the_command_prints(tool: ModuleType, tmp_path: Path, case: str) -> None:
    """On every input where readers of the format are known to differ, these two do not."""
    hold_both_together(tool, tmp_path, CASES[case])


LINES = st.sampled_from(
    [line for case in CASES.values() for line in case.decode("utf-8", "surrogateescape").split("\n") if len(line) < 200]
)


@settings(max_examples=40)
@given(st.lists(LINES, max_size=16).map("\n".join))
def test_the_tool_prints_what_the_command_prints_for_any_text(tool: ModuleType, text: str) -> None:
    """Also on lines put together at random."""
    with tempfile.TemporaryDirectory() as folder:
        hold_both_together(tool, Path(folder), text.encode("utf-8", "surrogateescape"))


def test_spine_and_new_id_have_the_published_form(tool: ModuleType, tmp_path: Path) -> None:
    """Id in 14 columns, state in 6, gist, two spaces, topic in brackets; ids with four digits at least."""
    (tmp_path / "project.mneme").write_text(pair())
    with contextlib.chdir(tmp_path):
        assert printed(tool.main, "spine") == (0, b"DEC-0042       live   G  [storage/cache]\n")
        assert printed(tool.main, "new-id", "DEC") == (0, b"DEC-0043\n")
        assert printed(tool.main, "new-id", "PREF") == (0, b"PREF-0001\n")
        (tmp_path / "project.mneme").write_bytes(CASES["ids of many shapes"])
        assert printed(tool.main, "new-id", "DEC") == (0, b"DEC-10001\n")
        (tmp_path / "project.mneme").write_bytes(CASES["a long id"])
        assert printed(tool.main, "new-id", "GOTCHA") == (0, b"GOTCHA-123457\n")
        assert printed(tool.main, "spine") == (0, b"GOTCHA-000123456 live   G  [a/b]\n")


def test_without_a_file_it_takes_the_first_one_here_then_below(tool: ModuleType, tmp_path: Path) -> None:
    """As the published tool does; with no command it checks."""
    below = tmp_path / "memory"
    below.mkdir()
    (below / "b.mn").write_text(CELL)
    with contextlib.chdir(tmp_path):
        assert printed(tool.main, "new-id", "DEC")[1] == b"DEC-0002\n"
        (tmp_path / "z.mneme").write_text(CELL.replace("DEC-0001", "DEC-0007"))
        assert printed(tool.main, "new-id", "DEC")[1] == b"DEC-0008\n"
        assert printed(tool.main, "--today", TODAY) == printed(tool.main, "lint", "z.mneme", "--today", TODAY)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["spine", "gone.mneme"], "cannot read 'gone.mneme': No such file or directory"),
        (["lint", "."], "cannot read '.': Is a directory"),
        (["spine"], "cannot read 'project.mneme'"),
        (["new-id"], "which prefix is it?"),
        (["new-id", "dec"], "'dec' is no prefix"),
        (["lint", "--today", "soon"], "'soon' is not a date"),
        (["spin"], "usage: "),
    ],
)
def test_what_it_cannot_do_is_one_line_and_exit_code_2(tmp_path: Path, words: list[str], told: str) -> None:
    """Never a traceback, and nothing on stdout."""
    done = subprocess.run([sys.executable, TOOL, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.removeprefix("mneme_tool: ").startswith(told)
    assert "Traceback" not in done.stderr


def interpreters() -> list[str]:
    """Return this interpreter and every other one on this machine that the tool says it runs on."""
    found = [shutil.which(f"python3.{minor}") for minor in range(9, 20)]
    return [sys.executable, *(one for one in found if one and one != sys.executable and _starts(one))]


def _starts(interpreter: str) -> bool:
    return subprocess.run([interpreter, "-c", ""], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("interpreter", interpreters())
def test_it_runs_alone_on_every_python_there_is(tmp_path: Path, interpreter: str) -> None:
    """Copied away from the checkout, without the site's packages, it says the same as here."""
    shutil.copy(TOOL, tmp_path / "tool.py")
    (tmp_path / "a.mneme").write_text(pair(old="live", inverse=""))
    outputs = []
    for python in (sys.executable, interpreter):
        for words in (["spine"], ["lint", "--today", TODAY], ["new-id", "DEC"]):
            done = subprocess.run(
                [python, "-I", "-S", "-W", "error", "tool.py", *words], cwd=tmp_path, capture_output=True, check=False
            )
            assert done.stderr == b""
            outputs.append((done.returncode, done.stdout))
    assert outputs[:3] == outputs[3:]


# How it is built


def test_the_tool_is_what_the_sources_say() -> None:
    """Building it again changes nothing; `make skill` mends a failure."""
    assert TOOL.read_text(encoding="utf-8") == build_skill.build()
    assert os.access(TOOL, os.X_OK)


def test_a_stale_tool_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One changed byte fails the check, and the check writes nothing."""
    stale = tmp_path / "skills" / "mneme_tool.py"
    stale.parent.mkdir()
    stale.write_text(TOOL.read_text(encoding="utf-8") + "\n")
    monkeypatch.setattr(build_skill, "TARGET", stale)
    monkeypatch.setattr(build_skill, "ROOT", tmp_path)
    monkeypatch.setattr(build_skill, "build", lambda: TOOL.read_text(encoding="utf-8"))
    assert build_skill.main(["--check"]) == 1
    assert stale.read_text(encoding="utf-8") != TOOL.read_text(encoding="utf-8")
    assert build_skill.main([]) == 0
    assert build_skill.main(["--check"]) == 0


def test_it_needs_the_standard_library_alone_and_writes_nothing() -> None:
    """Its imports are of modules that come with Python, and none of them opens a file for writing or a connection."""
    tree = ast.parse(TOOL.read_text(encoding="utf-8"), feature_version=build_skill.OLDEST_PYTHON)
    modules = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert modules <= sys.stdlib_module_names | {"__future__"}
    assert not modules & {"socket", "urllib", "http", "subprocess", "shutil", "tempfile", "os"}
    called = {
        node.func.attr for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    assert not called & {"write_text", "write_bytes", "unlink", "rename", "open", "mkdir", "system"}


# The skill itself


def front_matter() -> dict[str, str]:
    """Return the keys of SKILL.md's front matter: one line each, as the strictest host reads them."""
    _, front, _ = (SKILL / "SKILL.md").read_text(encoding="utf-8").split("---\n", 2)
    pairs = [line.partition(": ") for line in front.splitlines()]
    assert all(separator for _, separator, _ in pairs)
    return {key: value for key, _, value in pairs}


def test_the_front_matter_suits_both_hosts() -> None:
    """The name is the folder's; the description is plain YAML, short enough, and speaks both languages."""
    front = front_matter()
    assert list(front) == ["name", "description", "license", "compatibility", "metadata"]
    assert front["name"] == SKILL.name
    assert len(front["description"]) <= 1024
    assert ": " not in front["description"]
    assert " #" not in front["description"]
    assert "Use when" in front["description"]
    assert "记住" in front["description"]
    assert len(front["compatibility"]) <= 500


def test_the_skill_shows_a_cell_that_the_linter_finds_sound(tool: ModuleType, tmp_path: Path) -> None:
    """The example is what an agent copies, so it must be right: the one fault is its link to a cell not shown."""
    text = (SKILL / "SKILL.md").read_text(encoding="utf-8")
    example = text.split("```text\n", 2)[1].split("```")[0]
    (tmp_path / "a.mneme").write_text(example)
    with contextlib.chdir(tmp_path):
        code, output = printed(tool.main, "lint", "--today", "2026-06-10")
    rules = [line.split()[2] for line in output.decode().splitlines() if line.startswith("a.mneme:")]
    assert (code, rules) == (0, ["dangling-link:"])


def test_every_command_in_the_skill_can_be_run(tool: ModuleType, tmp_path: Path) -> None:
    """What the text tells an agent to run, the tool knows."""
    text = (SKILL / "SKILL.md").read_text(encoding="utf-8")
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "project.mneme").write_text(CELL)
    commands = [piece.split("`")[0] for piece in text.split("`python3 scripts/mneme_tool.py ")[1:]]
    assert len(commands) == 3
    with contextlib.chdir(tmp_path):
        for command in commands:
            assert printed(tool.main, *command.split())[0] == 0
