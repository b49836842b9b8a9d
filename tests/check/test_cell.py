"""Cell checks: the forty conformance cases of the format, the order of the report, several files, and mending."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mneme.check.cell import can_become, check_cells, check_transitions, fix_cells
from mneme.errors import ERROR, INFO, WARN
from mneme.formats.cell import parse_cells, print_cells
from mneme.formats.cell_edit import next_id
from mneme.formats.spine import immutable_parts, spine_lines

TODAY = date(2026, 7, 20)
S = "state live conf high since 2026-06-03 seen 2026-06-05"
A = f"@ DEC-0001 a/b\ngist G\n{S}\n"


def of(text: str) -> tuple[list[str], list[str], list[str]]:
    """Return the rules a text breaks: errors, warnings, and the rest."""
    problems = check_cells([parse_cells(text)], today=TODAY)
    return tuple([each.rule for each in problems if each.severity == grade] for grade in (ERROR, WARN, INFO))


def spine(text: str) -> list[str]:
    """Return the spine of a text."""
    return spine_lines(parse_cells(text))


def new_id(prefix: str, text: str) -> str:
    """Return the id that follows those of a text, its links included."""
    cells = parse_cells(text).cells
    return next_id(prefix, [name for cell in cells for name in (cell.id, *(link.target for link in cell.links))])


@dataclass(frozen=True)
class Case:
    """One conformance case: a text, the errors and warnings it has, its spine, and the next DEC id."""

    text: str
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    spine: tuple[str, ...] | None = None
    new_id: str = ""
    infos: tuple[str, ...] | None = None


G1 = "DEC-0001       live   G  [a/b]"
PAIR = f"@ DEC-0042 storage/cache\ngist G\n{S}\nlink supersedes DEC-0031\n\n@ DEC-0031 storage/cache\ngist H\n{S.replace('live', 'superseded')}\nlink superseded-by DEC-0042\n"
SUPERSEDED = A.replace("state live", "state superseded")
SECOND = f"@ DEC-0002 a/b\ngist unrelated words here\n{S}\n"

CASES = {
    "B01": Case("", spine=(), new_id="DEC-0001"),
    "B02": Case(PAIR, spine=("DEC-0042       live   G  [storage/cache]",), new_id="DEC-0043"),
    "B03": Case(A.replace(" a/b", ""), warnings=("missing-topic",), spine=("DEC-0001       live   G  []",)),
    "B04": Case(
        A.replace("gist G", "gist G # note"), warnings=("inline-comment",), spine=(G1.replace("G ", "G # note "),)
    ),
    "B05": Case(A.replace("@ DEC", "@DEC"), errors=("missing-header-space",)),
    "B06": Case(A + f" @ DEC-0002 b\ngist other\n{S}\n", errors=("indented-header",), spine=(G1,)),
    "B07": Case(" " + A, errors=("indented-header",), spine=()),
    "B08": Case(f"@ DEC-0001 a/b\n  gist G\n\t{S}\n  > why\n", spine=(G1,)),
    "B09": Case(A + "an unknown line: the state retired was\n", spine=(G1,)),
    "B10": Case(
        A.replace("gist G", "gist the state live is G"), spine=("DEC-0001       live   the state live is G  [a/b]",)
    ),
    "B11": Case(
        "@ DEC-0001 a/b\nstate live gist hello there\n",
        errors=("missing-field", "missing-field", "missing-field", "text-in-status"),
    ),
    "B12": Case(
        A.replace(S, "state live link supersedes DEC-0001\n" + S[11:]), errors=("text-in-status",), spine=(G1,)
    ),
    "B13": Case(A + A.replace("gist G", "gist H"), errors=("duplicate-id",), spine=(G1, G1.replace("G ", "H "))),
    "B14": Case(
        A.replace("2026-06-03", "2026-13-99").replace("2026-06-05", "2026-02-30"),
        errors=("invalid-date", "invalid-date"),
    ),
    "B15a": Case(A.replace("2026-06-05", "20260605"), errors=("invalid-date",)),
    "B15b": Case(A.replace("2026-06-05", "2026-W23-5"), errors=("invalid-date",)),
    "B16a": Case(A, spine=(G1,)),
    "B16b": Case(A.replace("2026-06-05", "2026-06-04"), warnings=("decayed",)),
    "B17": Case(
        A.replace("live", "stale").replace("2026-06-03", "2020-01-01").replace("2026-06-05", "2020-01-01"),
        infos=("stale-for-ever", "missing-cue", "missing-body"),
    ),
    "B18": Case(A.replace("2026-06-05", "2027-01-01"), warnings=("future-date",)),
    "B19": Case(
        A.replace("live conf high", "LIVE conf hi") + "link likes DEC-0002\n" + SECOND,
        errors=("unknown-state", "unknown-conf"),
        warnings=("unknown-relation",),
        spine=("DEC-0002       live   unrelated words here  [a/b]",),
    ),
    "B20": Case(A + "link supersedes\n", errors=("incomplete-link",)),
    "B21": Case(A + "link supersedes DEC-0001\n", errors=("self-link",)),
    "B22": Case(
        "\n".join(
            f"@ {name} a/{name}\ngist about {name}\n{S}"
            for name in ("DEC-3", "DEC-10000", "DEC-0042-x", "dec-0099", "SUBDEC-0500")
        ),
        warnings=("malformed-id",) * 3,
        new_id="DEC-10001",
    ),
    "B23": Case(
        A.replace("DEC-0001", "GOTCHA-000123456"), spine=("GOTCHA-000123456 live   G  [a/b]",), new_id="DEC-0001"
    ),
    "B24a": Case(A.replace("\n", "\r\n"), spine=(G1,)),
    "B24b": Case(A.replace("\n", "\r"), spine=(G1,)),
    "B25": Case("\ufeff" + A, warnings=("byte-order-mark",), spine=(G1,), new_id="DEC-0002"),
    "B26": Case(A.replace("gist G", "gist caf\udce9"), errors=("not-utf-8",)),
    "B27": Case(A.replace("gist G", "gist"), errors=("missing-field",)),
    "B28": Case(A.replace("gist G", "gist F\ngist G"), errors=("duplicate-field",), spine=(G1,)),
    "B29": Case(A + "> state retired\n>state retired\n", spine=(G1,)),
    "B30": Case(A.replace("gist G", "gist 本地缓存"), spine=(G1.replace("G ", "本地缓存 "),)),
    "B31": Case(SUPERSEDED + "link superseded-by DEC-0002\n" + SECOND, warnings=("missing-inverse-link",)),
    "B32": Case(SUPERSEDED, warnings=("superseded-without-successor",), spine=()),
    "B33": Case("gist early\n" + A, warnings=("text-before-first-cell",), spine=(G1,)),
    "B34": Case(
        "@ DEC-0001 a/b\ngist: G\nstate: live\nsince: 2026-06-03\nseen: 2026-06-05\n",
        errors=("missing-field",) * 4,
        warnings=("colon-after-key",) * 4,
    ),
    "B35": Case(A.replace("0001", "\u0660\u0660\u0664\u0662"), warnings=("malformed-id",), new_id="DEC-0001"),
    "B36": Case(f"@\ngist G\n{S}\n", errors=("missing-id",)),
    "B37": Case(
        A + "link superseded-by DEC-0002\n" + SECOND + "link supersedes DEC-0001\n", warnings=("superseded-still-live",)
    ),
    "B38": Case(A + "link supersedes DEC-0007\n", warnings=("dangling-link",), new_id="DEC-0008"),
    "B39": Case(A.replace("gist G", "gist one\u2028line"), spine=(G1.replace("G ", "one\u2028line "),)),
    "B40": Case(
        A + "# note \n   \nunknown \n\n\n" + SECOND.rstrip("\n"),
        spine=(G1, "DEC-0002       live   unrelated words here  [a/b]"),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_conformance(case: Case) -> None:
    """The format's conformance cases: what lint finds, what the spine shows, which id comes next; every byte survives."""
    errors, warnings, infos = of(case.text)
    assert (sorted(errors), sorted(warnings)) == (sorted(case.errors), sorted(case.warnings))
    assert case.infos is None or infos == list(case.infos)
    assert case.spine is None or spine(case.text) == list(case.spine)
    assert not case.new_id or new_id("DEC", case.text) == case.new_id
    assert print_cells(parse_cells(case.text)) == case.text


