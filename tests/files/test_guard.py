"""The door: what a cell or a fact says cannot be changed by a plan; its state can, and new ones can be added."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mneme import files
from mneme.errors import RefusedError
from mneme.files import Edit, Plan, edited, plan_edit, plan_replace
from mneme.files.guard import check_immutable
from mneme.formats.spine import immutable_parts

from .workbench import NOW, adding, applied, assert_settled, edit, put, tree

if TYPE_CHECKING:
    from pathlib import Path

ONE = b"@ DEC-0001 store/cache\ngist Cache in SQLite\n> because JSON lost writes\ncue cache / sqlite\nstate live conf high since 2026-01-01 seen 2026-01-01\n"
TWO = b"\n@ DEC-0002 store/queue\ngist Queue in memory\nstate live since 2026-01-02 seen 2026-01-02\n"
THREE = b"\n@ FACT-0001 host/name\ngist The host is called blue\nstate live since 2026-01-03 seen 2026-01-03\n"
CELLS = b"# our cells\n\n" + ONE + TWO + THREE
FRESH = b"\n@ DEC-0003 store/new\ngist Newer\nstate live since 2026-02-01 seen 2026-02-01\n"


@pytest.fixture
def cells(root: Path) -> Path:
    """Return a workspace with three cells."""
    put(root, "m.mneme", CELLS)
    return root


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"in SQLite", b"in JSON", "change what 'DEC-0001' says"),
        (b"because JSON", b"because YAML", "change what 'DEC-0001' says"),
        (b"cache / sqlite", b"cache", "change what 'DEC-0001' says"),
        (b"gist Queue in memory", b"gist Queue in memory ", None),
        (ONE, b"", "drop 'DEC-0001'"),
        (THREE, b"", "drop 'FACT-0001'"),
        (ONE + TWO, b"", "drop 'DEC-0001'"),
        (b"@ DEC-0002", b"@ DEC-0009", "drop 'DEC-0002'"),
        (b"@ DEC-0002", b"# DEC-0002", "'DEC-000[12]'"),
        (b"\n@ DEC-0002", b" @ DEC-0002", "'DEC-000[12]'"),
        (b"live conf high", b"stale conf low", None),
        (
            b"live since 2026-01-03 seen 2026-01-03",
            b"retired since 2026-01-03 seen 2026-01-03\n# retired 2026-02-02",
            None,
        ),
        (b"2026-01-02\n", b"2026-01-02\nlink supersedes DEC-0001\n", None),
        (b"# our cells", b"# all our cells", None),
        (b"memory\n", b"memory\n> a new body line\n", "change what 'DEC-0002' says"),
        (b"memory\n", b"memory\ngist another gist\n", "change what 'DEC-0002' says"),
        (b"memory\n", b"memory\n# a comment\n", None),
    ],
)
def test_content_is_immutable_and_state_is_not(cells: Path, old: bytes, new: bytes, words: str | None) -> None:
    """Gist, body, cue and the cell itself stay; state, dates, links and comments may change."""
    if words is None:
        edit(cells, "m.mneme", old, new)
        assert tree(cells) == {"m.mneme": CELLS.replace(old, new)}
        return
    with pytest.raises(RefusedError, match=words):
        edit(cells, "m.mneme", old, new)
    assert tree(cells) == {"m.mneme": CELLS}
    assert_settled(cells)


def test_cells_are_appended(cells: Path) -> None:
    """New cells go to the end, to the start, and between two others."""
    applied(cells, adding(cells, "m.mneme", FRESH))
    content = (cells / "m.mneme").read_bytes()
    at = content.index(b"@ DEC-0002")
    other = FRESH.replace(b"0003", b"0004").lstrip() + b"\n"
    applied(cells, plan_edit("m.mneme", content, [Edit(at, at, other)]))
    assert list(immutable_parts((cells / "m.mneme").read_text())) == [
        "DEC-0001", "DEC-0004", "DEC-0002", "FACT-0001", "DEC-0003",
    ]  # fmt: skip


def test_a_cell_appended_without_a_final_newline_above(root: Path) -> None:
    """A file that does not end its last line takes new cells all the same."""
    put(root, "m.mneme", ONE.rstrip(b"\n"))
    applied(root, adding(root, "m.mneme", FRESH))
    assert list(immutable_parts((root / "m.mneme").read_text())) == ["DEC-0001", "DEC-0003"]


@pytest.mark.parametrize("stray", [b"> stray\n", b"gist more\n", b"cue more\n", b"\n> stray\n", b"\r\n> stray\r\n"])
@pytest.mark.parametrize("where", [b"@ DEC-0002", b"\n@ DEC-0002", b"@ FACT-0001", b""])
def test_stray_lines_belong_to_the_cell_above(cells: Path, stray: bytes, where: bytes) -> None:
    """A body, gist or cue line put at the end of a cell extends that cell: refused, in the middle as at the end."""
    at = CELLS.index(where) if where else len(CELLS)
    with pytest.raises(RefusedError, match="content is immutable"):
        applied(cells, plan_edit("m.mneme", CELLS, [Edit(at, at, stray)]))
    with pytest.raises(RefusedError, match="content is immutable"):
        applied(cells, plan_edit("m.mneme", CELLS, [Edit(at, at, stray + FRESH)]))
    assert tree(cells) == {"m.mneme": CELLS}


def test_a_cell_put_in_must_end_its_line(cells: Path) -> None:
    """A new cell without a final newline would swallow the header below it."""
    at = CELLS.index(b"@ DEC-0002")
    with pytest.raises(RefusedError, match="drop 'DEC-0002'"):
        applied(cells, plan_edit("m.mneme", CELLS, [Edit(at, at, FRESH.strip())]))


def test_several_edits_of_one_plan_are_all_looked_at(cells: Path) -> None:
    """An allowed edit before a forbidden one does not cover it."""
    first = CELLS.index(b"live conf")
    last = CELLS.index(b"blue")
    plan = plan_edit("m.mneme", CELLS, [Edit(first, first + 4, b"superseded"), Edit(last, last + 4, b"red")])
    with pytest.raises(RefusedError, match="change what 'FACT-0001' says"):
        applied(cells, plan)


@pytest.mark.parametrize("name", ["a.mneme", "a.mn", "deep/folder/b.mneme"])
def test_every_cell_file_is_guarded(root: Path, name: str) -> None:
    """Both suffixes, anywhere."""
    put(root, name, CELLS)
    with pytest.raises(RefusedError):
        edit(root, name, b"SQLite", b"JSON")
    put(root, "notes.md", CELLS)
    edit(root, "notes.md", b"SQLite", b"JSON")


def test_a_free_plan_may_change_what_a_cell_says(cells: Path) -> None:
    """Undo, merge and forget lift the law on purpose."""
    change = plan_replace("m.mneme", CELLS, CELLS.replace(b"SQLite", b"JSON"))
    assert change is not None
    files.apply(cells, Plan("merge", (change,), free=True), now=NOW)
    assert b"JSON lost" in (cells / "m.mneme").read_bytes()
    files.apply(cells, files.plan_undo(cells, 1), now=NOW)
    assert tree(cells) == {"m.mneme": CELLS}


def test_other_bytes_are_no_obstacle(root: Path) -> None:
    """Latin-1, carriage returns and a BOM: state may be edited, content may not."""
    for content in (CELLS.replace(b"SQLite", b"caf\xe9"), CELLS.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + CELLS[13:]):
        put(root, "m.mneme", content)
        edit(root, "m.mneme", b"live conf", b"stale conf")
        with pytest.raises(RefusedError):
            edit(root, "m.mneme", b"memory", b"disk")


FACTS = [
    {"id": f"acme-00{n}", "fact": f"Acme said {n} é", "category": "status", "timestamp": f"2026-01-0{n}",
     "source": "memory/2026-01-01.md", "status": "active", "supersededBy": None}
    for n in (1, 2)
]  # fmt: skip
PLACE = "brain/areas/acme/items.json"


def facts_with(**changes: str | None) -> bytes:
    """Return the facts' file with some keys of the first fact changed."""
    return json.dumps([FACTS[0] | changes, FACTS[1]], indent=2, ensure_ascii=False).encode() + b"\n"


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (facts_with(fact="Acme never said so"), "change what 'acme-001' says"),
        (facts_with(category="rumour"), "change what 'acme-001' says"),
        (facts_with(timestamp="2020-01-01"), "change what 'acme-001' says"),
        (facts_with(source="elsewhere.md"), "change what 'acme-001' says"),
        (facts_with(id="acme-009"), "drop 'acme-001'"),
        (json.dumps(FACTS[1:]).encode(), "drop 'acme-001'"),
        (b"[]\n", "drop 'acme-001'"),
        (b"", "drop 'acme-001'"),
        (facts_with(status="superseded", supersededBy="acme-002"), None),
        (facts_with(confirmed="2026-02-02"), None),
        (json.dumps([*FACTS, FACTS[0] | {"id": "acme-003", "fact": "new"}]).encode(), None),
    ],
)
def test_facts_are_guarded_like_cells(root: Path, after: bytes, words: str | None) -> None:
    """What a fact says, of what kind, when and from where stays; its state may change, and facts are added."""
    put(root, PLACE, facts_with())
    change = plan_replace(PLACE, facts_with(), after)
    assert change is not None
    if words is None:
        applied(root, change)
        assert tree(root) == {PLACE: after}
        return
    with pytest.raises(RefusedError, match=words):
        applied(root, change)
    assert tree(root) == {PLACE: facts_with()}


