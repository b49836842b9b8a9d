"""The cell format: every byte survives, every reader agrees, every edit touches only what it names."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mneme.formats import cell as shape
from mneme.formats import cell_edit, spine
from mneme.formats.cell import Cell, CellFile, parse_cells
from mneme.formats.columns import FIELD_NAMES, read_columns
from mneme.formats.record import Link

STATUS = "state live conf high since 2026-06-03 seen 2026-06-05"
PAIR = f"""@ DEC-0042  storage/cache
gist  Local cache uses SQLite, not JSON
{STATUS}
cue   cache / database
> JSON lost writes
>
>   when two agents wrote
link  supersedes DEC-0031

@ DEC-0031  storage/cache
gist  Local cache uses JSON
state superseded   conf high   since 2026-01-03   seen 2026-06-05
cue   cache
> simple to read
link  superseded-by DEC-0042
"""

LINES = (
    "@ DEC-0042  storage/cache",
    "@ DEC-0042 storage/cache",
    "@ FACT-0007  a",
    "@DEC-0001 a/b",
    "@",
    "@ ",
    "  @ DEC-0002 b",
    "@ dec-9 a//b # note",
    "@ DEC-0042  storage/cache trailing",
    "@\tDEC-0043\tx/y",
    "gist  Local cache uses SQLite",
    "gist Local cache",
    "gist",
    "gist   trailing space ",
    "  gist  indented",
    "gist  with # comment",
    "gist  C# is used",
    "gist\u3000\u7f13\u5b58\u7528 SQLite",
    "gist  one\u2028line",
    "Gist: bent",
    "gist: bent",
    "state: live",
    "link: supersedes DEC-0042",
    "state live   conf high   since 2026-06-03   seen 2026-06-05",
    "state live",
    "conf low seen 2026-06-05",
    "state live conf",
    "state live gist hello",
    "state LIVE conf hi",
    "state stale   conf med   since 2026-02-30   seen 2026-06-05",
    "since 20260603",
    "state live   conf high   since 2026-06-03   seen 2026-06-05 ",
    "State of the art",
    "state superseded",
    "cue   cache / database",
    "cue",
    "cue  a # b",
    "> why",
    ">why",
    ">",
    "  > indented",
    "> supersedes DEC-0042",
    ">  state retired",
    "link  supersedes DEC-0031",
    "link  likes DEC-0031",
    "link  supersedes",
    "link  relates DEC-0031 # why",
    "link supersedes DEC-0042",
    "# comment",
    "# retired 2026-06-05",
    "# was DEC-0001",
    "# audience: shared",
    "an unknown line: the state retired was",
    "",
    " ",
    "<<<<<<< ours",
    "=======",
    ">>>>>>> theirs",
    "\ufeff",
    "caf\udce9",
    "\x0b",
    "\x1c",
    "\u2028",
    "\x85",
    "\x00",
)
BREAKS = ("\n", "\n", "\n", "\n", "\r\n", "\r")
CANONICAL = st.tuples(
    st.integers(0, 99999),
    st.sampled_from(["live", "stale", "superseded"]),
    st.integers(1, 31),
    st.integers(0, 2),
    st.integers(0, 2),
).map(
    lambda made: (
        f"@ DEC-{made[0]:04d}  a/b\ngist  Fact number {made[0]}\nstate {made[1]}   conf high   "
        f"since 2026-02-{made[2]:02d}   seen 2026-06-05\ncue   a / b\n"
        + "> why\n" * made[3]
        + "link  relates DEC-0001\n" * made[4]
        + "\n"
    )
)
line_soup = st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(BREAKS)).map("".join), max_size=30).map("".join)
feed_soup = st.lists(st.one_of(CANONICAL, st.sampled_from(LINES).map(lambda line: line + "\n")), max_size=12).map(
    "".join
)
any_text = st.one_of(
    line_soup,
    feed_soup,
    st.builds(lambda text, end: text.removesuffix("\n") + end, feed_soup, st.sampled_from(["", "\n", "x", "\n\n"])),
    st.text(st.characters(), max_size=60),
    st.builds("\ufeff".__add__, feed_soup),
)


def applied(text: str, edits: list[tuple[int, int, str]]) -> str:
    """Return a text with span edits made, last one first."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def lifeless(cell: Cell) -> tuple[object, ...]:
    """Return what no change of status may touch."""
    return cell.id, cell.topic, spine.content_of(cell), cell.since, cell.was, cell.audience


