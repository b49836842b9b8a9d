"""OpenClaw's way of counting on real files: what it takes in, what it promotes and writes, night by night."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.consolidate.dream.nights import Place

from mneme.consolidate.dream.diary import night_line
from mneme.consolidate.dream.entry import hash_query
from mneme.consolidate.dream.rules import Rules
from mneme.consolidate.dream.score import Gates

if TYPE_CHECKING:
    from pathlib import Path

STORE, EVENTS = "memory/.dreams/short-term-recall.json", "memory/.dreams/events.jsonl"
NOTE = "memory/2026-04-05.md"
TEXT = "# 2026-04-05\n\n- Move backups to S3 Glacier.\n- Keep retention at 365 days.\n"
NOON = datetime(2026, 4, 5, 12, tzinfo=UTC)
NEVER = "2026-04-05T10:00:00.000Z"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a workspace of the profile openclaw that counts as OpenClaw does, at its gates."""
    place = Place(tmp_path)
    place.write("mneme.toml", 'profile = "openclaw"\n[dream]\nscoring = "openclaw"\n[schedule]\ntimezone = "UTC"\n')
    return place


def stored(place: Place) -> dict[str, Any]:
    """Return the entries of the store as their file has them."""
    return json.loads(place.read(STORE))["entries"]


def entry(path: str, line: int, snippet: str) -> dict[str, Any]:
    """Return an entry that was recalled three times by three questions."""
    return {
        "key": f"memory:{path}:{line}:{line}",
        "path": path,
        "startLine": line,
        "endLine": line,
        "source": "memory",
        "snippet": snippet,
        "recallCount": 3,
        "dailyCount": 0,
        "groundedCount": 0,
        "totalScore": 2.85,
        "maxScore": 0.95,
        "firstRecalledAt": "2026-04-05T10:00:00.000Z",
        "lastRecalledAt": "2026-04-05T10:00:00.000Z",
        "queryHashes": ["a", "b", "c"],
        "recallDays": ["2026-04-03", "2026-04-04", "2026-04-05"],
        "conceptTags": ["glacier", "backups"],
    }


def keep(place: Place, *entries: dict[str, Any]) -> None:
    """Write the store."""
    tree = {"version": 1, "updatedAt": NEVER, "entries": {one["key"]: one for one in entries}}
    place.write(STORE, json.dumps(tree, indent=2) + "\n")


def open_gates(place: Place, more: str = "") -> None:
    """Let whatever was recalled three times pass."""
    place.write("mneme.toml", f'profile = "openclaw"\n[dream]\nscoring = "openclaw"\nmin_score = 0.1\n{more}\n')


def test_light_takes_in_one_chunk_however_often_it_runs(place: Place) -> None:
    """Two items of a list are one candidate; its report has one line for it, and the daily note is left alone."""
    place.write(NOTE, TEXT)
    for minute in range(3):
        place.dream(NOON + timedelta(minutes=minute), ["light"])
    (one,) = stored(place).values()
    assert one["key"] == f"memory:{NOTE}:3:4"
    assert one["snippet"] == "Move backups to S3 Glacier.; Keep retention at 365 days."
    assert (one["dailyCount"], one["recallCount"], one["totalScore"], one["maxScore"]) == (1, 0, 0.62, 0.62)
    assert one["queryHashes"] == [hash_query("__dreaming_daily__:2026-04-05")] == ["5215110c3ca9"]
    assert one["recallDays"] == ["2026-04-05"]
    report = place.read("memory/dreaming/light/2026-04-05.md")
    assert report.startswith("# Light Sleep\n\n- Candidate: Move backups")
    assert report.count("- Candidate:") == 1
    assert f"  - confidence: 0.62\n  - evidence: {NOTE}:3-4\n  - recalls: 0\n  - status: staged\n" in report
    assert place.read(NOTE) == TEXT


def test_a_day_later_the_same_note_counts_again_where_the_checkpoint_is_gone(place: Place) -> None:
    """Counted by the day on which it is taken in, not by the note's own."""
    place.write(NOTE, TEXT)
    place.dream(NOON, ["light"])
    (place.root / "memory/.dreams/daily-ingestion.json").unlink()
    place.dream(NOON + timedelta(hours=1), ["light"])
    assert [one["dailyCount"] for one in stored(place).values()] == [1]
    (place.root / "memory/.dreams/daily-ingestion.json").unlink()
    place.dream(NOON + timedelta(days=1), ["light"])
    (one,) = stored(place).values()
    assert (one["dailyCount"], one["recallDays"]) == (2, ["2026-04-05", "2026-04-06"])