def test_every_conformance_case_is_there() -> None:
    """None of the forty is left out."""
    assert {name[:3] for name in CASES} == {f"B{number:02d}" for number in range(1, 41)}


def test_numbers_of_other_prefixes_count_by_themselves() -> None:
    """A long number is followed as it is, zeros in front of it aside."""
    assert new_id("GOTCHA", CASES["B23"].text) == "GOTCHA-123457"


def test_the_age_is_told_in_days() -> None:
    """Decay says how long ago the cell was seen."""
    (problem, *_) = check_cells([parse_cells(CASES["B16b"].text, "a.mneme")], today=TODAY)
    assert (problem.line, problem.message) == (1, "'DEC-0001' was last seen to hold 46d ago")
    assert problem.hint == "mneme affirm DEC-0001"


def test_the_line_of_a_bad_byte_is_told() -> None:
    """Bytes that are not UTF-8 are reported where they are, and by value."""
    (problem, *_) = check_cells([parse_cells(CASES["B26"].text, "a.mneme")], today=TODAY)
    assert (problem.line, problem.message) == (2, "the byte 0xe9 is not UTF-8")


def test_warnings_come_in_the_order_of_the_published_tool() -> None:
    """First the superseded without a successor, then cell by cell decay and links; then what that tool does not know."""
    text = (
        f"@ DEC-0001\ngist one\n{S.replace('06-05', '06-04')}\nlink relates DEC-0100\nlink supersedes DEC-0003\n"
        f"@ DEC-0002 b\ngist two\n{S.replace('06-05', '06-04')}\nlink relates DEC-0101\n"
        f"@ DEC-0003 c\ngist three\n{S.replace('live', 'superseded')}\n"
    )
    _, warnings, _ = of(text)
    assert warnings == [
        "superseded-without-successor",
        "decayed",
        "dangling-link",
        "missing-inverse-link",
        "decayed",
        "dangling-link",
        "missing-topic",
    ]


