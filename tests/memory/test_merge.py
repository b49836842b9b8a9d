"""Merging cell files: every cell of both sides, the same result whoever is ours, and a person only where it must be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.errors import NotFoundError
from mneme.formats.cell import ALLOWED_TRANSITIONS, Cell, parse_cells
from mneme.formats.cell_edit import print_cell
from mneme.formats.record import CONFS, STATES, WORKING_STATES, Link
from mneme.formats.spine import content_of, immutable_parts
from mneme.memory.merge import Merged, fix_links, merge_cells, merge_files
from mneme.memory.merge.sequence import align, merge_sequences

if TYPE_CHECKING:
    from pathlib import Path

DAYS = ("2026-06-05", "2026-06-20", "2026-07-01")


def block(cell_id: str, gist: str = "", status: str = "live high", seen: str = DAYS[0], *more: str) -> str:
    """Return a cell as text; `status` is state and conf."""
    state, conf = status.split()
    lines = [
        f"@ {cell_id}  storage/cache",
        f"gist  {gist or 'What ' + cell_id + ' says'}",
        f"state {state}   conf {conf}   since 2026-06-03   seen {seen}",
        "cue   cache / database",
        "> for a reason",
        *more,
    ]
    return "\n".join(lines) + "\n"


def document(*blocks: str) -> str:
    """Return cells as a file, a blank line between them."""
    return "\n".join(blocks)


def merged(base: str, one: str, two: str) -> Merged:
    """Merge, and hold on the way that the sides can be swapped."""
    result = merge_cells(base, one, two)
    assert result == merge_cells(base, two, one)
    return result


def cell_of(text: str, cell_id: str) -> Cell:
    """Return the one cell of an id."""
    (found,) = [cell for cell in parse_cells(text).cells if cell.id == cell_id]
    return found


OLD = block("DEC-0001")
TOLD = block("DEC-0002")
BASE = document(OLD, TOLD)


# What both sides add


def test_new_cells_of_both_sides_are_kept_in_order_of_their_days() -> None:
    """Two appended cells stand behind the common ones, the elder first, each parted by a blank line."""
    one = document(BASE, block("FACT-0009").replace("since 2026-06-03", "since 2026-06-20"))
    two = document(BASE, block("PREF-0004").replace("since 2026-06-03", "since 2026-06-10"))
    result = merged(BASE, one, two)
    assert [cell.id for cell in parse_cells(result.text).cells] == ["DEC-0001", "DEC-0002", "PREF-0004", "FACT-0009"]
    assert result.text.startswith(BASE)
    assert "\n\n\n" not in result.text
    assert result.text.count("\n\n@ ") == 3
    assert not result.problems


def test_comments_around_cells_are_kept() -> None:
    """A heading one side put above the first cell and a note the other put between two cells are both there."""
    one = "# Decisions of the team\n\n" + BASE
    two = document(OLD, "# --- storage ---\n", TOLD)
    text = merged(BASE, one, two).text
    assert text == "# Decisions of the team\n\n" + two


def test_a_file_that_ended_without_a_line_break_can_grow_on_both_sides() -> None:
    """The last cell gets its line break, and keeps its text."""
    base = BASE.rstrip("\n")
    result = merged(base, base + "\n\n" + block("FACT-0001"), base + "\n\n" + block("FACT-0002").rstrip("\n"))
    assert result.text == document(BASE, block("FACT-0001"), block("FACT-0002")).rstrip("\n")


def test_the_order_one_side_gave_to_common_cells_holds() -> None:
    """Moving a cell is a change like any other."""
    one = document(TOLD, OLD)
    two = document(BASE, block("DEC-0003"))
    assert [cell.id for cell in parse_cells(merged(BASE, one, two).text).cells] == ["DEC-0002", "DEC-0001", "DEC-0003"]


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_breaks_that_one_side_changed_throughout_hold(newline: str) -> None:
    """A file turned to other line breaks on one side is not a file in which every cell was edited."""
    one = BASE.replace("\n", newline)
    two = document(BASE.replace("seen 2026-06-05", "seen 2026-07-01", 1), block("DEC-0003"))
    assert merged(BASE, one, two).text == two.replace("\n", newline)


def test_a_byte_order_mark_stays_where_one_side_put_it() -> None:
    """It hides no cell, and the cell behind it merges like any other."""
    text = merged(BASE, "\ufeff" + BASE, BASE.replace("conf high", "conf low", 1)).text
    assert text == "\ufeff" + BASE.replace("conf high", "conf low", 1)


def test_bytes_that_are_not_utf_8_pass_through(tmp_path: Path) -> None:
    """A Latin-1 cell is neither mangled nor refused."""
    latin = BASE.encode().replace(b"for a reason", b"caf\xe9", 1)
    for name, content in (("base", latin), ("ours", latin + b"# one\n"), ("theirs", b"# two\n" + latin)):
        (tmp_path / name).write_bytes(content)
    merge_files(*(str(tmp_path / name) for name in ("base", "ours", "theirs")))
    assert (tmp_path / "ours").read_bytes() == b"# two\n" + latin + b"# one\n"


# How a cell stands


@pytest.mark.parametrize(
    ("base", "one", "two", "state", "seen"),
    [
        (("live", 0), ("stale", 0), ("live", 2), "live", 2),  # seen to hold since: the decay was too hasty
        (("live", 0), ("live", 1), ("stale", 2), "stale", 2),
        (("proposed", 0), ("live", 1), ("stale", 1), "stale", 1),
        (("live", 0), ("stale", 0), ("live", 0), "stale", 0),
        (("stale", 0), ("live", 0), ("stale", 0), "live", 0),
        (("live", 0), ("retired", 0), ("live", 2), "retired", 2),
        (("live", 0), ("superseded", 0), ("retired", 1), "superseded", 1),
        (("live", 0), ("superseded", 1), ("stale", 2), "superseded", 2),
        (("proposed", 0), ("live", 1), ("proposed", 2), "live", 2),
        (("proposed", 0), ("retired", 0), ("live", 1), "retired", 1),
    ],
)
def test_states_meet_by_rule(
    base: tuple[str, int], one: tuple[str, int], two: tuple[str, int], state: str, seen: int
) -> None:
    """Superseded beats retired beats the rest; live and stale go by the later `seen`, then stale; `seen` by maximum."""
    texts = [
        block("DEC-0001", "", f"{word} high", DAYS[day], f"# note {side}")
        for side, (word, day) in enumerate((base, one, two))
    ]
    cell = cell_of(merged(*texts).text, "DEC-0001")
    assert (cell.state, cell.seen) == (state, DAYS[seen])


@pytest.mark.parametrize(
    ("base", "one", "two", "conf"),
    [
        ("med", "high", "med", "high"),
        ("med", "med", "low", "low"),
        ("med", "high", "low", "low"),
        ("high", "med", "low", "low"),
    ],
)
def test_confidence_is_of_the_side_that_changed_it(base: str, one: str, two: str, conf: str) -> None:
    """Where both did, the more careful one is believed."""
    texts = [
        block("DEC-0001", "", f"live {word}", DAYS[0], f"# note {side}") for side, word in enumerate((base, one, two))
    ]
    assert cell_of(merged(*texts).text, "DEC-0001").conf == conf


def test_links_and_comments_of_both_sides_are_kept() -> None:
    """Each side linked, dated and noted something; all of it is under the cell, and the earlier date is the one read."""
    one = block(
        "DEC-0001", "", "retired high", DAYS[0], "link  relates FACT-0001", "# retired 2026-07-02", "# see the log"
    )
    two = block(
        "DEC-0001", "", "retired high", DAYS[0], "link  refines FACT-0002", "# was DEC-0009", "# retired 2026-07-01"
    )
    text = merged(OLD, one, two).text
    cell = cell_of(text, "DEC-0001")
    assert {(link.relation, link.target) for link in cell.links} == {("relates", "FACT-0001"), ("refines", "FACT-0002")}
    assert (cell.retired, cell.was) == ("2026-07-01", ("DEC-0009",))
    assert "# retired 2026-07-02" in text
    assert "# see the log" in text


SHARED_LINE, PRIVATE_LINE = "# audience: shared", "# audience: private"


@pytest.mark.parametrize(
    ("base", "one", "two", "audience"),
    [
        ((), (SHARED_LINE,), (), "shared"),
        ((SHARED_LINE,), (), (SHARED_LINE,), "private"),
        ((), (SHARED_LINE,), (PRIVATE_LINE,), "private"),
        ((SHARED_LINE,), (SHARED_LINE,), (PRIVATE_LINE,), "private"),
        (None, (SHARED_LINE,), (), "private"),
        (None, (SHARED_LINE,), (SHARED_LINE,), "shared"),
    ],
)
def test_an_audience_never_widens_by_a_merge(
    base: tuple[str, ...] | None, one: tuple[str, ...], two: tuple[str, ...], audience: str
) -> None:
    """What one side alone decided holds; where they say different things, the cell stays private."""
    texts = ["" if lines is None else block("DEC-0001", "", "live high", DAYS[0], *lines) for lines in (base, one, two)]
    sides = [
        texts[0],
        texts[1].replace("conf high", "conf med"),
        texts[2].replace("seen 2026-06-05", "seen 2026-06-20"),
    ]
    assert cell_of(merged(*sides).text, "DEC-0001").audience in (
        {audience} if audience == "shared" else {"private", ""}
    )


def test_only_the_changed_words_of_a_cell_change() -> None:
    """Odd spacing, unknown lines and trailing blanks survive a status that both sides changed."""
    odd = OLD.replace("conf high", "conf  high ").replace("> for", "Note this\n>  for")
    text = merged(odd, odd.replace("conf  high", "conf  low"), odd.replace("2026-06-05", "2026-07-01")).text
    assert text == odd.replace("conf  high", "conf  low").replace("2026-06-05", "2026-07-01")


# Ids that both sides gave


def test_a_disputed_id_stays_with_one_cell_and_the_other_remembers_it() -> None:
    """Which of the two is renumbered depends on what they say, and the new id is free on both sides."""
    one = document(BASE, block("DEC-0003", "Local cache uses SQLite"), block("DEC-0007"))
    two = document(BASE, block("DEC-0003", "Backups are weekly"))
    result = merged(BASE, one, two)
    assert result.renumbered == {"DEC-0003": "DEC-0008"}
    kept, moved = cell_of(result.text, "DEC-0003"), cell_of(result.text, "DEC-0008")
    assert {kept.gist, moved.gist} == {"Local cache uses SQLite", "Backups are weekly"}
    assert (kept.was, moved.was) == ((), ("DEC-0003",))


@pytest.mark.parametrize("gists", [("Local cache uses SQLite", "Backups are weekly"), ("a", "b"), ("c", "d")])
def test_links_follow_a_renumbered_cell_on_its_own_side(gists: tuple[str, str]) -> None:
    """The old cell it superseded, its own links and those of its neighbours lead to it; the other side's do not."""
    result_ids = {}
    sides = []
    for gist, old in zip(gists, ("DEC-0001", "DEC-0002"), strict=True):
        text = BASE.replace(
            block(old),
            block(old, "", "superseded high", DAYS[0], "link  superseded-by DEC-0003"),
        )
        sides.append(
            document(
                text,
                block("DEC-0003", gist, "live high", DAYS[0], f"link  supersedes {old}"),
                block(
                    "FACT-0001" if old == "DEC-0001" else "FACT-0002",
                    "",
                    "live high",
                    DAYS[0],
                    "link  relates DEC-0003",
                ),
            )
        )
    text = merged(BASE, *sides).text
    for gist in gists:
        result_ids[gist] = next(cell.id for cell in parse_cells(text).cells if cell.gist == gist)
    assert sorted(result_ids.values()) == ["DEC-0003", "DEC-0004"]
    for gist, old, fact in zip(gists, ("DEC-0001", "DEC-0002"), ("FACT-0001", "FACT-0002"), strict=True):
        assert [link.target for link in cell_of(text, old).links] == [result_ids[gist]]
        assert [link.target for link in cell_of(text, fact).links] == [result_ids[gist]]
        assert [link.target for link in cell_of(text, result_ids[gist]).links] == [old]


