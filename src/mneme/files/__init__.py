"""The only writer of files: plans of span edits, applied whole or not at all, remembered, and taken back.

Everything that changes memory makes a `Plan` and hands it to `apply`. Nothing else in the project writes a memory file.
The parts are imported when they are first asked for, so that a command which only reads pays for no writer.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mneme.files.disk import (
        WORKPLACE,
        append_line,
        find_file,
        find_tail,
        is_interrupted,
        place_of,
        put_scratch,
        read_file,
        scratch_folder,
        settled_before_ns,
        take_derived,
        write_derived,
        write_whole,
    )
    from mneme.files.forget import Forgotten, is_remembered
    from mneme.files.journal import Entry, Step, entries, get_entry, step_diff
    from mneme.files.lock import is_locked, locked, workplace
    from mneme.files.neighbour import is_left_behind, neighbour_lock
    from mneme.files.plan import (
        Change,
        Edit,
        Hunk,
        Plan,
        digest,
        edited,
        plan_create,
        plan_edit,
        plan_move,
        plan_remove,
        plan_replace,
        text_edits,
    )
    from mneme.files.seat import find_holder, taken_seat
    from mneme.files.undo import last_to_undo, plan_undo, undone_numbers
    from mneme.files.writer import Applied, apply, destroy, recover, show_plan

_PARTS = {
    "disk": (
        "WORKPLACE append_line find_file find_tail is_interrupted place_of put_scratch read_file scratch_folder "
        "settled_before_ns take_derived write_derived write_whole"
    ),
    "forget": "Forgotten is_remembered",
    "journal": "Entry Step entries get_entry step_diff",
    "lock": "is_locked locked workplace",
    "neighbour": "is_left_behind neighbour_lock",
    "plan": ("Change Edit Hunk Plan digest edited plan_create plan_edit plan_move plan_remove plan_replace text_edits"),
    "seat": "find_holder taken_seat",
    "undo": "last_to_undo plan_undo undone_numbers",
    "writer": "Applied apply destroy recover show_plan",
}
_HOMES = {name: part for part, names in _PARTS.items() for name in names.split()}

__all__ = [
    "WORKPLACE",
    "Applied",
    "Change",
    "Edit",
    "Entry",
    "Forgotten",
    "Hunk",
    "Plan",
    "Step",
    "append_line",
    "apply",
    "destroy",
    "digest",
    "edited",
    "entries",
    "find_file",
    "find_holder",
    "find_tail",
    "get_entry",
    "is_interrupted",
    "is_left_behind",
    "is_locked",
    "is_remembered",
    "last_to_undo",
    "locked",
    "neighbour_lock",
    "place_of",
    "plan_create",
    "plan_edit",
    "plan_move",
    "plan_remove",
    "plan_replace",
    "plan_undo",
    "put_scratch",
    "read_file",
    "recover",
    "scratch_folder",
    "settled_before_ns",
    "show_plan",
    "step_diff",
    "take_derived",
    "taken_seat",
    "text_edits",
    "undone_numbers",
    "workplace",
    "write_derived",
    "write_whole",
]


def __getattr__(name: str) -> object:
    """Import the part that a name lives in."""
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(f"mneme.files.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
