"""Whole nights on real files: what is kept, what is not, and that a night is one change that can be taken back."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from tests.consolidate.dream.nights import FIRST, Place, after

from mneme import files
from mneme.errors import RefusedError

if TYPE_CHECKING:
    from pathlib import Path

NOTE = "memory/2026-04-01.md"
STORE = "memory/.dreams/short-term-recall.json"
TEXT = """# 2026-04-01

## Backups

- Move backups to S3 Glacier from tomorrow on.
- Keep the retention of all backups at 365 days.
- [ ] call Bob about the invoice of March
- Let me have a look at the router first
- thanks, sounds good
- Should the gateway really stay on port 18789?
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a workspace with one day's note, every line of which was asked for by three questions."""
    place = Place(tmp_path)
    place.write("MEMORY.md", "# Memory\n\n- The team is in Lisbon.\n")
    place.write(NOTE, TEXT)
    for line in range(5, 11):
        place.ask_thrice(NOTE, line)
    return place


def promoted(place: Place) -> list[str]:
    """Return the lines of MEMORY.md that were promoted."""
    return [row for row in place.read("MEMORY.md").splitlines() if "openclaw-memory-promotion:" in row]


def test_a_promotion_is_a_sentence_with_its_day_and_source(place: Place) -> None:
    """Dates are written out, the marker names the key, and a person's text stays as it is."""
    night = place.dream(after(3))
    assert night.status == "dreamt"
    first = next(row for row in promoted(place) if "Glacier" in row)
    assert first.startswith("- Move backups to S3 Glacier from 2026-04-02 on. (2026-04-01, memory/2026-04-01.md#")
    assert first.endswith("<!-- openclaw-memory-promotion:memory:memory/2026-04-01.md:5:5 -->")
    assert place.read("MEMORY.md").startswith("# Memory\n\n- The team is in Lisbon.\n")
    assert place.read(NOTE) == TEXT


def test_words_that_only_say_remember_this_are_left_out(tmp_path: Path) -> None:
    """A promotion says what is to be remembered, not that it is."""
    place = Place(tmp_path)
    place.write(
        NOTE, "# 2026-04-01\n\n- Reminder: backups of the router go to Glacier.\n- 提醒：备份保留三百六十五天。\n"
    )
    for line in (3, 4):
        place.ask_thrice(NOTE, line)
    place.dream(after(3))
    assert [row.split(" (")[0] for row in promoted(place)] == [
        "- Backups of the router go to Glacier.",
        "- 备份保留三百六十五天。",
    ]


def test_asked_often_is_not_enough(place: Place) -> None:
    """Tasks, talk, chatter and questions wait, each with its reason."""
    night = place.dream(after(3))
    assert night.report is not None
    reasons = {each.text[:8]: each.reason for each in night.report.skipped}
    assert reasons == {
        "call Bob": "it is a task",
        "Let me h": "it is a turn of a conversation",
        "thanks, ": "it is chatter",
        "Should t": "it is a question",
    }
    assert len(promoted(place)) == 2


def test_no_secret_is_told(place: Place) -> None:
    """Not even where the night is forced although the check has found it."""
    place.write(
        NOTE,
        TEXT.replace("- Let me have a look at the router first", "- The password is hunter2hunter2! for the router"),
    )
    place.ask_thrice(NOTE, 8)
    with pytest.raises(RefusedError, match="integrity check failed"):
        place.dream(after(3))
    night = place.dream(after(3), force=True)
    assert night.report is not None
    assert "it holds a secret" in {each.reason for each in night.report.skipped}
    assert all("hunter2" not in place.read(path) for path in ("MEMORY.md", "DREAMS.md"))


def test_the_same_night_twice_changes_nothing(place: Place) -> None:
    """And neither does the next one, nor a thousand (in full), when nothing is new."""
    place.dream(after(3))
    before, plans = place.files(), len(place.open(after(3)).log())
    for night in range(1000 if os.environ.get("MNEME_CAMPAIGN") else 60):
        assert place.dream(after(3 + night)).status == "idle"
    assert place.files() == before
    assert len(place.open(after(3)).log()) == plans


def test_a_night_is_taken_back_whole(place: Place) -> None:
    """State, diary and MEMORY.md are as they were."""
    before = place.files()
    place.dream(after(3))
    assert place.files() != before
    place.open(after(3)).undo()
    assert place.files() == before


def test_a_dry_run_shows_and_writes_nothing(place: Place) -> None:
    """The diff is what the night would do."""
    before = place.files()
    night = place.dream(after(3), dry_run=True)
    assert night.done is not None
    assert "+- Move backups to S3 Glacier" in night.done.diff
    assert place.files() == before


