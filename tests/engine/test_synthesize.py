"""Summaries follow the facts, and say what changed since the last synthesis; nothing is written where nothing did."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mneme.engine.memory import Memory
from mneme.settings import parse_settings
from mneme.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

SUMMARY = "brain/areas/acme/summary.md"


class Clock:
    """A day that is set by hand."""

    def __init__(self) -> None:
        self.day = 5

    def __call__(self) -> datetime:
        """Return the moment."""
        return datetime(2026, 1, self.day, 9, tzinfo=UTC)


def test_what_changed_is_told_once(tmp_path: Path) -> None:
    """The old fact beside the new one; a second synthesis, on that day or the next, changes nothing."""
    clock = Clock()
    memory = Memory(Workspace(tmp_path, parse_settings('profile = "protocol"\n'), trusted=True), clock)
    memory.remember("Acme pays yearly", kind="fact", about="Acme")
    first = memory.synthesize()
    assert first.changed == (("acme", ("- new: Acme pays yearly (2026-01-05, acme-001)",)),)
    assert memory.synthesize().done.n == 0
    memory.remember("Acme sits in Graz", kind="fact", about="Acme")
    assert memory.synthesize().changed[0][1] == ("- new: Acme sits in Graz (2026-01-05, acme-002)",)
    clock.day = 12
    assert memory.synthesize().done.n == 0
    memory.supersede("acme-001", "Acme pays monthly")
    (changed,) = memory.synthesize().changed
    assert changed[1] == ("- changed: Acme pays monthly; it was: Acme pays yearly (2026-01-12, acme-003)",)
    text = (tmp_path / SUMMARY).read_text()
    assert "## Changed from 2026-01-05 to 2026-01-12" in text
    assert "- Acme pays yearly" not in text
    assert [one for one in memory.check().problems if one.path == SUMMARY] == []


def test_a_summary_that_was_changed_by_hand_is_drawn_again(tmp_path: Path) -> None:
    """What stands around the regions stays."""
    clock = Clock()
    memory = Memory(Workspace(tmp_path, parse_settings('profile = "protocol"\n'), trusted=True), clock)
    memory.remember("Acme pays yearly", kind="fact", about="Acme")
    memory.synthesize()
    place = tmp_path / SUMMARY
    place.write_text(place.read_text().replace("- Acme pays yearly", "- Acme never pays") + "\nMy own words.\n")
    memory.synthesize()
    text = place.read_text()
    assert "never pays" not in text
    assert "- Acme pays yearly" in text
    assert "My own words." in text


def test_undo_and_dry_run(tmp_path: Path) -> None:
    """It is a plan like any other."""
    memory = Memory(Workspace(tmp_path, parse_settings('profile = "protocol"\n'), trusted=True), Clock())
    memory.remember("Acme pays yearly", kind="fact", about="Acme")
    before = (tmp_path / SUMMARY).read_text()
    assert "+- new: Acme pays yearly" in memory.synthesize(dry_run=True).done.diff
    assert (tmp_path / SUMMARY).read_text() == before
    memory.synthesize()
    memory.undo()
    assert (tmp_path / SUMMARY).read_text() == before


def with_model(tmp_path: Path, sentences: list[dict[str, object]]) -> Memory:
    """Return the memory of three facts with a model that answers so and counts how often it is asked."""
    program = f"import json; open({str(tmp_path / 'asked')!r}, 'a').write('x'); print(json.dumps({{'sentences': {sentences!r}}}))"
    command = json.dumps([sys.executable, "-c", program])
    settings = parse_settings(f'profile = "protocol"\n[model]\nkind = "command"\ncommand = {command}\n')
    memory = Memory(Workspace(tmp_path / "w", settings, trusted=True), Clock())
    for text in ("Acme pays yearly", "Acme sits in Graz", "Ines runs the account of Acme"):
        memory.remember(text, kind="fact", about="Acme")
    return memory


def test_a_model_says_what_to_know_first_and_only_from_the_facts(tmp_path: Path) -> None:
    """Once for the same facts; when one of them is superseded, what was said of it is gone at once."""
    text = "Acme sits in Graz and pays yearly; Ines runs the account."
    memory = with_model(tmp_path, [{"text": text, "facts": ["acme-001", "acme-002", "acme-003"]}])
    memory.synthesize()
    place = tmp_path / "w" / SUMMARY
    assert place.read_text().index(text) < place.read_text().index("- Acme pays yearly")
    assert memory.synthesize().done.n == 0
    assert (tmp_path / "asked").read_text() == "x"
    assert [one for one in memory.check().problems if one.path == SUMMARY] == []
    memory.supersede("acme-001", "Acme pays monthly")
    assert text not in place.read_text()


def test_what_the_facts_do_not_say_is_not_written(tmp_path: Path) -> None:
    """A number, a name, an id of the model's own: the facts stand by themselves, and the reason is told."""
    memory = with_model(tmp_path, [{"text": "Acme owes 40,000 euros to Bolt.", "facts": ["acme-001"]}])
    done = memory.synthesize()
    text = (tmp_path / "w" / SUMMARY).read_text()
    assert "Bolt" not in text
    assert "- Acme sits in Graz" in text
    assert [one.rule for one in done.problems] == ["no-model"]