def test_the_same_new_cell_on_both_sides_is_one() -> None:
    """A cell that was picked from branch to branch is not a collision; how it stands is joined."""
    one, two = (document(BASE, block("DEC-0003", "", "live high", day)) for day in DAYS[:2])
    result = merged(BASE, one, two)
    assert result.text == two
    assert result.renumbered == {}


def test_a_branch_that_missed_the_renumbering_still_finds_its_cell() -> None:
    """After a first merge gave a cell a new id, a later edit under the old id reaches it, links included."""
    branch = document(BASE, block("DEC-0003", "Backups are weekly"))
    main = document(BASE, block("DEC-0003", "Local cache uses SQLite"))
    first = merged(BASE, main, branch)
    moved = next(cell for cell in parse_cells(first.text).cells if cell.was)
    behind = branch if moved.gist == "Backups are weekly" else main
    later = document(
        behind.replace("seen 2026-06-05", "seen 2026-07-01"),
        block("FACT-0005", "", "live high", DAYS[0], "link  relates DEC-0003"),
    )
    second = merged(behind, first.text, later)
    assert not second.problems
    assert cell_of(second.text, moved.id).seen == "2026-07-01"
    assert cell_of(second.text, "FACT-0005").links[0].target == moved.id
    assert len(parse_cells(second.text).cells) == 5


