"""The home: what an agent can do and what came of doing it, kept for the user rather than for one workspace.

It is opened like a workspace and has the same writer, lock and history. Hooks tell it what happens (`keep_prompt`,
`keep_tool_use`, `finish_turn`) and ask it what to say (`capability_block`); the verbs of `mneme cards` do the rest.
Secrets are masked before anything is kept, and what a subagent does is never taken for the work of its session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.engine.memory import Memory
from mneme.workspace import home_folder, open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from mneme.engine.home.turns import Propose, TurnDone
    from mneme.formats.outcome import Workflow

__all__ = ["Home", "open_home"]


def open_home(*, now: Callable[[], datetime], root: Path | None = None) -> Home:
    """Open the home: the folder given, else `MNEME_HOME`, else the one in the user's own folder. It need not exist."""
    return Home(Memory(open_workspace(root or home_folder(), found_by="personal"), now))


class Home:
    """An open home; `memory` is the same folder as a workspace, for its history, its lock and its settings."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    @property
    def root(self) -> Path:
        """The home's folder."""
        return self.memory.root

    @property
    def moment(self) -> str:
        """What time it is, as the home writes it."""
        return self.memory.now().isoformat(timespec="microseconds")

    # --- what hooks ask and tell --------------------------------------------------------------------------------------

    def capability_block(self, prompt: str, *, session: str = "", here: str = "") -> str:
        """Return the block of capabilities that bear on a prompt, or the empty text.

        What a session was shown is not shown again until it changes. `here` is the folder the session works in: cards
        of another project stay out.
        """
        from mneme.engine.home.recall import capability_block

        return capability_block(self, prompt, session=session, here=here)

    def start_session(self, session: str) -> None:
        """Forget what a session was shown: it begins, or its context was cleared or compacted."""
        from mneme.engine.home.recall import start_session

        start_session(self, session)

    def keep_prompt(self, prompt: str, *, session: str, prompt_id: str = "", agent: str = "") -> None:
        """Take down that a turn begins with this prompt; `agent` is the subagent's id where one asks."""
        from mneme.engine.home.turns import keep_prompt

        keep_prompt(self, prompt, session=session, prompt_id=prompt_id, agent=agent)

    def keep_tool_use(
        self,
        tool: str,
        *,
        session: str,
        prompt_id: str = "",
        given: object = None,
        error: str | None = None,
        interrupted: bool = False,
        agent: str = "",
    ) -> None:
        """Take down one use of a tool; with `error`, it failed. What the user interrupted is not taken down."""
        from mneme.engine.home.turns import keep_tool_use

        if not interrupted:
            keep_tool_use(self, tool, session=session, prompt_id=prompt_id, given=given, error=error, agent=agent)

    def finish_turn(self, *, session: str, agent: str = "", propose: Propose | None = None) -> TurnDone:
        """Keep what the turns of a session came to: workflows, failures, lessons; a failure that recurs is proposed."""
        from mneme.engine.home.turns import finish_turn

        return finish_turn(self, session=session, agent=agent, propose=propose)

    def keep_outcome(self, tool: str, *, prompt: str = "", exit_code: int = 0, error: str = "") -> TurnDone:
        """Keep one use of a tool that says all about itself, prompt and exit code included, as a turn of its own."""
        from mneme.engine.home.turns import keep_outcome

        return keep_outcome(self, tool, prompt=prompt, exit_code=exit_code, error=error)

    # --- what the parts above ask of each other -----------------------------------------------------------------------

    def near_workflows(self, workflow: Workflow) -> Sequence[tuple[str, float]]:
        """Return the keys of workflows in situations like this one's, with how near they are, nearest first."""
        from mneme.engine.home.recall import near_workflows

        return near_workflows(self, workflow)