def test_links_reach_into_other_files() -> None:
    """A link to a cell of another file is not dangling, and its missing half is seen there."""
    one, two = (
        parse_cells(A + "link supersedes DEC-0002\n", "a.mneme"),
        parse_cells(SECOND.replace("live", "superseded"), "b.mneme"),
    )
    alone = [each.rule for each in check_cells([one], today=TODAY)]
    both = [(each.path, each.rule) for each in check_cells([one, two], today=TODAY) if each.severity == WARN]
    assert "dangling-link" in alone
    assert both == [("b.mneme", "superseded-without-successor"), ("a.mneme", "missing-inverse-link")]


def test_an_id_is_unique_across_files() -> None:
    """The second cell with an id is the fault, and says where the first one is."""
    files = [parse_cells(A, "a.mneme"), parse_cells("\n" + A.replace("gist G", "gist other"), "b.mneme")]
    (problem,) = [each for each in check_cells(files, today=TODAY) if each.severity == ERROR]
    assert (problem.path, problem.line, problem.message) == ("b.mneme", 2, "id 'DEC-0001' is already used at a.mneme:1")
    assert problem.hint == "mneme new-id DEC b.mneme"


def test_a_conflict_names_the_winner() -> None:
    """Higher conf wins, then newer seen; the hint supersedes the loser."""
    one = A.replace("gist G", "gist Cache entries expire after 60 seconds")
    two = SECOND.replace("gist unrelated words here", "gist Cache entries expire after 90 seconds")
    by_conf = check_cells([parse_cells(one.replace("high", "low") + two)], today=TODAY)
    by_seen = check_cells([parse_cells(one.replace("06-05", "06-30") + two)], today=TODAY)
    conf, seen = (next(each for each in found if each.rule == "suspected-conflict") for found in (by_conf, by_seen))
    assert (
        conf.message
        == "'DEC-0002' and 'DEC-0001' seem to contradict each other (60 or 90); 'DEC-0002' would win by conf"
    )
    assert conf.hint == "mneme supersede DEC-0001 'what holds'"
    assert seen.message.endswith("'DEC-0001' would win by seen")


