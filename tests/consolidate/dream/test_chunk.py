"""Notes cut into chunks, and chunks found again in notes that have changed."""

from __future__ import annotations

from mneme.consolidate.dream.chunk import daily_chunks, note_chunks
from mneme.consolidate.dream.entry import Entry
from mneme.consolidate.dream.match import find_at, find_live, find_window

NOTE = "# 2026-04-05\n\n- Move backups to S3 Glacier.\n- Keep retention at 365 days.\n"


def entry(snippet: str, line: int = 1, end_line: int = 1) -> Entry:
    """Return an entry for a snippet."""
    return Entry("k", "memory/2026-04-05.md", line, end_line, snippet)


def test_a_list_is_one_chunk() -> None:
    """Items are joined; a date heading says nothing."""
    (chunk,) = daily_chunks(NOTE, 100)
    assert (chunk.line, chunk.end_line) == (3, 4)
    assert chunk.snippet == "Move backups to S3 Glacier.; Keep retention at 365 days."


def test_generic_headings_are_no_context() -> None:
    """A weekday with a date and a part of the day are passed over, a name is kept."""
    text = "## Friday, April 5, 2026\n- Fixed the router config.\n## Morning\n## Emma Rees\n- She prefers calls.\n"
    assert [chunk.snippet for chunk in daily_chunks(text, 100)] == [
        "Fixed the router config.",
        "Emma Rees: She prefers calls.",
    ]


def test_headings_and_stray_times() -> None:
    """Each heading begins a chunk; a line too short to say anything ends one."""
    text = "## Operations\n- Restarted the gateway.\n- Rotated the logs.\n## Bex\n- Likes green tea.\n- Works on Fridays.\n11:30\n## Travel\n- Flight to Lisbon.\n"
    snippets = [chunk.snippet for chunk in daily_chunks(text, 100)]
    assert [each.partition(":")[0] for each in snippets] == ["Operations", "Bex", "Travel"]


def test_what_dreaming_wrote_is_passed_over() -> None:
    """A block goes with its heading; one without its end stops at the next heading."""
    block = "## Light Sleep\n<!-- openclaw:dreaming:light:start -->\n- Candidate: x of some length\n"
    text = f"{block}\n## Ops\n- Rotate access keys.\n"
    assert [chunk.snippet for chunk in daily_chunks(text, 100)] == ["Ops: Rotate access keys."]
    assert [chunk.snippet for chunk in note_chunks(text)] == ["Rotate access keys."]
    whole = f"- Real note of the day.\n\n{block}<!-- openclaw:dreaming:light:end -->\n"
    assert [chunk.snippet for chunk in daily_chunks(whole, 100)] == ["Real note of the day."]


def test_an_entry_is_one_claim() -> None:
    """Each item stands for itself, under its headings; tables and code are left out."""
    text = "## Backups\n\n- Move them to Glacier.\n- Keep them for a year.\n\n```\ncode of some length\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    found = note_chunks(text, "memory/2026-04-05.md")
    assert [(chunk.line, chunk.snippet, chunk.context) for chunk in found] == [
        (3, "Move them to Glacier.", ("Backups",)),
        (4, "Keep them for a year.", ("Backups",)),
    ]


def test_a_snippet_that_moved_is_found() -> None:
    """From the first line to the third."""
    found = find_window(
        entry("Moved backups to S3 Glacier."), "A line above.\nAnd one more.\nMoved backups to S3 Glacier.\n"
    )
    assert found is not None
    assert (found.line, found.end_line) == (3, 3)


def test_the_nearest_of_two_is_meant() -> None:
    """Of two alike the nearer one, and then the one of like length."""
    rows = [f"Line {number} of something else." for number in range(1, 10)]
    rows[1] = rows[8] = "The router is in the attic."
    found = find_window(entry(rows[8], 8, 9), "\n".join(rows) + "\n")
    assert found is not None
    assert (found.line, found.end_line) == (9, 10)


def test_what_is_gone_is_not_found() -> None:
    """Neither by windows nor by entries."""
    assert find_window(entry("Moved backups to Glacier."), "Something else entirely.\n") is None
    assert find_live(entry("Moved backups to Glacier."), "- Something else entirely.\n") is None


def test_what_was_taken_in_can_be_found_again() -> None:
    """A chunk with its heading, of several items, is found in its note: nothing ranks for ever without being there."""
    (chunk,) = daily_chunks("## Ops\n- Rotate access keys.\n- Renew the certificate.\n", 10)
    assert find_window(entry(chunk.snippet, 2, 3), "## Ops\n- Rotate access keys.\n- Renew the certificate.\n") is None
    found = find_live(entry(chunk.snippet, 2, 3), "## Ops\n\n- Rotate access keys.\n- Renew the certificate.\n")
    assert found is not None
    assert found.line == 3


def test_a_record_is_found_by_its_hash_and_not_by_its_line() -> None:
    """A note that was edited since keeps what it says, somewhere else."""
    old = note_chunks("- The first thing.\n- The second thing.\n")
    from mneme.formats.entry import entry_hash

    text = "- Something new above.\n- The first thing.\n- The second thing.\n"
    by_hash = find_at(text, "", 1, entry_hash(old[0].written))
    by_line = find_at(text, "", 1, "")
    assert by_hash is not None
    assert by_line is not None
    assert (by_hash.snippet, by_line.snippet) == ("The first thing.", "Something new above.")
    assert find_at(text, "", 1, "00000000") is None
