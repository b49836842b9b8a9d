"""The home: what an agent can do and what came of doing it, kept for the user rather than for one workspace.

It is opened like a workspace and has the same writer, lock and history. Hooks tell it what happens (`keep_prompt`,
`keep_tool_use`, `finish_turn`) and ask it what to say (`capability_block`); the verbs of `mneme cards` do the rest.
Secrets are masked before anything is kept, and what a subagent does is never taken for the work of its session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.engine.memory import Memory
from mneme.formats.card import SOURCES
from mneme.workspace import home_folder, open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from mneme.engine.home.cards import CardView, Checked, Scanned, Searched
    from mneme.engine.home.turns import Propose, TurnDone
    from mneme.engine.results import Done
    from mneme.errors import Problem
    from mneme.formats.card import Card
    from mneme.formats.outcome import Workflow
    from mneme.index.embed import Embedder

__all__ = ["SOURCES", "Home", "open_home"]


def open_home(
    *,
    now: Callable[[], datetime],
    root: Path | None = None,
    lexical: bool = False,
    keep: bool = False,
    embedder: Embedder | None = None,
) -> Home:
    """Open the home: the folder given, else `MNEME_HOME`, else the one in the user's own folder. It need not exist.

    With `lexical` no embedder is asked, because none can be loaded in time; one that is given stands for the one that
    the home's settings name. With `keep` the index stays open between calls, until the home is closed.
    """
    memory = Memory(open_workspace(root or home_folder(), found_by="personal"), now)
    return Home(memory, lexical=lexical, keep=keep, embedder=embedder)


class Home:
    """An open home; `memory` is the same folder as a workspace, for its history, its lock and its settings."""

    def __init__(
        self, memory: Memory, *, lexical: bool = False, keep: bool = False, embedder: Embedder | None = None
    ) -> None:
        self.memory = memory
        self.lexical = lexical
        self.keep = keep
        self.embedder = embedder

    @property
    def root(self) -> Path:
        """The home's folder."""
        return self.memory.root

    def close(self) -> None:
        """Let go of what was kept open."""
        self.memory.close()

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
        call: str = "",
    ) -> None:
        """Take down one use of a tool; with `error`, it failed. What the user interrupted is not taken down."""
        from mneme.capture.turn import use_line
        from mneme.engine.home.turns import keep_tool_use

        if not interrupted and tool.strip():
            line = use_line(tool, given, at=self.moment, prompt_id=prompt_id, error=error, call=call)
            keep_tool_use(self, line, session=session, agent=agent)

    def finish_turn(
        self,
        *,
        session: str,
        agent: str = "",
        propose: Propose | None = None,
        failed: Callable[[], Mapping[str, str]] = dict,
    ) -> TurnDone:
        """Keep what the turns of a session came to: workflows, failures, lessons; a failure that recurs is proposed.

        `failed` tells of calls that failed though nobody said so when they were over, by their ids; it is asked where
        there is anything to keep.
        """
        from mneme.engine.home.turns import finish_turn

        return finish_turn(self, session=session, agent=agent, propose=propose, failed=failed)

    def keep_outcome(self, tool: str, *, prompt: str = "", exit_code: int = 0, error: str = "") -> TurnDone:
        """Keep one use of a tool that says all about itself, prompt and exit code included, as a turn of its own."""
        from mneme.engine.home.turns import keep_outcome

        return keep_outcome(self, tool, prompt=prompt, exit_code=exit_code, error=error)

    # --- the verbs of `mneme cards` -----------------------------------------------------------------------------------

    def list_cards(
        self, *, category: str | None = None, source: str | None = None, active: bool | None = None
    ) -> Sequence[Card]:
        """Return the cards that fit, in the order of their ids."""
        from mneme.engine.home.cards import list_cards

        return list_cards(self, category=category, source=source, active=active)

    def get_card(self, wanted: str) -> Card:
        """Return one card, with what was counted about it until now."""
        from mneme.engine.home.cards import get_card

        return get_card(self, wanted)

    def search_cards(self, query: str, *, here: str = "", limit: int = 5) -> Searched:
        """Return the cards nearest to a request, each with its score, and whether a prompt would be told it."""
        from mneme.engine.home.cards import search_cards

        return search_cards(self, query, here=here, limit=limit)

    def add_card(self, card: Card, *, dry_run: bool = False) -> Done:
        """Add a card; one without a category gets the one that its words fit best."""
        from mneme.engine.home.cards import add_card

        return add_card(self, card, dry_run=dry_run)

    def add_new(  # noqa: PLR0913 - what a card is made of
        self,
        wanted: str,
        *,
        name: str = "",
        does: str = "",
        description: str = "",
        triggers: tuple[str, ...] = (),
        params_required: tuple[str, ...] = (),
        params_optional: tuple[str, ...] = (),
        example: str = "",
        category: str = "",
        source: str = "manual",
        dry_run: bool = False,
    ) -> Done:
        """Add a card from its parts; what is left out is taken from the others."""
        from mneme.formats.card import Card

        words = wanted.replace("_", " ")
        made = Card(
            wanted,
            name or words,
            category,
            does or description or words,
            triggers or (words,),
            description or does or words,
            params_required,
            params_optional,
            example,
            source=source,
        )
        return self.add_card(made, dry_run=dry_run)

    def view(self, card: Card) -> CardView:
        """Return a card as verbs answer with it."""
        from mneme.engine.home.cards import CardView

        return CardView(card)

    def is_workflow(self, wanted: str) -> bool:
        """Say whether a name is the key or the id of a workflow."""
        return any(one.key == wanted.rpartition("#")[2] for one in self.workflows())

    def correct(self, query: str, wanted: str) -> Card:
        """Note that a request like this one wants that card."""
        from mneme.engine.home.cards import correct

        return correct(self, query, wanted)

    def verify(self, *, here: Path | None = None, dry_run: bool = False) -> Checked:
        """Turn cards on and off by what is really there, and write down what was counted since."""
        from mneme.engine.home.cards import verify

        return verify(self, here=here, dry_run=dry_run)

    def scan(self, *, here: Path | None = None, ask: Collection[str] = (), apply: bool = False) -> Scanned:
        """Find what this machine has and there is no card of; with `apply`, add it."""
        from mneme.engine.home.cards import scan

        return scan(self, here=here, ask=ask, apply=apply)

    def reflect(self, propose: Propose | None = None, *, dry_run: bool = False) -> TurnDone:
        """Write the lessons that failures have left and that are not there yet."""
        from mneme.engine.home.turns import reflect

        return reflect(self, propose, dry_run=dry_run)

    def workflows(self) -> Sequence[Workflow]:
        """Return what has worked, repetitions counted."""
        from mneme.memory.skills.rows import load_rows

        return load_rows(self.root).workflows

    def script(self, wanted: str) -> str:
        """Return a workflow as a shell script."""
        from mneme.capture.script import print_script
        from mneme.engine.home.cards import get_workflow

        return print_script(get_workflow(self, wanted))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the home's files."""
        from mneme.engine.home.index import load_cards
        from mneme.memory.skills.rows import load_rows

        return (*load_cards(self).problems, *load_rows(self.root).problems)

    # --- what the parts above ask of each other -----------------------------------------------------------------------

    def near_workflows(self, workflow: Workflow) -> Sequence[tuple[str, float]]:
        """Return the keys of workflows in situations like this one's, with how near they are, nearest first."""
        from mneme.engine.home.recall import near_workflows

        return near_workflows(self, workflow)