@pytest.mark.parametrize("origin", ["upkeep", "injected"])
def test_looking_is_not_asking(tmp_path: Path, origin: str) -> None:
    """Upkeep counts nothing; an injection counts once a session, and as no question."""
    place = Place(tmp_path)
    place.write(NOTE, TEXT)
    for number in range(9):
        place.ask(NOTE, 5, after(number / 10), f"question {number}", origin=origin, session=f"s{number // 3}")
    place.dream(after(2))
    assert promoted(place) == []
    entry = json.loads(place.read(STORE))["entries"]["memory:memory/2026-04-01.md:5:5"]
    assert (entry["recallCount"], entry["queryHashes"]) == ((3, []) if origin == "injected" else (0, []))


@pytest.mark.parametrize(("score", "recalls"), [(0.25, 3), (0.15, 0)])
def test_a_faint_hit_counts_only_if_it_was_likely_meant(tmp_path: Path, score: float, recalls: int) -> None:
    """One chance in five will do, because several questions have to mean the same thing anyway."""
    place = Place(tmp_path)
    place.write(NOTE, TEXT)
    for number in range(3):
        place.ask(NOTE, 5, after(number / 10), f"question {number}", score=score)
    place.dream(after(2))
    entry = json.loads(place.read(STORE))["entries"]["memory:memory/2026-04-01.md:5:5"]
    assert entry["recallCount"] == recalls


def test_what_is_gone_from_its_note_is_not_promoted(place: Place) -> None:
    """And what was only moved is found where it stands."""
    place.dream(after(3), ["light"])
    place.write(
        NOTE, "# 2026-04-01\n\nA new first line of the note.\n\n- Keep the retention of all backups at 365 days.\n"
    )
    night = place.dream(after(3))
    assert [row.split(" (")[0] for row in promoted(place)] == ["- Keep the retention of all backups at 365 days."]
    assert night.report is not None
    assert any(each.reason == "it is no longer in its note" for each in night.report.skipped)


def test_what_memory_says_already_is_not_said_twice(place: Place) -> None:
    """In a person's own words, in other letters, or promoted from another note."""
    place.write("MEMORY.md", "# Memory\n\n- Keep retention of all backups at 365 days\n")
    night = place.dream(after(3))
    assert night.report is not None
    assert ("MEMORY.md says so already") in {each.reason for each in night.report.skipped}
    assert len(promoted(place)) == 1


def test_what_was_noted_later_takes_the_place(place: Place) -> None:
    """The old sentence goes to the archive, the new one stands where it stood: nothing stale is told as current."""
    place.dream(after(3))
    place.write("memory/2026-04-06.md", "# 2026-04-06\n\n- Keep the retention of all backups at 90 days.\n")
    place.dream(after(5))
    rows = promoted(place)
    assert any("at 90 days. (2026-04-06" in row for row in rows)
    old = next((row for row in rows if "at 365 days" in row), "")
    assert "superseded by memory/2026-04-06.md#" in old, "two promotions: a quarter of them is none, so it is marked"


@pytest.mark.parametrize("many", [1, 2, 3])
def test_of_a_few_one_leaves_after_a_while(tmp_path: Path, many: int) -> None:
    """A quarter of three is none; what is superseded goes once it has waited so long that the share holds on average."""
    place = Place(tmp_path)
    names = ("gateway", "printer", "scanner")[:many]
    rows = [f"- The {name} is switched off at {number} o'clock each evening." for number, name in enumerate(names, 12)]
    place.write(NOTE, "# 2026-04-01\n\n" + "\n".join(rows) + "\n")
    for line in range(3, 3 + many):
        place.ask_thrice(NOTE, line)
    place.dream(after(3))
    later = "- The gateway is switched off at 23 o'clock each evening."
    place.write("memory/2026-04-05.md", f"# 2026-04-05\n\n{later}\n")
    left = {}
    for day in range(4, 12):
        note = f"memory/{after(day).date()}.md"
        place.write(note, place.read(note) + f"- Walked around the lake, lap {day} of the year.\n")
        stood = len(promoted(place))
        place.dream(after(day))
        left[day] = stood - len(promoted(place))
    gone = [day for day, count in left.items() if count > 0]
    assert gone == [{1: 6, 2: 6, 3: 5}[many]], "with its heir it is one of two, three, four"
    assert "at 12 o'clock" in place.read("memory/archive/2026/04/promoted.md")