def test_the_checkpoint_holds_the_notes_of_the_phase_that_ran_last(place: Place) -> None:
    """Three days of Light, eight of REM, by time and size."""
    for ago in (0, 2, 3, 7, 8):
        day = (NOON - timedelta(days=ago)).date()
        place.write(f"memory/{day}.md", f"# {day}\n\n- Something of day {ago} before today.\n")
    place.dream(NOON, ["light"])
    checkpoint = json.loads(place.read("memory/.dreams/daily-ingestion.json"))
    assert sorted(checkpoint["files"]) == ["memory/2026-04-03.md", "memory/2026-04-05.md"]
    assert set(checkpoint["files"]["memory/2026-04-05.md"]) == {"mtimeMs", "size"}
    place.dream(NOON, ["rem"])
    files = json.loads(place.read("memory/.dreams/daily-ingestion.json"))["files"]
    assert sorted(files) == [f"memory/{day}.md" for day in ("2026-03-29", "2026-04-02", "2026-04-03", "2026-04-05")]


def test_what_was_promoted_is_reconciled_where_the_store_forgot_it(place: Place) -> None:
    """Applied twice, it stands in MEMORY.md once, in the published form."""
    open_gates(place)
    place.write(NOTE, TEXT)
    keep(place, entry(NOTE, 3, "Move backups to S3 Glacier."))
    first = place.dream(NOON, ["deep"])
    assert first.report is not None
    assert first.report.decision is not None
    assert (len(first.report.decision.added), first.report.decision.reconciled) == (1, ())
    memory = place.read("MEMORY.md")
    assert memory.startswith("# Long-Term Memory\n")
    assert "## Promoted From Short-Term Memory (2026-04-05)\n" in memory
    key = f"memory:{NOTE}:3:3"
    assert f"<!-- openclaw-memory-promotion:{key} -->\n- - Move backups to S3 Glacier. [score=" in memory
    assert f" recalls=3 avg=0.950 source={NOTE}:3-3]" in memory
    forgotten = {name: value for name, value in stored(place)[key].items() if name != "promotedAt"}
    assert forgotten != stored(place)[key]
    keep(place, forgotten)
    again = place.dream(NOON + timedelta(minutes=1), ["deep"])
    assert again.report is not None
    assert again.report.decision is not None
    assert (again.report.decision.added, again.report.decision.reconciled) == ((), (key,))
    assert place.read("MEMORY.md") == memory
    assert stored(place)[key]["promotedAt"].startswith("2026-04-05")


@pytest.mark.parametrize(
    ("settings", "more", "missing"),
    [
        ("max_age_days = 7", {"lastRecalledAt": "2026-03-26T10:00:00.000Z"}, "days since the last recall"),
        ("", {"recallCount": 1, "totalScore": 0.95, "queryHashes": ["a"], "recallDays": ["2026-04-05"]}, "recalls 1"),
        ("", {"snippet": "Nobody wrote this into the note."}, "no longer in its note"),
        ("limit = 0", {}, "limit"),
    ],
)
def test_what_does_not_pass_leaves_no_memory_file(
    place: Place, settings: str, more: dict[str, object], missing: str
) -> None:
    """Too old, too seldom, gone from its note, or a limit of nothing: nothing is written, and the reason is told."""
    open_gates(place, settings)
    place.write(NOTE, TEXT)
    keep(place, entry(NOTE, 3, "Move backups to S3 Glacier.") | more)
    night = place.dream(NOON, ["deep"])
    assert place.read("MEMORY.md") == ""
    assert night.report is not None
    assert missing in night.report.skipped[0].reason


def test_what_moved_within_its_note_is_promoted_from_where_it_stands(place: Place) -> None:
    """The store learns its new lines."""
    open_gates(place)
    place.write(NOTE, "# 2026-04-05\nA line that came before.\nMove backups to S3 Glacier.\n")
    keep(place, entry(NOTE, 1, "Move backups to S3 Glacier."))
    place.dream(NOON, ["deep"])
    assert f"source={NOTE}:3-3]" in place.read("MEMORY.md")
    one = stored(place)[f"memory:{NOTE}:1:1"]
    assert (one["startLine"], one["endLine"]) == (3, 3)