def test_a_new_id_avoids_every_id_that_anything_remembers() -> None:
    """Headers, links, former ids and tombstones of either side and of the base all count."""
    one = document(
        BASE,
        block("DEC-0003", "one", "live high", DAYS[0], "link  relates DEC-0011"),
        "# forgotten DEC-0020 2026-07-01\n",
    )
    two = document(BASE, block("DEC-0003", "two", "live high", DAYS[0], "# was DEC-0015"))
    assert merged(BASE, one, two).renumbered == {"DEC-0003": "DEC-0021"}


def test_a_malformed_id_is_never_renumbered() -> None:
    """Two cells under one bad id are both kept: the linter tells of them."""
    one, two = (document(BASE, block("dec-3", gist)) for gist in ("one", "two"))
    assert Counter(cell.id for cell in parse_cells(merged(BASE, one, two).text).cells)["dec-3"] == 2


# Deleting, forgetting, contradicting


def test_a_cell_deleted_by_hand_on_one_side_comes_back() -> None:
    """Memory is retired, never deleted; it stands where it stood, as the other side has it."""
    one = document(TOLD, block("DEC-0003"))
    two = BASE.replace("conf high", "conf low", 1)
    assert merged(BASE, one, two).text == document(two, block("DEC-0003"))


def test_a_cell_deleted_on_both_sides_stays_deleted() -> None:
    """There is nothing left to bring back."""
    assert merged(BASE, TOLD, TOLD).text == TOLD
    assert [cell.id for cell in parse_cells(merged(BASE, TOLD, TOLD + "# note\n").text).cells] == ["DEC-0002"]


