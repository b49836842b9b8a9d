"""The store that two programs share: read whatever is in it, write it back to the byte."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from mneme.consolidate.dream.entry import (
    Entries,
    Entry,
    Signal,
    hash_claim,
    hash_query,
    iso,
    parse_entries,
    parse_signals,
    print_entries,
    print_signals,
)
from mneme.consolidate.dream.memo import LogMark, Memo, parse_memo, print_memo
from mneme.consolidate.dream.record import MOST_ENTRIES, Seen, count_seen, only_staged, repaired, within_budget

NOW = datetime(2026, 4, 4, 10, tzinfo=UTC)
GOOD = {
    "key": "memory:memory/2026-04-01.md:1:1",
    "path": "memory/2026-04-01.md",
    "startLine": 1,
    "endLine": 1,
    "source": "memory",
    "snippet": "Gateway host uses qmd vector search for router notes.",
    "recallCount": 2,
    "totalScore": 1.8,
    "maxScore": 0.95,
    "firstRecalledAt": "2026-04-01T00:00:00.000Z",
    "lastRecalledAt": "2026-04-04T00:00:00.000Z",
    "queryHashes": ["a", "b"],
}


def store(**entries: object) -> bytes:
    """Return a store's file."""
    return (
        json.dumps({"version": 1, "updatedAt": "2026-04-04T00:00:00.000Z", "entries": entries}, indent=2) + "\n"
    ).encode()


def test_hashes() -> None:
    """Queries are compared without case and space, claims as they are said."""
    queries = ("router", " Glacier ", "backup policy", "__dreaming_daily__:2026-04-05")
    assert [hash_query(query) for query in queries] == ["77eb1db6cb81", "ede60422060d", "f31836f5a7ca", "5215110c3ca9"]
    assert hash_claim("Move backups  to S3 Glacier.") == "8acb9dcf6847"


def test_broken_entries_are_dropped_and_good_ones_mended() -> None:
    """One without lines or path goes; the other gets its tags and the day of its last recall."""
    read = parse_entries(store(good={**GOOD, "key": "good"}, bad={"path": "", "source": "memory"}), NOW)
    assert (list(read.by_key), read.dropped) == (["good"], 1)
    fixed = repaired(read, NOW).by_key["good"]
    assert fixed.days == ("2026-04-04",)
    assert "router" in fixed.tags


def test_lists_are_distinct() -> None:
    """Repeated hashes count once; tags that are empty are made anew."""
    doubled = {**GOOD, "queryHashes": ["abc", "abc", "def"], "recallDays": ["2026-04-01", "2026-04-01", "2026-04-03"]}
    fixed = repaired(parse_entries(store(k={**doubled, "conceptTags": []}), NOW), NOW).by_key[GOOD["key"] and "k"]
    assert fixed.queries == ("abc", "def")
    assert fixed.days == ("2026-04-01", "2026-04-03", "2026-04-04")
    assert {"router", "gateway"} <= set(fixed.tags)


@pytest.mark.parametrize(
    "content", [None, b"", b"  \n", b"{", b"[]", b"\xff\xfe", b'{"entries": 3}', b'{"entries": {"a": 1}}']
)
def test_no_content_makes_reading_fail(content: bytes | None) -> None:
    """An empty store is an empty store; a broken one says so."""
    read = parse_entries(content, NOW)
    assert read.by_key == {}
    assert bool(read.broken) == (content in (b"{", b"[]", b"\xff\xfe"))


def test_a_store_in_normal_form_stays_as_it_is() -> None:
    """Byte for byte, figures and foreign writing included."""
    entry = Entry(
        "k",
        "memory/2026-04-01.md",
        1,
        2,
        "备份 à Glacier",
        1,
        0,
        0,
        1.0,
        0.62,
        iso(NOW),
        iso(NOW),
        ("a",),
        ("2026-04-04",),
    )
    printed = print_entries(Entries({"k": entry}, iso(NOW)))
    assert print_entries(parse_entries(printed, NOW)) == printed
    assert b'"totalScore": 1,' in printed
    assert "备份".encode() in printed
    signals = {"k": Signal("k", 2, 1, iso(NOW), iso(NOW))}
    assert parse_signals(print_signals(signals, iso(NOW))) == signals


def test_dreaming_never_counts_its_own_words() -> None:
    """A snippet with a promotion's marker is not recorded, and one in the store is not read."""
    entries: dict[str, Entry] = {}
    tainted = "x <!-- openclaw-memory-promotion:k -->"
    count_seen(entries, "q", [Seen("memory/2026-04-01.md", 1, 1, tainted, 0.9)], now=NOW, day="2026-04-04")
    assert entries == {}
    assert parse_entries(store(k={**GOOD, "snippet": tainted}), NOW).by_key == {}


def test_what_was_recalled_outlives_what_was_seen() -> None:
    """A night's intake never pushes out what somebody asked for."""
    old = Entry("old", "memory/2026-01-01.md", 1, 1, "x", recalls=1, last_at="2026-01-01T00:00:00.000Z")
    new = {
        f"n{n}": Entry(f"n{n}", "memory/2026-04-01.md", n + 1, n + 1, "x", dailies=1, last_at=iso(NOW))
        for n in range(MOST_ENTRIES)
    }
    kept = within_budget({"old": old, **new})
    assert len(kept) == MOST_ENTRIES
    assert "old" in kept


def test_only_what_was_staged_alone_can_be_rolled_back() -> None:
    """One that was also recalled stays."""
    staged = Entry("k", "memory/2026-04-01.md", 1, 1, "x", grounded=2)
    assert only_staged(staged)
    assert not only_staged(Entry("k", "memory/2026-04-01.md", 1, 1, "x", recalls=1, grounded=2))


def test_the_memo_is_read_as_it_was_written() -> None:
    """Runs of days are kept as runs; anything broken is an empty memo."""
    memo = Memo(log=LogMark(7, "d", "2026-04-01T00:00:00+00:00"), read={"light": {"a": "b"}}).with_dreamt(
        ["2026-04-02", "2026-04-01", "2026-04-04"]
    )
    assert memo.dreamt == (("2026-04-01", "2026-04-02"), ("2026-04-04", "2026-04-04"))
    assert parse_memo(print_memo(memo)) == memo
    for broken in (b"{", b'{"log": 3, "read": [], "dreamt": ["x"], "active": {}}', None):
        assert parse_memo(broken) == Memo()
