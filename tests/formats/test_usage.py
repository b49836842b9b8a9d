"""Which card a use of a tool was a use of, and what it is counted as."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from mneme.formats.card import Card
from mneme.formats.outcome import Failure, Step, Workflow
from mneme.formats.usage import count_uses, counted, decay_of, ids_of, is_doubtful, is_reliable, programs_in

CARD = Card("mail_send", "Mail", "comms", "send", ("mail",), "Sends mail.", source="mcp")


@pytest.mark.parametrize(
    ("tool", "given", "card"),
    [
        ("mcp__mail__send", {}, "mail_send"),
        ("mcp__mail__other", {}, "mail"),
        ("mcp__plugin_tg_tg__reply", {}, "plugin_tg_tg_reply"),
        ("Bash", {"command": "cd x && FOO=1 sudo ffmpeg -i a b | tee log"}, "program_ffmpeg"),
        ("shell", {"command": "/usr/bin/jq . a"}, "program_jq"),
        ("Skill", {"skill": "pdf-forms"}, "skill_pdf_forms"),
        ("SlashCommand", {"command": "/db:seed users"}, "command_db_seed"),
        ("Task", {"subagent_type": "critic"}, "agent_critic"),
        ("Read", {}, "read"),
    ],
)
def test_a_tool_is_known_by_its_card(tool: str, given: dict[str, object], card: str) -> None:
    """However the host names it."""
    assert card in list(ids_of(tool, given))


def test_a_command_line_names_its_programs() -> None:
    """Each once, without what only starts them."""
    assert programs_in("cd a; timeout 5 make -j2 && X=1 make test | tail -3") == ["cd", "make", "tail"]


def test_what_was_counted_is_not_counted_again() -> None:
    """A card's last use says up to when: what came before it is in its counts."""
    worked = [
        Workflow("s", ("mcp__mail__send",), at="2026-01-10T10:00:00+00:00", steps=(Step("mcp__mail__send"),)),
        Workflow("s", ("mcp__mail__send",), at="2026-01-12T10:00:00+00:00", again="x"),
    ]
    failed = [Failure("mcp__mail__send", "s", "no", at="2026-01-11T10:00:00+00:00")]
    use = count_uses([CARD], worked, failed)["mail_send"]
    assert (use.successes, use.failures, use.last) == (2, 1, "2026-01-12T10:00:00+00:00")
    once = counted(CARD, use, date(2026, 1, 13))
    assert (once.success_count, once.failure_count, once.last_used) == (2, 1, "2026-01-12T10:00:00+00:00")
    assert count_uses([once], worked, failed) == {}
    later = replace(worked[0], at="2026-01-12T12:00:00+01:00")
    assert count_uses([once], [later], []) == {"mail_send": replace(use, successes=1, failures=0, last=later.at)}


@pytest.mark.parametrize(
    ("day", "decay"), [(None, 1.0), ("2026-01-31", 1.0), ("2026-01-01", 1.0), ("2025-12-02", 0.5), ("2025-11-02", 0.25)]
)
def test_a_card_decays_after_a_month(day: str | None, decay: float) -> None:
    """By half each month; one that was never used is not forgotten for it."""
    assert decay_of(day, date(2026, 1, 31)) == decay


def test_experience_is_told_apart() -> None:
    """Often and well, more often badly than not, or neither."""
    assert is_reliable(replace(CARD, success_count=4, failure_count=1))
    assert not is_reliable(CARD)
    assert is_doubtful(replace(CARD, success_count=1, failure_count=3))
    assert not is_doubtful(replace(CARD, success_count=9, failure_count=3))
