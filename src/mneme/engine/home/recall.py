"""What the home answers with: the capabilities that bear on a prompt, and workflows like one that has just ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme import files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.engine.home import Home
    from mneme.formats.outcome import Workflow

SHOWN = "shown"  # the folder of the machine's state that says what each session was shown


def capability_block(home: Home, prompt: str, *, session: str, here: str) -> str:
    """Return the block for a prompt; a home without cards has nothing to say."""
    del home, prompt, session, here
    return ""


def start_session(home: Home, session: str) -> None:
    """Forget what a session was shown."""
    files.take_derived(home.root / files.WORKPLACE / SHOWN / session)


def near_workflows(home: Home, workflow: Workflow) -> Sequence[tuple[str, float]]:
    """Return the workflows in situations like this one's, nearest first, by the share of words that they have in common."""
    from mneme.index.words import parse_query
    from mneme.memory.skills.rows import load_rows

    asked = set(parse_query(workflow.situation).terms)
    near = []
    for one in load_rows(home.root).workflows:
        terms = set(parse_query(one.situation).terms)
        near.append((one.key, len(asked & terms) / (len(asked | terms) or 1)))
    return sorted(near, key=lambda pair: -pair[1])