def test_only_so_much_leaves_in_a_night(tmp_path: Path) -> None:
    """At most a quarter of what stood; what leaves is found in the archive."""
    place = Place(tmp_path)
    subjects = ("gateway", "printer", "scanner", "heating", "coffee machine", "garden pump", "projector", "alarm clock")
    rows = [
        f"- The {name} is switched off at {number} o'clock each evening." for number, name in enumerate(subjects, 12)
    ]
    place.write(NOTE, "# 2026-04-01\n\n" + "\n".join(rows) + "\n")
    for line in range(3, 3 + len(rows)):
        place.ask_thrice(NOTE, line)
    place.dream(after(3))
    assert len(promoted(place)) == len(rows)
    later = [row.replace("o'clock", "thirty o'clock").replace("12", "1").replace(" at 1", " at 2") for row in rows]
    place.write("memory/2026-04-05.md", "# 2026-04-05\n\n" + "\n".join(later) + "\n")
    place.dream(after(5))
    gone = place.read("memory/archive/2026/04/promoted.md").count("\n- ")
    assert 0 < gone <= len(rows) // 4


def test_memory_stays_within_its_budget(tmp_path: Path) -> None:
    """Sixty lines, whatever is asked for; what finds no room says so."""
    place = Place(tmp_path)
    place.write(
        "MEMORY.md", "# Memory\n" + "\n".join(f"- Fact {n} about subject {n * 7} stands here" for n in range(54)) + "\n"
    )
    words = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven")
    rows = [
        f"- The {one} server is patched by team {two} on its own day."
        for one, two in zip(words, reversed(words), strict=True)
    ]
    place.write(NOTE, "# 2026-04-01\n\n" + "\n".join(rows) + "\n")
    for line in range(3, 11):
        place.ask_thrice(NOTE, line)
    night = place.dream(after(3))
    assert place.read("MEMORY.md").count("\n") <= 60
    assert night.report is not None
    assert "MEMORY.md has no room for it" in {each.reason for each in night.report.skipped}


def test_what_nobody_needs_grows_stale_and_goes(place: Place) -> None:
    """Counted in days on which something happened; first it is marked, later it leaves, and it is never gone."""
    place.write("mneme.toml", "[dream]\nstale_days = 5\narchive_days = 5\n")
    place.dream(after(3))
    for day in range(4, 18):
        at = after(day)
        place.write(f"memory/{at.date()}.md", f"# {at.date()}\n\n- Walked around the lake, lap {day} of the year.\n")
        place.dream(at)
        if day == 10:
            assert all("; stale since 2026-04-" in row for row in promoted(place))
    place.write("MEMORY.md", place.read("MEMORY.md"))
    archived = place.read("memory/archive/2026/04/promoted.md")
    assert len(promoted(place)) + archived.count("\n- ") == 2


def test_what_was_affirmed_is_not_stale(place: Place) -> None:
    """A promotion is a record like any other: one says that it holds, and it stays as it is; the other grows pale."""
    place.write("mneme.toml", "[dream]\nstale_days = 5\n")
    place.dream(after(3))
    (line,) = [at for at, row in enumerate(place.read("MEMORY.md").splitlines(), 1) if "Glacier" in row]
    place.open(after(8)).affirm(place.id_of("MEMORY.md", line))
    for day in range(4, 10):
        at = after(day)
        place.write(f"memory/{at.date()}.md", f"# {at.date()}\n\n- Walked around the lake, lap {day} of the year.\n")
        place.dream(at)
    glacier, other = sorted(promoted(place), key=lambda row: "Glacier" not in row)
    assert glacier.endswith(":5:5 --> <!-- mneme: seen 2026-04-09 -->")
    assert "stale since" in other
    states = {hit.state: hit.since for hit in place.open(at).list() if hit.path == "MEMORY.md" and hit.since}
    assert states == {"live": "2026-04-01", "stale": "2026-04-01"}


def test_what_memory_told_is_not_learnt_again(place: Place) -> None:
    """Taken down as it was told, in a sentence or in its block, and asked for by three questions: it stays one memory."""
    place.dream(after(3))
    told = next(row for row in promoted(place) if "Glacier" in row).removeprefix("- ")
    said = told.split(" <!--")[0]
    rows = (told, f"Recalled from memory: {said}", f"<active_memory_plugin> {said} </active_memory_plugin>")
    place.write("memory/2026-04-05.md", "# 2026-04-05\n\n" + "".join(f"- {row}\n" for row in rows))
    for line in range(3, 6):
        place.ask_thrice("memory/2026-04-05.md", line, after(4))
    before = promoted(place)
    place.dream(after(7))
    assert promoted(place) == before
    assert "Recalled from memory" not in place.read("DREAMS.md") + place.read(STORE)