def test_a_forgotten_cell_does_not_come_back() -> None:
    """The tombstone of one side beats whatever the other did to the cell, and is kept."""
    one = document("# forgotten DEC-0001 2026-07-01\n", TOLD)
    two = BASE.replace("conf high", "conf low", 1)
    assert merged(BASE, one, two).text == one


def test_a_new_cell_under_an_id_that_the_other_side_forgot_gets_another() -> None:
    """It is not the cell that was forgotten, and an id is never given twice."""
    one = document(BASE, "# forgotten DEC-0003 2026-07-01\n")
    result = merged(BASE, one, document(BASE, block("DEC-0003", "Quite another thing")))
    assert result.renumbered == {"DEC-0003": "DEC-0004"}
    assert cell_of(result.text, "DEC-0004").gist == "Quite another thing"


def test_content_edited_on_one_side_is_kept_and_told() -> None:
    """It breaks the law, but it is somebody's work: the linter's rule names it, with its line."""
    one = BASE.replace("What DEC-0002 says", "What it said was wrong")
    result = merged(BASE, one, BASE.replace("seen 2026-06-05", "seen 2026-07-01"))
    assert cell_of(result.text, "DEC-0002").gist == "What it said was wrong"
    assert cell_of(result.text, "DEC-0002").seen == "2026-07-01"
    assert [(problem.rule, problem.line) for problem in result.problems] == [("edited-content", 7)]
    assert not result.conflicts


def test_content_edited_differently_on_both_sides_is_left_to_a_person() -> None:
    """Both texts stand between git's markers, which the linter finds; the rest of the file is merged."""
    one, two = (
        document(BASE.replace("What DEC-0001 says", gist), new)
        for gist, new in (("a", block("FACT-0001")), ("b", block("FACT-0002")))
    )
    result = merged(BASE, one, two)
    assert result.conflicts
    assert [(problem.rule, problem.line) for problem in result.problems] == [("conflict-marker", 1)]
    assert result.text.startswith("<<<<<<< DEC-0001\n@ DEC-0001")
    assert result.text.index("gist  a") < result.text.index("\n=======\n") < result.text.index("gist  b")
    assert [fault.rule for fault in parse_cells(result.text).faults if fault.rule == "conflict-marker"] == [
        "conflict-marker"
    ] * 2
    assert {"DEC-0002", "FACT-0001", "FACT-0002"} <= {cell.id for cell in parse_cells(result.text).cells}