@given(any_text)
def test_printing_gives_back_the_text(text: str) -> None:
    """Parsing then printing is the identity for any text whatever."""
    assert shape.print_cells(parse_cells(text)) == text


@given(any_text)
def test_the_parts_of_a_file_are_all_of_it(text: str) -> None:
    """The preamble, the cells and what lies between them cover the text once, in order."""
    file = parse_cells(text)
    at = len(file.preamble)
    for cell in file.cells:
        assert at <= cell.start < cell.end <= len(text)
        assert text[cell.start] == "@"
        assert cell.start < cell.tail <= cell.end
        at = cell.end
    assert not file.cells or file.cells[0].start == len(file.preamble)


@settings(max_examples=400)
@given(any_text)
def test_bulk_and_strict_readers_agree(text: str) -> None:
    """The reader for long files says what the strict one says: fields, links, places and faults, for any text."""
    columns, file = read_columns(text), parse_cells(text)
    for name, column in zip(FIELD_NAMES, columns.fields(), strict=True):
        assert list(column) == [getattr(cell, name) for cell in file.cells], name
    assert columns.links == [
        (at, link.relation, link.target, number)
        for at, cell in enumerate(file.cells)
        for number, link in enumerate(cell.links)
    ]
    assert tuple(columns.faults) == file.faults
    assert [columns.cell(at) for at in range(len(columns))] == list(file.cells)
    assert [columns.line(at) for at in range(len(columns))] == [cell.line for cell in file.cells]


@given(any_text)
def test_faults_point_at_lines_that_exist(text: str) -> None:
    """A fault names a line of the text, and its fixes lie within it."""
    lines = shape.count_lines(text) + 1
    for fault in parse_cells(text).faults:
        assert 1 <= fault.line <= lines
        assert all(0 <= start <= end <= len(text) for start, end, _ in fault.fixes)


def test_bulk_reader_takes_canonical_cells() -> None:
    """Cells as the format writes them never need the strict reader."""
    columns = read_columns(PAIR)
    assert columns.strict == {}
    assert list(columns.ids) == ["DEC-0042", "DEC-0031"]
    assert columns.links == [(0, "supersedes", "DEC-0031", 0), (1, "superseded-by", "DEC-0042", 0)]
    assert [columns.line(0), columns.line(1)] == [1, 10]


def test_every_field_is_read() -> None:
    """A cell with everything in it gives every field, line and note."""
    text = PAIR.replace(
        "link  superseded-by DEC-0042",
        "link  superseded-by DEC-0042\n# retired 2026-06-06\n# was DEC-0009\n# audience: shared",
    )
    first, second = parse_cells(text, "a.mneme").cells
    assert (first.id, first.topic, first.gist) == ("DEC-0042", "storage/cache", "Local cache uses SQLite, not JSON")
    assert (first.state, first.conf, first.since, first.seen) == ("live", "high", "2026-06-03", "2026-06-05")
    assert first.cue == "cache / database"
    assert first.body == ("JSON lost writes", "", "  when two agents wrote")
    assert first.links == (Link("supersedes", "DEC-0031", 8),)
    assert (first.line, first.end_line, first.start, first.end) == (1, 8, 0, text.index("@ DEC-0031"))
    assert (second.retired, second.was, second.audience) == ("2026-06-06", ("DEC-0009",), "shared")
    assert (first.retired, first.was, first.audience) == ("", (), "")
    assert parse_cells(text).faults == ()


STATES = st.sampled_from([None, "live", "stale", "superseded", "retired"])


@settings(max_examples=300)
@given(any_text, st.data())
def test_an_edit_of_the_status_touches_only_the_status(text: str, data: st.DataObject) -> None:
    """Setting state, conf and seen sets them, and leaves every other field of every cell and every other line alone."""
    file = parse_cells(text)
    if not file.cells:
        return
    at = data.draw(st.integers(0, len(file.cells) - 1))
    wanted = {
        "state": data.draw(STATES),
        "conf": data.draw(st.sampled_from([None, "high", "low"])),
        "seen": data.draw(st.sampled_from([None, "2026-07-01"])),
    }
    edits = cell_edit.edit_status(file, file.cells[at], **wanted)
    after = parse_cells(applied(text, edits))
    assert len(after.cells) == len(file.cells)
    for number, (old, new) in enumerate(zip(file.cells, after.cells, strict=True)):
        assert lifeless(old) == lifeless(new)
        for key in ("state", "conf", "seen"):
            expected = wanted[key] if number == at and wanted[key] is not None else getattr(old, key)
            assert getattr(new, key) == expected
    untouched = [line for line in text.splitlines() if not any(key in line.lower() for key in shape.STATUS_KEYS)]
    remaining = iter(after.text.splitlines())
    assert all(line in remaining for line in untouched)


