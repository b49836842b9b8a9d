"""What plans wrote lately and somebody saved over: an editor that had an older version of the file in its window.

Such a save is no fault, and nothing is put back: the words are in history, and whoever looks is told where. What a later
plan took away is none of it, nor what was deleted with its file. Reads only.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import INFO, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.engine.memory import Memory
    from mneme.files import Entry, Step

RULE = "overwritten-plan"
# How far back is looked, in time and in plans.
RECENT = timedelta(days=2)
MOST_PLANS = 200
# A shorter line may stand anywhere for another reason.
TELLING_BYTES = 8


def find_overwritten(memory: Memory) -> Iterator[Problem]:
    """Yield the files that lost what plans of the last days wrote into them, each with those plans."""
    taken: dict[str, set[bytes]] = defaultdict(set)
    lost: dict[str, list[int]] = defaultdict(list)
    closed: set[str] = set()
    for entry in _recent(memory):
        closed |= set(entry.paths) if entry.lost else set()  # what it took away was forgotten, and is not known
        for step in entry.steps:
            path = step.target
            if path not in closed and _is_gone(memory, step, taken[path]):
                lost[path].append(entry.n)
            taken[path] |= {line for hunk in step.hunks for line in hunk.old.splitlines()}
            closed |= {step.path, path} if step.to or step.before is None or step.after is None else set()
    for path, plans in sorted(lost.items()):
        listed = ", ".join(map(str, sorted(plans)))
        which = f"plan {listed}" if len(plans) == 1 else f"plans {listed}"
        message = f"what {which} wrote here is gone: somebody saved the file without it"
        if memory.sees_file(path):
            yield Problem(path, 0, RULE, INFO, message, f"mneme diff {max(plans)}")


def _recent(memory: Memory) -> Iterator[Entry]:
    oldest = (memory.now() - RECENT).astimezone()

    def is_recent(entry: Entry) -> bool:
        return datetime.fromisoformat(entry.at).astimezone() >= oldest

    newest = islice(files.entries(memory.root, newest_first=True), MOST_PLANS)
    return (one for one in takewhile(is_recent, newest) if not one.abandoned)


def _is_gone(memory: Memory, step: Step, taken: set[bytes]) -> bool:
    """Say whether nothing is left in a file of the lines that a plan added, and no later plan took them away."""
    old = {line for hunk in step.hunks for line in hunk.old.splitlines()}
    added = {line for hunk in step.hunks for line in hunk.new.splitlines()} - old - taken
    telling = {line.strip() for line in added if len(line.strip()) >= TELLING_BYTES}
    content = files.find_file(files.place_of(memory.root, step.target)) if telling else None
    if content is None or files.digest(content) == step.after:
        return False
    return telling.isdisjoint(line.strip() for line in content.splitlines())
