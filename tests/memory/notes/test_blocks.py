"""A note in blocks, and the reminders that are due."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mneme.formats.note import parse_note
from mneme.memory.notes.blocks import due_reminders, note_blocks

NOTE = """\
---
name: x
---
# Memory
#tags: rules
> last_verified: 2026-01-01

<!-- what this file is for -->

Ann is the owner.

## Decisions

Decided in March:

- one store
- two hosts
  - one of them spare

### Open
what of
the backups?

<!-- mneme:index:start -->
- [Style](memory/user/style.md) — short sentences
<!-- mneme:index:end -->

Updated: 2026-01-01
Decisions: x
Signal: y
Open: z
"""


def test_a_note_is_cut_into_what_it_says() -> None:
    """Entries, index lines and the closure, each with its headings; header lines, comments and marks are none."""
    blocks = note_blocks(parse_note(NOTE))
    assert [(block.text, block.headings) for block in blocks] == [
        ("Ann is the owner.", ()),
        ("Decided in March:\n- one store", ("## Decisions",)),
        ("- two hosts\n  - one of them spare", ("## Decisions",)),
        ("what of\nthe backups?", ("## Decisions", "### Open")),
        ("- [Style](memory/user/style.md) — short sentences", ("## Decisions", "### Open")),
        ("Updated: 2026-01-01\nDecisions: x\nSignal: y\nOpen: z", ()),
    ]
    assert [block.closure for block in blocks].index(True) == len(blocks) - 1


@given(text=st.text(alphabet="#-*> \n:|`a1[]x", max_size=80))
def test_every_text_has_blocks_and_none_overlap(text: str) -> None:
    """Whatever somebody wrote, blocks come in order and no line is told twice."""
    blocks = note_blocks(parse_note(text))
    for one, two in pairwise(blocks):
        assert one.end_line < two.line


def test_reminders_are_due_from_their_day_until_they_are_ticked() -> None:
    """The longest overdue first; one without a date is due every day; prose is no reminder."""
    note = parse_note(
        "# Heartbeat\n\n- 2026-03-02 renew the domain\n- look at the mail\n- [x] 2026-01-01 done\n"
        "- **2026-02-01**: pay\n- 2026-03-03 tomorrow\n- [ ] 2026-03-01 call Bo\n\nJust text.\n"
    )
    assert [block.text for block in due_reminders(note, date(2026, 3, 2))] == [
        "- **2026-02-01**: pay",
        "- [ ] 2026-03-01 call Bo",
        "- 2026-03-02 renew the domain",
        "- look at the mail",
    ]
