"""Claude Code's events, answered in plain text: what the modules `mneme.hooks.user_prompt_submit` and its like print.

Claude Code takes such a text for the model on SessionStart and UserPromptSubmit alone. A text never begins with a
brace, which would make the host read JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.hosts import claude_code
from mneme.hosts.event import PROMPT, SESSION_START

if TYPE_CHECKING:
    from mneme.hosts.event import Event

NAME = "plain"
EVENTS = claude_code.EVENTS
LONGEST_ANSWER_CHARS = claude_code.LONGEST_ANSWER_CHARS
read_event = claude_code.read_event


def print_answer(event: Event, context: str) -> str:
    """Return the context as it is."""
    return context if event.name in (SESSION_START, PROMPT) and not context.lstrip().startswith("{") else ""