def test_two_different_successors_are_a_contradiction() -> None:
    """Both sides replaced the same cell by something else: which one holds, only a person knows."""
    sides = [
        document(
            block("DEC-0001", "", "superseded high", DAYS[0], f"link  superseded-by {new}"), TOLD,
            block(new, "", "live high", DAYS[0], "link  supersedes DEC-0001"),
        )
        for new in ("DEC-0003", "DEC-0004")
    ]  # fmt: skip
    result = merged(BASE, *sides)
    assert result.conflicts
    assert {"DEC-0003", "DEC-0004"} <= {cell.id for cell in parse_cells(result.text).cells}


def test_retired_and_superseded_can_be_joined() -> None:
    """A successor says more than a retirement."""
    one = block("DEC-0001", "", "retired high", DAYS[0], "# retired 2026-07-01")
    two = block("DEC-0001", "", "superseded high", DAYS[0], "link  superseded-by DEC-0002")
    result = merged(OLD, one, two)
    cell = cell_of(result.text, "DEC-0001")
    assert (result.conflicts, cell.state, cell.retired) == (False, "superseded", "2026-07-01")


# For any text

IDS = st.sampled_from(["DEC-0001", "DEC-0002", "DEC-0003", "FACT-0001", "FACT-0002", "PREF-0001"])
GISTS = st.sampled_from(["SQLite is used", "JSON is used", "Backups are weekly", "缓存用 SQLite"])
LINKS = st.builds(Link, st.sampled_from(["relates", "supersedes", "superseded-by", "depends-on"]), IDS)
CELLS = st.builds(
    Cell,
    id=IDS,
    topic=st.sampled_from(["a/b", "c"]),
    gist=GISTS,
    state=st.sampled_from(STATES),
    conf=st.sampled_from(CONFS),
    since=st.sampled_from(DAYS),
    seen=st.sampled_from(DAYS),
    cue=st.sampled_from(["", "x / y"]),
    body=st.sampled_from([(), ("why",), ("why", "and how")]),
    links=st.lists(LINKS, max_size=2).map(tuple),
    was=st.sampled_from([(), (), (), ("DEC-0001",), ("DEC-0009",)]),
    retired=st.sampled_from(["", "", "2026-07-02"]),
    audience=st.sampled_from(["private", "shared"]),
)
LINES = st.sampled_from(
    ["# a comment", "# --- storage ---", "", "", "  ", "unknown text", " @ DEC-0001 lost", "gist  astray", "state live",
     "> more", "link relates DEC-0001", "@", "@DEC-0002 x", "# audience: private", "Gist: bent", "\u2028", "caf\udce9",
     "=======", "@ DEC-0001  a/b", "conf low   seen 2026-07-01", "# retired 2026-07-03"]
)  # fmt: skip
BREAKS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", ""])
PARTS = st.one_of(CELLS.map(lambda cell: print_cell(cell) + "\n"), st.tuples(LINES, BREAKS).map("".join))
TEXTS = st.one_of(st.lists(PARTS, max_size=5).map("".join), st.text(max_size=60))


@st.composite
def versions(draw: st.DrawFn) -> tuple[str, str, str]:
    """Draw a base and two edits of it: lines put in, taken out and replaced, cells added, or another text altogether."""
    base = draw(TEXTS)
    return base, draw(edits(base)), draw(edits(base))


@st.composite
def edits(draw: st.DrawFn, base: str) -> str:
    """Draw what somebody made of a text."""
    if draw(st.integers(0, 9)) == 0:
        return draw(TEXTS)
    lines = base.splitlines(keepends=True)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(lines)))
        lines[at : at + draw(st.integers(0, 1))] = draw(st.lists(PARTS, max_size=1))
    return "".join(lines) + "".join(draw(st.lists(PARTS, max_size=2)))


@given(versions())
def test_the_sides_can_be_swapped(texts: tuple[str, str, str]) -> None:
    """Merging never fails, and whoever runs it gets the same file, the same problems and the same new ids."""
    merged(*texts)