def test_broken_entries_are_dropped_and_lists_put_in_order(place: Place) -> None:
    """Before Deep ranks: no path, no lines, another source; hashes and days once, tags anew."""
    place.write(NOTE, TEXT)
    lists = {"queryHashes": ["a", "a", "b"], "recallDays": [], "conceptTags": []}
    good = entry(NOTE, 3, "Move backups to S3 Glacier.") | lists
    bad = [
        entry("", 3, "x") | {"key": "b1"},
        entry(NOTE, 3, "x") | {"key": "b2", "startLine": 0},
        entry(NOTE, 3, "x") | {"key": "b3", "startLine": 1.5},
        entry(NOTE, 3, "x") | {"key": "b4", "source": "sessions"},
    ]
    keep(place, good, *bad)
    place.dream(NOON, ["deep"])
    (one,) = stored(place).values()
    assert one["queryHashes"] == ["a", "b"]
    assert one["recallDays"] == ["2026-04-05"]
    assert one["conceptTags"] == ["backup", "backups", "glacier"]


def test_each_phase_leaves_an_event(place: Place) -> None:
    """With its report, the lines in it, and how it is stored."""
    place.write(NOTE, TEXT)
    place.dream(NOON)
    events = [json.loads(row) for row in place.read(EVENTS).splitlines()]
    assert [event["phase"] for event in events] == ["light", "rem", "deep"]
    assert {event["type"] for event in events} == {"memory.dream.completed"}
    light = events[0]
    assert (light["storageMode"], light["lineCount"]) == ("separate", 5)
    assert light["reportPath"] == "memory/dreaming/light/2026-04-05.md"
    assert light["timestamp"] == "2026-04-05T12:00:00.000Z"


def test_signals_of_a_phase_count_each_night_and_go_with_their_entry(place: Place) -> None:
    """One a day; keys that the store does not know are purged."""
    place.write(NOTE, TEXT)
    unknown = {"key": "memory:x:1:1", "lightHits": 4, "remHits": 0, "lastLightAt": NEVER}
    tree = {"version": 1, "updatedAt": NEVER, "entries": {"memory:x:1:1": unknown}}
    place.write("memory/.dreams/phase-signals.json", json.dumps(tree))
    for day in range(2):
        place.dream(NOON + timedelta(days=day), ["light"])
    signals = json.loads(place.read("memory/.dreams/phase-signals.json"))["entries"]
    assert signals == {
        f"memory:{NOTE}:3:4": {
            "key": f"memory:{NOTE}:3:4",
            "lightHits": 2,
            "remHits": 0,
            "lastLightAt": "2026-04-06T12:00:00.000Z",
        }
    }


def test_the_diary_has_the_date_of_its_zone(place: Place) -> None:
    """An English long date, twelve hours and the zone's short name; appended before the last mark, below a title."""
    rules = Rules(Gates(), timezone="America/Los_Angeles")
    line = night_line(rules.local(datetime(2026, 4, 11, 21, 46, 55, tzinfo=UTC)))
    assert line == "*April 11, 2026 at 2:46 PM PDT*"
    place.write(NOTE, TEXT)
    place.write("dreams.md", "My own words.\n")
    place.dream(NOON, ["light"])
    diary = place.read("dreams.md")
    assert diary.startswith(
        "# Dream Diary\n\n<!-- openclaw:dreaming:diary:start -->\n\n---\n\n*April 5, 2026 at 12:00 PM UTC*\n\n"
    )
    assert diary.rstrip().endswith("My own words.")
    assert not (place.root / "DREAMS.md").exists()


def test_a_second_run_on_one_day_is_idle(place: Place) -> None:
    """The next day counts anew; a note that was edited counts the same day."""
    place.write(NOTE, TEXT)
    place.dream(NOON)
    before = place.files()
    assert place.dream(NOON + timedelta(hours=1)).status == "idle"
    assert place.files() == before
    place.write(NOTE, f"{TEXT}\n- Rotate the access keys in May.\n")
    assert place.dream(NOON + timedelta(hours=2)).status == "dreamt"
    assert place.dream(NOON + timedelta(days=1)).status == "dreamt"


def test_a_day_belongs_to_the_zone(place: Place) -> None:
    """Half past six in the morning, far in the east of the day before."""
    assert Rules(Gates(), timezone="America/Los_Angeles").day(datetime(2026, 4, 2, 6, 30, tzinfo=UTC)) == "2026-04-01"
    assert Rules(Gates(), timezone="No/Such").day(datetime(2026, 4, 2, 6, 30, tzinfo=UTC)) == "2026-04-02"
    place.write(NOTE, TEXT)