def test_a_sleeping_workspace_does_not_grow_old(place: Place) -> None:
    """A year of nothing makes nothing stale."""
    place.dream(after(3))
    before = place.read("MEMORY.md")
    place.write("memory/2027-05-01.md", "# 2027-05-01\n\n- Back at work after a long year away.\n")
    place.dream(datetime(2027, 5, 1, 23, tzinfo=UTC))
    assert place.read("MEMORY.md") == before


@pytest.mark.parametrize(
    "content",
    ["", "{", "[1, 2]", '{"version": 1, "entries": {"k": {"path": 3}}}', "\x00\xff", '{"entries": ' + "[" * 100_000],
    ids=["empty", "cut", "list", "shape", "binary", "deep"],
)
def test_broken_state_stops_no_night(place: Place, content: str) -> None:
    """What could not be read is kept beside, and the night goes on."""
    for name in ("events.jsonl", "session-corpus/2026-04-01.txt"):
        place.write(f"memory/.dreams/{name}", content)
    for name in ("short-term-recall", "phase-signals", "daily-ingestion", "session-ingestion", "mneme"):
        place.write(f"memory/.dreams/{name}.json", content)
    night = place.dream(after(3))
    assert len(promoted(place)) == 2
    kept = list((place.root / ".openclaw-repair").rglob("*.json"))
    assert bool(kept) == any(problem.rule == "broken-dream-state" for problem in night.problems)
    assert all(each.read_text(encoding="utf-8") == content for each in kept)


def test_a_clock_that_goes_back(place: Place) -> None:
    """Nothing is counted twice, nothing fails, and no age is below zero."""
    place.dream(after(3))
    place.ask(NOTE, 6, after(2), "asked before, read later")
    place.dream(after(-2))
    entry = json.loads(place.read(STORE))["entries"]["memory:memory/2026-04-01.md:6:6"]
    assert entry["recallCount"] == 4
    assert len(promoted(place)) == 2


def test_a_zone_that_changes_and_an_hour_that_comes_twice(place: Place) -> None:
    """The same night in another zone is the same night: nothing is new."""
    place.dream(after(3))
    before = place.files()
    for hours in (-11, -1, 0, 1, 13):
        there = after(3).astimezone(timezone(timedelta(hours=hours)))
        assert place.dream(there).status == "idle"
        assert place.dream(there + timedelta(hours=1)).status == "idle"
    assert place.files() == before


def test_a_log_that_was_cut_counts_nothing_twice(place: Place) -> None:
    """Lines before a mark that is gone are known by their time."""
    place.dream(after(3))
    log = place.root / ".mneme.d" / "recall.jsonl"
    rows = log.read_text(encoding="utf-8").splitlines(keepends=True)
    log.write_text("".join(rows[2:]) + '{"torn', encoding="utf-8")
    assert place.dream(after(4)).status == "idle"
    log.write_text("", encoding="utf-8")
    place.ask(NOTE, 5, after(4), "one more question")
    place.dream(after(4.5))
    entry = json.loads(place.read(STORE))["entries"]["memory:memory/2026-04-01.md:5:5"]
    assert entry["recallCount"] == 4