@given(versions())
def test_merging_with_oneself_changes_nothing(texts: tuple[str, str, str]) -> None:
    """Two sides that agree are the result, whatever the base was."""
    base, one, _ = texts
    assert merge_cells(base, one, one).text == one


@given(versions())
def test_merging_with_the_base_changes_nothing(texts: tuple[str, str, str]) -> None:
    """A side that alone changed the file is the result, byte for byte, unless it lost a cell."""
    base, one, _ = texts
    before, after = (Counter(cell.id for cell in parse_cells(text).cells) for text in (base, one))
    if before <= after:
        assert merged(base, one, base).text == one


@given(versions())
def test_no_cell_is_lost(texts: tuple[str, str, str]) -> None:
    """What either side says and the base did not is said by the result, under its id or with the id it had."""
    base, one, two = texts
    old = {content_of(cell) for cell in parse_cells(base).cells}
    found = [(content_of(cell), {cell.id, *cell.was}) for cell in parse_cells(merged(base, one, two).text).cells]
    for cell in (*parse_cells(one).cells, *parse_cells(two).cells):
        if content_of(cell) not in old:
            assert any(content_of(cell) == content and cell.id in names for content, names in found)


@given(versions())
def test_a_cell_nobody_touched_keeps_its_bytes(texts: tuple[str, str, str]) -> None:
    """A cell that reads the same in all three versions reads the same in the result."""
    base, one, two = texts
    parts = [immutable_parts(text) for text in (base, one, two)]
    same = [name for name, content in parts[0].items() if all(part.get(name) == content for part in parts)]
    result = immutable_parts(merged(base, one, two).text)
    names = {cell_id.partition(" ")[0] for cell_id in same}
    contents = list(result.values())
    assert all(parts[0][name] in contents for name in same), names


@given(versions())
def test_a_second_merge_of_the_same_side_changes_nothing(texts: tuple[str, str, str]) -> None:
    """What was merged once is there: merging that side again, from it as base, gives the same file."""
    base, one, two = texts
    result = merge_cells(base, one, two)
    if not result.conflicts:
        assert merge_cells(one, result.text, one).text == result.text


STEPS = st.one_of(
    st.tuples(st.just("affirm"), st.sampled_from(DAYS)),
    st.tuples(st.just("mark"), st.integers(0, 2)),
    st.tuples(st.just("conf"), st.sampled_from(CONFS)),
    st.tuples(st.just("link"), IDS),
    st.tuples(st.just("share"), st.none()),
)
SIDES = st.tuples(*[st.lists(STEPS, max_size=2)] * 2)


def after(cell: Cell, steps: list[tuple[str, object]]) -> Cell:
    """Return a cell after lawful steps of its life."""
    for verb, value in steps:
        allowed = ALLOWED_TRANSITIONS[cell.state]
        if verb == "affirm" and cell.state in WORKING_STATES:
            cell = replace(cell, state="live", seen=str(value))
        elif verb == "mark" and allowed:
            cell = replace(cell, state=allowed[int(str(value)) % len(allowed)])
        elif verb == "conf":
            cell = replace(cell, conf=str(value))
        elif verb == "link":
            cell = replace(cell, links=(*cell.links, Link("relates", str(value))))
        elif verb == "share":
            cell = replace(cell, audience="shared")
    return cell


@given(st.sampled_from(["proposed", "live", "stale"]), st.sampled_from(CONFS), st.tuples(SIDES, SIDES, SIDES))
def test_three_branches_merge_alike_in_any_order(
    state: str, conf: str, sides: tuple[tuple[list[tuple[str, object]], list[tuple[str, object]]], ...]
) -> None:
    """How every cell stands does not depend on which two of three branches were merged first."""
    cells = [
        Cell(id=cell_id, topic="a", gist="G", state=state, conf=conf, since=DAYS[0], seen=DAYS[0], cue="x", body=("y",))
        for cell_id in ("DEC-0001", "DEC-0002")
    ]
    base = document(*map(print_cell, cells))
    one, two, three = (
        document(*(print_cell(after(*pair)) for pair in zip(cells, side, strict=True))) for side in sides
    )
    orders = [
        merged(base, merged(base, one, two).text, three),
        merged(base, one, merged(base, two, three).text),
        merged(base, merged(base, one, three).text, two),
    ]
    standings = [
        [
            (cell.id, cell.state, cell.conf, cell.seen, {link.target for link in cell.links}, cell.audience)
            for cell in parse_cells(result.text).cells
        ]
        for result in orders
    ]
    assert standings[0] == standings[1] == standings[2]