@settings(max_examples=300)
@given(any_text, st.data())
def test_an_added_line_joins_its_cell(text: str, data: st.DataObject) -> None:
    """A link added to a cell is that cell's last link, and every other cell stays as it is."""
    file = parse_cells(text)
    if not file.cells:
        return
    at = data.draw(st.integers(0, len(file.cells) - 1))
    edits = cell_edit.edit_add_line(file, file.cells[at], cell_edit.link_line("relates", "DEC-0777"))
    after = parse_cells(applied(text, edits))
    for number, (old, new) in enumerate(zip(file.cells, after.cells, strict=True)):
        added = [("relates", "DEC-0777")] if number == at else []
        links = [(link.relation, link.target) for link in old.links] + added
        assert sorted((link.relation, link.target) for link in new.links) == sorted(links)
        assert lifeless(old) == lifeless(new)


@settings(max_examples=300)
@given(any_text, st.integers(1, 4096))
def test_appending_keeps_every_byte(text: str, size: int) -> None:
    """A block appended after any text is a cell of its own; the text before it is a prefix of the result."""
    block = cell_edit.print_cell(
        Cell("DEC-0777", "a/b", "New", "live", "high", "2026-07-01", "2026-07-01", "x", ("why",))
    )
    tail = text[-size:] if "\n" in text[-size:] or "\r" in text[-size:] else text
    result = text + cell_edit.appended(tail, block)
    before, after = parse_cells(text), parse_cells(result)
    assert result.startswith(text)
    assert [lifeless(cell) for cell in after.cells[:-1]] == [lifeless(cell) for cell in before.cells]
    last = after.cells[-1]
    assert (last.id, last.gist, last.body, last.state) == ("DEC-0777", "New", ("why",), "live")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "@ X\n"),
        ("\ufeff", "@ X\n"),
        ("> why\n", "\n@ X\n"),
        ("> why\n\n", "@ X\n"),
        ("> why", "\n\n@ X\n"),
        ("> why\r\n", "\r\n@ X\r\n"),
        ("> a\r\n> why", "\r\n\r\n@ X\r\n"),
        ("> why\r", "\r@ X\r"),
        ("> why\n  \n", "@ X\n"),
    ],
)
def test_appending_follows_the_file(text: str, expected: str) -> None:
    """A missing final newline is added, one blank line parts the cells, and the file's line breaks are used."""
    assert cell_edit.appended(text, "@ X\n") == expected


words = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1, max_size=20)


@given(words, words, st.lists(words, max_size=3))
def test_a_printed_cell_reads_back(gist: str, cue: str, body: list[str]) -> None:
    """What a new cell says comes back as it was given, spaces at the ends aside."""
    made = Cell(
        "DEC-0042",
        "a/b",
        gist,
        "live",
        "low",
        "2026-06-03",
        "2026-06-05",
        cue,
        tuple(body),
        (Link("relates", "DEC-0001"),),
        retired="2026-07-01",
        was=("DEC-0007",),
        audience="shared",
    )
    (cell,) = parse_cells(cell_edit.print_cell(made)).cells
    assert (cell.id, cell.topic, cell.gist, cell.cue) == ("DEC-0042", "a/b", gist.strip(), cue.strip())
    assert (cell.state, cell.conf, cell.since, cell.seen) == ("live", "low", "2026-06-03", "2026-06-05")
    assert (cell.body, cell.retired, cell.was, cell.audience) == (tuple(body), "2026-07-01", ("DEC-0007",), "shared")


def test_content_by_id_tells_twins_apart() -> None:
    """The second cell with one id has a name of its own, so that a change to either shows."""
    parts = spine.immutable_parts(PAIR + "\n" + PAIR)
    assert list(parts) == ["DEC-0042", "DEC-0031", "DEC-0042 (2)", "DEC-0031 (2)"]
    assert parts["DEC-0031"] == ("Local cache uses JSON", ("simple to read",), "cache")