def test_a_note_that_is_edited_while_it_is_dreamt_over(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The night is planned anew, on what the note says now."""
    from mneme.consolidate.dream import night as module

    plan, edits = module.plan_night, []

    def edited(*args: object, **more: object) -> object:
        made = plan(*args, **more)  # type: ignore[arg-type]
        if not edits:
            edits.append(1)
            place.write(
                NOTE,
                TEXT.replace(
                    "- Move backups to S3 Glacier from tomorrow on.\n", "- Nothing to see here today, really.\n"
                ),
            )
        return made

    monkeypatch.setattr(module, "plan_night", edited)
    place.dream(after(3))
    assert not any("Glacier" in row for row in promoted(place))


def test_many_notes_at_once(tmp_path: Path) -> None:
    """A large folder is taken in night by night; what is older than a week is listed, and looked at when asked."""
    place, many = Place(tmp_path), 10_000 if os.environ.get("MNEME_CAMPAIGN") else 1_000
    for number in range(many):
        day = (FIRST - timedelta(days=number)).date()
        place.write(f"memory/{day}.md", f"# {day}\n\n- Something worth a line happened on day {number}.\n")
    night = place.dream(after(0))
    assert night.report is not None
    assert len(night.report.undreamt) == many - 8
    place.dream(after(0.1), since="2025-12-01")
    status = place.open(after(0.2)).dream_status()
    assert len(status.undreamt) == many - 122
    assert len(json.loads(place.read(STORE))["entries"]) <= 512


def test_phases_run_alone(place: Place) -> None:
    """Light and REM write only the diary; Deep alone writes MEMORY.md."""
    place.dream(after(3), ["light"])
    place.dream(after(3), ["rem"])
    assert promoted(place) == []
    assert place.read("DREAMS.md").count("*April 4, 2026 at 11:00 PM UTC*") == 2
    assert not (place.root / "memory/dreaming").exists()
    place.dream(after(3), ["deep"])
    assert len(promoted(place)) == 2


def test_off_is_off(place: Place) -> None:
    """Nothing happens until it is on again, unless it is forced."""
    place.open(after(3)).dream_switch(on=False)
    assert place.dream(after(3)).status == "off"
    assert promoted(place) == []
    place.open(after(3)).dream_switch(on=True)
    assert place.dream(after(3)).status == "dreamt"


def test_where_the_host_dreams_this_does_not(place: Place) -> None:
    """An event of OpenClaw's own, three days old or less, and nobody has said otherwise since."""
    event = {"type": "memory.dream.completed", "timestamp": "2026-04-03T03:00:00.000Z", "phase": "deep"}
    place.write("memory/.dreams/events.jsonl", json.dumps(event) + "\n")
    night = place.dream(after(3))
    assert (night.status, promoted(place)) == ("elsewhere", [])
    assert "OpenClaw dreams here itself" in night.message
    place.open(after(3)).dream_switch(on=True)
    assert place.dream(after(3)).status == "dreamt"


def test_a_check_that_fails_stops_the_night(place: Place) -> None:
    """Unless it is forced."""
    place.write("memory/team.mneme", "@ FACT-0001\n")
    with pytest.raises(RefusedError, match="integrity check failed"):
        place.dream(after(3))
    assert place.dream(after(3), force=True).status == "dreamt"


def test_a_crash_on_the_way_leaves_all_or_nothing(place: Place, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever was cut short, the night done again gives the very same bytes."""
    whole = Place(tmp_path_factory.mktemp("whole") / "w")
    shutil.copytree(place.root, whole.root)
    whole.dream(after(3))
    expected = whole.files()
    from mneme.files import writer

    real = writer._place_all
    for point in range(2):
        broken = Place(tmp_path_factory.mktemp("broken") / "w")
        shutil.copytree(place.root, broken.root)

        def cut(*args: object, when: int = point) -> None:
            if when:
                real(*args)  # type: ignore[arg-type]
            raise KeyboardInterrupt

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(writer, "_place_all", cut)
            with pytest.raises(KeyboardInterrupt):
                broken.dream(after(3))
        broken.dream(after(3))
        assert broken.files() == expected


def test_explaining_uses_the_gates_themselves(place: Place) -> None:
    """The verdict is what the night would do."""
    place.ask("memory/2026-04-01.md", 5, after(3), "x")
    memory = place.open(after(3))
    told = {each.text[:8]: each for each in memory.dream_explain("")}
    assert told["Keep the"].verdict == "it passes every gate"
    assert told["call Bob"].verdict == "it is a task"
    memory.dream()
    assert memory.dream_explain("Keep the retention")[0].verdict == "promoted on 2026-04-04"
    assert sum(told["Keep the"].terms.values()) + told["Keep the"].boost == pytest.approx(told["Keep the"].score)


def test_the_layout_of_openclaw_gets_reports_and_the_strict_gate(place: Place) -> None:
    """Its profile asks for 0.8 and writes a page for each phase; no other does."""
    place.write("mneme.toml", 'profile = "openclaw"\n')
    night = place.dream(after(3))
    assert {each.name for each in (place.root / "memory/dreaming").iterdir()} == {"light", "rem", "deep"}
    assert place.read("memory/dreaming/deep/2026-04-04.md").startswith("# Deep Sleep\n\n- Ranked ")
    assert night.report is not None
    assert "score 0.7" in night.report.skipped[0].reason


def test_scoring_as_openclaw_promotes_what_was_only_looked_at(tmp_path: Path) -> None:
    """The reference's formula lets a note climb night by night; ours, on the same notes, does not."""
    for scoring, expected in (("openclaw", 1), ("trusted", 0)):
        place = Place(tmp_path / scoring)
        place.write("mneme.toml", f'[dream]\nscoring = "{scoring}"\n')
        place.write(NOTE, "# 2026-04-01\n\n- Move backups to S3 Glacier for the gateway router.\n")
        for night in range(10):
            place.dream(after(night / 3 * 2))
        assert len(promoted(place)) == expected, scoring
    assert files.WORKPLACE == ".mneme.d"
