"""Before a night is applied, what was asked lately is asked of memory as it would be; a worse answer holds it back."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.consolidate.dream.nights import FIRST, Place, after

from mneme import files
from mneme.engine.replay import find_worse

if TYPE_CHECKING:
    from pathlib import Path

    from mneme.engine.dream import Dreamt

QUESTION = "where does the brass key hang?"
ANSWER, OTHER = (
    "The brass key hangs behind the clock in the hall.",
    "The brass key hangs behind the stove in the cabin.",
)
KEY = "memory/reference/key.md"


def classified(text: str, front: str) -> str:
    """Return the file of a classified memory."""
    return f"---\nname: Key\ndescription: {text}\ntype: reference\n{front}\n---\n\n## Rule / Fact\n\n{text}\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a workspace with two memories that answer one question; the better one is about to go stale."""
    place = Place(tmp_path)
    place.write("mneme.toml", f'[dream]\npinned = ["{QUESTION}"]\nstale_days = 3\n')
    place.write(KEY, classified(ANSWER, "created: 2026-03-30\nconf: high"))
    place.write("memory/reference/spare.md", classified(OTHER, "created: 2026-04-02"))
    return place


def third_night(place: Place, **more: object) -> Dreamt:
    """Live three days, and dream on the third."""
    for number in range(3):
        at = after(number)
        place.write(f"memory/{at.date()}.md", f"# {at.date()}\n\n- Walked around the lake, lap {number} of the year.\n")
        if number < 2:
            assert place.dream(at).status == "dreamt"
    return place.dream(after(2), **more)


def test_a_night_after_which_a_pinned_question_is_answered_worse_is_held_back(place: Place) -> None:
    """Nothing is written; the diff, the question and both answers are told."""
    night = third_night(place)
    assert night.status == "held"
    (worse,) = night.worse
    assert (worse.question, worse.pinned) == (QUESTION, True)
    assert (worse.before[: len(ANSWER)], worse.after[: len(OTHER)]) == (ANSWER, OTHER)
    assert night.done is not None
    assert "+state: stale" in night.done.diff
    assert "stale" not in place.read(KEY)
    assert night.as_json()["worse"] == [worse.as_json()]


def test_it_goes_on_when_somebody_says_so(place: Place) -> None:
    """By force, or because the memory was affirmed."""
    assert third_night(place).status == "held"
    assert place.dream(after(2), dry_run=True, force=True).status == "dreamt"
    with place.open(after(2)) as memory:
        memory.affirm(KEY)
    assert place.dream(after(2)).status == "dreamt"


def test_without_the_pin_the_night_passes(place: Place) -> None:
    """Still among the first is good enough for what was merely asked."""
    place.write("mneme.toml", "[dream]\nstale_days = 3\n")
    with place.open(FIRST) as memory:
        memory.recall(QUESTION)
    assert third_night(place).status == "dreamt"


def test_the_schedule_says_that_a_night_was_held_back(place: Place) -> None:
    """It counts as a job that failed, with the question in its message."""
    third_night(place)
    with place.open(after(2)) as memory:
        (ran,) = memory.run_due(["dream"])
    assert QUESTION in ran.fault


def test_recent_questions_are_asked_again_here_and_of_openclaw(place: Place) -> None:
    """A plan that takes their answer away makes them worse; old questions do not count any more."""
    question = "which house has a red door?"
    place.write("memory/2026-04-01.md", "# 2026-04-01\n\n- The house with the red door belongs to Maria.\n")
    plan = files.Plan(
        "dream", (files.plan_remove("memory/2026-04-01.md", place.read("memory/2026-04-01.md").encode()),)
    )
    with place.open(FIRST) as memory:
        assert find_worse(memory, plan, ()) == ()
        memory.recall(question)
        (own,) = find_worse(memory, plan, ())
        assert (own.question, own.after, own.pinned) == (question, "", False)
        memory.now = lambda: FIRST + timedelta(days=40)
        assert find_worse(memory, plan, ()) == ()
    (place.root / ".mneme.d" / "questions.jsonl").unlink()
    asked = {
        "type": "memory.recall.recorded",
        "timestamp": "2026-04-01T10:00:00.000Z",
        "query": question,
        "results": [],
    }
    place.write("memory/.dreams/events.jsonl", json.dumps(asked) + "\n")
    with place.open(FIRST) as memory:
        assert [one.question for one in find_worse(memory, plan, ())] == [question]


def test_questions_are_kept_in_words_without_secrets(place: Place) -> None:
    """A short list of machine state; the recall log itself keeps a hash."""
    with place.open(FIRST) as memory:
        memory.recall(QUESTION)
        memory.recall(f"{QUESTION} the password is hunter2hunter2!")
        memory.recall(QUESTION, origin="upkeep")
    kept = (place.root / ".mneme.d" / "questions.jsonl").read_text()
    assert [json.loads(row)["question"] for row in kept.splitlines()] == [QUESTION]
    assert QUESTION not in (place.root / ".mneme.d" / "recall.jsonl").read_text()