def test_linked_cells_are_no_twins() -> None:
    """Who linked two cells knows that they are alike."""
    one = A.replace("gist G", "gist Local cache uses SQLite")
    two = SECOND.replace("gist unrelated words here", "gist The local cache uses SQLite")
    assert "near-duplicate" in of(one + two)[1]
    assert "near-duplicate" not in of(one + "link refines DEC-0002\n" + two)[1]


def test_transitions_that_are_allowed() -> None:
    """A state is reached by any number of allowed steps; what is dead stays so."""
    assert can_become("proposed", "stale")
    assert can_become("stale", "live")
    assert not can_become("retired", "live")
    assert not can_become("superseded", "retired")
    assert not can_become("live", "proposed")


def test_a_renumbered_cell_has_not_vanished() -> None:
    """A cell that merge gave another id is known by its earlier one; one that moved to another file is there."""
    old = parse_cells(A, "a.mneme")
    renumbered = parse_cells(A.replace("DEC-0001", "DEC-0009") + "# was DEC-0001\n", "a.mneme")
    assert check_transitions(old, renumbered) == []
    assert [each.rule for each in check_transitions(old, parse_cells("", "a.mneme"))] == ["vanished-cell"]
    assert check_transitions(old, parse_cells("", "a.mneme"), elsewhere=["DEC-0001"]) == []


def mended(text: str) -> str:
    """Return a text with its fixes made, until there are none."""
    for _ in range(6):
        edits = fix_cells(parse_cells(text))
        if not edits:
            return text
        for start, end, new in reversed(edits):
            text = text[:start] + new + text[end:]
    pytest.fail("the fixes never end")


def test_fixing_mends_what_is_mechanical() -> None:
    """Headers, keys, dates and missing halves are mended; a byte order mark and every other byte are kept."""
    text = (
        "\ufeff@DEC-0001 a/b  \r\nGist  G\r\nstate: live conf: high\r\nsince 20260603 seen 2026/6/5\r\n> why \r\n"
        f"link supersedes DEC-0002\r\n\r\n  @ DEC-0002 a\r\ngist H\r\n{S.replace('live', 'superseded')}"
    )
    assert mended(text) == (
        "\ufeff@ DEC-0001 a/b  \r\ngist G\r\nstate live conf high\r\nsince 2026-06-03 seen 2026-06-05\r\n> why \r\n"
        f"link supersedes DEC-0002\r\n\r\n@ DEC-0002 a\r\ngist H\r\n{S.replace('live', 'superseded')}\r\nlink  superseded-by DEC-0001"
    )


PIECES = (
    "@ DEC-0001 a/b", "@DEC-0002 a", " @ DEC-0003 a/b", "@ DEC-0001", "@", "@ X y z", "gist one two three", "Gist: four", "gist five; six # x",
    S, "state: live", "state superseded", "since 20260101", "seen 2026-W01-1 conf low", "state retired conf high since 2026-01-01 seen 2020-01-01",
    "cue", "cue: a", "> password = Tr0ub4dor&3x", "> supersedes DEC-0001", "link supersedes DEC-0002", "link superseded-by DEC-0001",
    "link: relates DEC-0001", "link depends-on DEC-0003", "link x", "# was DEC-0002", "# retired 2026-01-01", "<<<<<<< a", "", "\udce9", "\ufeff",
)  # fmt: skip
soup = st.lists(
    st.tuples(st.sampled_from(PIECES), st.sampled_from(["\n", "\n", "\r\n", "\r"])).map("".join), max_size=24
).map("".join)
any_text = st.one_of(soup, soup.map(str.rstrip), st.text(max_size=40))