def test_a_record_carries_what_the_contract_says() -> None:
    """A cell as a record has its kind by prefix, its gist and body as text, and its place."""
    record = spine.cell_record(parse_cells(PAIR).cells[1], "memory/a.mneme")
    assert (record.id, record.kind, record.path, record.line) == ("DEC-0031", "decision", "memory/a.mneme", 10)
    assert record.text == "Local cache uses JSON\nsimple to read"
    assert [spine.kind_of(name) for name in ("OKR-0001", "LAW-0001", "A-B-1", "x")] == ["goal", "law", "a-b", ""]


def spine_on(day: str) -> list[str]:
    """Return the ids believed on a day, with their states."""
    text = PAIR + (
        "\n@ FACT-0001  a\ngist  A\nstate retired conf med since 2026-01-01 seen 2026-02-01\n# retired 2026-03-01\n"
        "\n@ FACT-0002  a\ngist  B\nstate retired conf med since 2026-01-01 seen 2026-02-01\n"
        "\n@ FACT-0003  a\ngist  C\nstate proposed conf med since 2026-01-01 seen 2026-02-01\n"
        "\n@ FACT-0004  a\ngist  D\nstate stale conf med since 2026-01-01 seen 2026-02-01\n"
    )
    return [f"{cell.id} {cell.state}" for cell in spine.spine_as_of(parse_cells(text).cells, day)]


def test_the_spine_as_of_a_day() -> None:
    """A cell holds from its since until its successor's, or until it was retired; a proposed one never."""
    assert spine_on("2025-12-31") == []
    assert spine_on("2026-01-02") == ["FACT-0001 live", "FACT-0002 live", "FACT-0004 live"]
    assert spine_on("2026-02-02") == ["DEC-0031 live", "FACT-0001 live", "FACT-0004 stale"]
    assert spine_on("2026-03-01") == ["DEC-0031 live", "FACT-0004 stale"]
    assert spine_on("2026-06-03") == ["DEC-0042 live", "FACT-0004 stale"]


@given(any_text)
def test_the_spine_of_a_file_is_the_spine_of_its_cells(text: str) -> None:
    """The bulk spine prints what the cells one by one would print."""
    file = parse_cells(text)
    expected = [spine.spine_line(cell) for cell in file.cells if cell.state in {"live", "stale"}]
    assert spine.spine_lines(file) == expected


def test_numbers_count_only_what_is_an_id() -> None:
    """The next id follows the highest whole number of that very prefix; huge numbers do not break it."""
    ids = ["DEC-3", "DEC-10000", "DEC-0042-x", "dec-0099", "SUBDEC-0500", "DEC-\u0664\u0662", "DEC-" + "9" * 5000]
    assert cell_edit.next_id("DEC", ids) == "DEC-10001"
    assert cell_edit.next_id("GOTCHA", ["GOTCHA-000123456"]) == "GOTCHA-123457"
    assert cell_edit.next_id("DEC", []) == "DEC-0001"


@pytest.mark.parametrize(
    "text",
    [
        "@\n" * 50_000,
        "@ DEC-0001 a\n" * 20_000,
        "@ DEC-0001 a\n> " + "x" * 3_000_000,
        "@ DEC-0001 a\n" + "> x\n" * 200_000,
        "  @ DEC-0001 a\n" * 50_000,
        "@ DEC-0001 a\n" + "state " * 200_000,
        " " * 1_000_000 + "@",
        "@ DEC-0001" + " a" * 300_000,
        "gist: " * 200_000,
        "@ A a\n" + "\r" * 300_000,
        "@ A a\ngist  " + " # " * 200_000,
        "@ DEC-0001  " + "a/" * 300_000,
        "@ DEC-0001 a\nstate: " + "conf: " * 100_000,
        "@ A a\n" + "\t" * 300_000 + "@",
    ],
    ids=range(14),
)
def test_hostile_text_is_read_in_time_that_grows_with_it(text: str) -> None:
    """Long lines, many headers and endless blanks are read, not choked on: a quadratic reader would hang here."""
    file = parse_cells(text)
    assert len(file.columns) == len(file.cells)
    assert isinstance(file, CellFile)


@pytest.mark.parametrize(
    "text", ["2026-01-\t5", "2026-01-+5", "2_26-01-05", " 026-01-05", "2026-01-5 ", "\u0662026-01-05"]
)
def test_a_date_is_digits(text: str) -> None:
    """What a lenient reader of numbers would take is no date, for a check as for the format."""
    assert not shape.is_date(text)