@given(st.lists(st.integers(0, 6)), st.lists(st.integers(0, 6)))
def test_an_alignment_ascends_and_pairs_equals(one: list[int], two: list[int]) -> None:
    """Positions ascend on both sides, and what is paired is equal."""
    pairs = align(one, two)
    assert all(one[at] == two[there] for at, there in pairs)
    assert all(before[0] < after[0] and before[1] < after[1] for before, after in pairwise(pairs))


def test_a_long_sequence_is_aligned_by_what_is_unique() -> None:
    """A moved item costs nothing else its place."""
    base = list(range(20_000))
    moved = [*base[1:10_000], 0, *base[10_000:]]
    slots = merge_sequences(base, moved, [*base, -1], lambda _, at: (str(at),))
    assert [moved[slot.one] if slot.one is not None else -1 for slot in slots] == [*moved, -1]


# Files and links


def test_the_result_is_written_to_ours_alone(tmp_path: Path) -> None:
    """A dry run writes nothing and shows the diff; a run changes OURS, keeps its mode, and shows nothing."""
    paths = [tmp_path / name for name in ("base.mneme", "ours.mneme", "theirs.mneme")]
    ours, theirs = document(BASE, block("FACT-0001")), BASE.replace("conf high", "conf low", 1)
    for path, text in zip(paths, (BASE, ours, theirs), strict=True):
        path.write_text(text)
    paths[1].chmod(0o640)
    names = [str(path) for path in paths]
    shown = merge_files(*names, dry_run=True, name="memory/team.mneme")
    assert paths[1].read_text() == ours
    assert shown.diff.startswith("--- a/memory/team.mneme\n+++ b/memory/team.mneme\n@@")
    assert "+state live   conf low" in shown.diff
    done = merge_files(*names)
    assert (done.exit_code, done.diff) == (0, "")
    assert paths[1].read_text() == document(theirs, block("FACT-0001"))
    assert paths[1].stat().st_mode & 0o777 == 0o640
    assert [path.read_text() for path in (paths[0], paths[2])] == [BASE, theirs]


def test_a_contradiction_is_exit_code_1_and_names_the_file(tmp_path: Path) -> None:
    """Git is told that something is left to do, and the reader where."""
    for name, text in (("b", OLD), ("o", OLD.replace("What", "That")), ("t", OLD.replace("What", "Nothing"))):
        (tmp_path / name).write_text(text)
    done = merge_files(*(str(tmp_path / name) for name in "bot"), name="memory/team.mneme")
    assert done.exit_code == 1
    assert str(done.problems[0]).startswith("memory/team.mneme:1: error conflict-marker: ")
    with pytest.raises(NotFoundError):
        merge_files(*(str(tmp_path / name) for name in ("b", "o", "gone")))


def test_a_link_to_an_id_that_is_gone_leads_to_the_cell_that_had_it() -> None:
    """In another file than the merged one, too."""
    here = parse_cells(block("DEC-0009", "", "live high", DAYS[0], "# was DEC-0003"), "a.mneme")
    there = parse_cells(block("FACT-0001", "", "live high", DAYS[0], "link  depends-on DEC-0003  # why"), "b.mneme")
    (edit,) = fix_links([here, there])["b.mneme"]
    assert (there.text[edit[0] : edit[1]], edit[2]) == ("DEC-0003", "DEC-0009")


def test_a_link_to_a_disputed_id_is_settled_by_its_other_half() -> None:
    """The cell that says it superseded this one is meant; a link that tells nothing is left alone."""
    here = parse_cells(
        document(
            block("DEC-0003", "kept"),
            block("DEC-0009", "moved", "live high", DAYS[0], "link  supersedes FACT-0001", "# was DEC-0003"),
        ),
        "a.mneme",
    )
    there = parse_cells(
        document(
            block("FACT-0001", "", "superseded high", DAYS[0], "link  superseded-by DEC-0003"),
            block("FACT-0002", "", "live high", DAYS[0], "link  relates DEC-0003"),
        ),
        "b.mneme",
    )
    found = fix_links([here, there])
    assert list(found) == ["b.mneme"]
    ((start, end, new),) = found["b.mneme"]
    assert there.text[start - 14 : end] == "superseded-by DEC-0003"
    assert new == "DEC-0009"