PIECES = [
    ONE,
    TWO,
    THREE,
    FRESH,
    b"@ ",
    b"> x\n",
    b"gist y\n",
    b"\n",
    b"\r",
    b"state live\n",
    b"# c\n",
    b"@",
    b"> ",
    b"x",
]


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=6).map(b"".join),
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.lists(st.sampled_from(PIECES), max_size=2)), max_size=2),
)
def test_looking_around_the_edit_is_looking_everywhere(
    content: bytes, drawn: list[tuple[float, float, list[bytes]]]
) -> None:
    """The guard reads only the cells at an edit; what it lets through changes no cell of the whole file."""
    places = sorted(int(share * len(content)) for one in drawn for share in one[:2])
    pairs = zip(places[::2], places[1::2], strict=True)
    edits = [Edit(start, end, b"".join(one[2])) for (start, end), one in zip(pairs, drawn, strict=True)]
    after = edited(content, edits)
    try:
        check_immutable("m.mneme", content, edits, after)
    except RefusedError:
        return
    was, now = immutable_parts(content.decode()), immutable_parts(after.decode())
    assert {what for _, what in sayings(was)} <= {what for _, what in sayings(now)}


def sayings(parts: dict[str, object]) -> set[tuple[str, str]]:
    """Return what the cells say, each with its id, whatever their order among namesakes."""
    return {(name.partition(" ")[0], f"{name.partition(' ')[0]} {content}") for name, content in parts.items()}