@settings(max_examples=200)
@given(any_text, any_text)
def test_checking_and_fixing_never_fail(one: str, two: str) -> None:
    """Any two texts can be checked; every problem has a line of its file and a message; fixes stay in the text."""
    files = [parse_cells(one, "a.mneme"), parse_cells(two, "b.mneme")]
    for problem in check_cells(files, today=TODAY):
        text = one if problem.path == "a.mneme" else two
        assert 0 <= problem.line <= len(text) + 1
        assert problem.message
    check_transitions(*files)
    for start, end, _ in fix_cells(files[0], files):
        assert 0 <= start <= end <= len(one)


@settings(max_examples=200)
@given(any_text)
def test_fixing_comes_to_an_end_and_keeps_content(text: str) -> None:
    """Fixes lead to a text that needs none, in a few rounds, and what any cell says is what it said."""
    before, after = immutable_parts(text), immutable_parts(mended(text))
    kept = {name: content for name, content in after.items() if name in before}
    assert all(before[name] == content for name, content in kept.items())
    assert not set(before) - set(after)


@given(st.lists(st.sampled_from(PIECES[:-2]), max_size=20), st.sampled_from(["", "\r"]))
def test_bulk_and_strict_reading_are_checked_alike(lines: list[str], carriage: str) -> None:
    """A file is checked alike however it was read: line feeds go through the bulk reader, CRLF through the strict one."""
    plain, crlf = ("\n".join(lines) + "\n", "\r\n".join(lines) + "\r\n")
    first = check_cells([parse_cells(plain, "a")], today=TODAY)
    second = check_cells([parse_cells(crlf if carriage else plain, "a")], today=TODAY)
    assert first == second


@pytest.mark.parametrize(
    "text",
    [
        "@ DEC-0001 a/b\n" * 3000,
        "@\n" * 20_000,
        "".join(
            f"@ DEC-{at:04d} a/b\ngist same words here\n{S}\nlink supersedes DEC-{at + 1:04d}\n" for at in range(1500)
        ),
        "".join(f"@ DEC-{at:04d} a/b\ngist w{at % 7} x{at % 11} y{at % 13} z{at % 17}\n{S}\n" for at in range(1500)),
        "@ DEC-0001 a/b\ngist " + "a. B c d " * 100_000 + f"\n{S}\n",
        "@ DEC-0001 a/b\ngist " + "缓存" * 200_000 + f"；\n{S}\n",
        "@ DEC-0001 a/b\n> " + "eyJ" * 300_000 + "\n",
        "@ DEC-0001 a/b\n> " + "sk-" * 300_000 + "\n",
        "@ DEC-0001 a/b\n> " + "token=" * 200_000 + "\n",
        "@ DEC-0001 a/b\n> " + "a://b:" * 200_000 + "@\n",
        "@ DEC-0001 a/b\n> " + "x" * 2_000_000 + "\n",
        "@ DEC-0001 a/b\n> " + "AKIA0" * 200_000 + "\n",
        "@ DEC-0001 a/b\n" + "link supersedes DEC-0002\n" * 50_000,
        f"@ DEC-0001 a/b\ngist G\n{S}\ncue c\n> b\n" + "link supersedes DEC-0002\n" * 30_000,
    ],
    ids=range(14),
)
def test_hostile_text_is_checked_in_time_that_grows_with_it(text: str) -> None:
    """What is long, repeated or tangled is checked, not choked on: a quadratic check would hang here."""
    assert check_cells([parse_cells(text)], today=TODAY)
