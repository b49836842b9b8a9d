"""The diary: prose that is the same for one night and another for the next, never a secret, within its budget."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

from mneme.consolidate.dream import diary
from mneme.consolidate.dream.entry import Entry
from mneme.consolidate.dream.phases import Theme, Truth

FIRST = date(2026, 4, 1)


def entry(text: str, recalls: int = 1) -> Entry:
    """Return an entry that says something."""
    return Entry("k", "memory/2026-04-01.md", 1, 1, text, recalls)


def prose(day: date, notes: int = 2) -> tuple[str, str, str]:
    """Return what the three phases tell of one and the same thing."""
    one = entry("The gateway stays on port 18789.")
    light = diary.tell_light(day.isoformat(), notes, [one])
    rem = diary.tell_rem(day.isoformat(), [Theme("gateway", 3, 1.0, ())], [Truth(one, 0.8)])
    deep = diary.tell_deep(day.isoformat(), [one.snippet], [], [])
    assert light is not None
    assert rem is not None
    assert deep is not None
    return light.prose, rem.prose, deep.prose


def test_no_two_nights_in_a_row_sound_alike() -> None:
    """The same day would be told in other words tomorrow, and in the same words if it were told again."""
    nights = [prose(FIRST + timedelta(days=number)) for number in range(60)]
    assert all(one != two for phase in zip(*nights, strict=True) for one, two in pairwise(phase))
    assert all(len(set(phase)) >= 8 for phase in zip(*nights, strict=True))
    assert nights[3] == prose(FIRST + timedelta(days=3))


def test_each_phase_names_what_it_is_about() -> None:
    """The notes that were read, the theme with its count, the sentence itself; no placeholder is left over."""
    for number in range(60):
        day = FIRST + timedelta(days=number)
        light, rem, deep = prose(day)
        assert "2 notes" in light
        assert "`gateway` (3)" in rem
        assert all("The gateway stays on port 18789" in told for told in (light, rem, deep))
        assert not any("{" in told or "}" in told for told in (light, rem, deep))
        assert all(told[0].isupper() and told.endswith(".") for told in (light, rem, deep))


def test_one_of_a_thing_is_told_as_one() -> None:
    """In the middle of a sentence as at its beginning."""
    told = [prose(FIRST + timedelta(days=number), notes=1)[0] for number in range(9)]
    assert all("ne note " in each and " One note" not in each.partition(".")[2][:2] for each in told)
    assert any("I turned one note over." in each for each in told)
    assert any("One of them was" in each for each in told)


def test_what_may_not_be_told_is_not() -> None:
    """Where nothing is left, the phase is silent."""
    assert diary.tell_light("2026-04-01", 1, [entry("password: hunter2hunter2!")]) is None
    assert diary.tell_rem("2026-04-01", [], []) is None
    assert diary.tell_deep("2026-04-01", [], [], []) is None


def test_a_quote_is_what_was_said() -> None:
    """Without marks, without the time before it, cut between words."""
    assert diary.quoted("14:05 **Ann** prefers `short` answers.") == "“Ann prefers short answers”"
    assert diary.quoted("3. Reminder: check the disk.") == "“Check the disk”"
    assert diary.quoted("word " * 60).endswith("word …”")


def test_old_entries_leave_and_nothing_is_told_twice() -> None:
    """What leaves is given back, oldest first; the same night's prose is not added again."""
    text, moment = "# Mine\n", datetime(2026, 4, 1, 12, tzinfo=UTC)
    for number in range(40):
        text = diary.add_entries(
            text, [diary.Told("light", f"Entry number {number}.")], moment + timedelta(days=number)
        )
    assert diary.add_entries(text, [diary.Told("light", "Entry number 39.")], moment + timedelta(days=40)) == text
    short, left = diary.within_budget(text, 1500)
    assert len(short) <= 1500
    assert "Entry number 0." in left[0]
    assert "Entry number 39." in short
    assert short.endswith("# Mine\n")
    assert diary.within_budget(short, 1500) == (short, [])
