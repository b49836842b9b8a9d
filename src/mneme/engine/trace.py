"""What is kept of a session while it runs, and told in the day's note when it is over.

The lines of a session lie in the state folder of its workspace. Explicit statements of a prompt go to the working
buffer before the model answers. What a subagent does is not the session's, and nothing is kept of a group chat.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mneme import files
from mneme.capture import session as lines
from mneme.hosts.event import AFTER_TOOL, PROMPT, RESUME, SESSION_END, SESSION_START, STOP, TOOL_FAILED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mneme.engine.home.turns import Propose
    from mneme.engine.hooks import Scene
    from mneme.engine.memory import Memory
    from mneme.hosts.event import Event

FOLDER = "sessions"
# A session of which nobody has heard for so long is over, though nobody said so.
LEFT_OVER_AFTER_HOURS = 12
MOST_LEFT_OVER = 5
# So much of the end of a session's log is looked at for how its last turn went.
LONGEST_LOG_BYTES = 4_000_000


def keep_prompt(scene: Scene) -> None:
    """Keep what was asked."""
    _keep(scene, lines.ASKED, lines.quote(scene.event.prompt))


def keep_statements(scene: Scene) -> None:
    """Write what the prompt states outright to the working buffer."""
    from mneme.capture.explicit import find_statements
    from mneme.check.secret import find_secrets

    memory = _memory(scene)
    if memory is None or not scene.event.prompt:
        return
    for statement in find_statements(scene.event.prompt):
        if not find_secrets(statement.text):
            _write(memory, "buffer_add", f"{statement.kind}: {statement.text}")


def keep_tool(scene: Scene) -> None:
    """Keep which tool was used, whether it went well, and which file it changed."""
    tool = scene.event.tool
    if tool is not None and not tool.interrupted:
        changes = tool.file if "read" not in tool.name.lower() else ""
        _keep(scene, lines.FAILED if tool.error else lines.USED, tool.name, file=changes)


def keep_answer(scene: Scene) -> None:
    """Keep the beginning of what was said last."""
    if scene.event.said:
        _keep(scene, lines.SAID, lines.quote(scene.event.said))


def keep_turn(scene: Scene) -> None:
    """Write what is under way to the working buffer: the conversation is about to be shortened."""
    memory = _memory(scene)
    if memory is None:
        return
    turn = _read(_place(memory, scene)).turn()
    if turn:
        _write(memory, "buffer_add", turn)


def said_in(scene: Scene) -> list[tuple[str, str]]:
    """Return what was asked and answered in the session so far, as far as it was kept, oldest first."""
    memory = _memory(scene)
    if memory is None or not scene.event.session:
        return []
    content = files.find_file(_place(memory, scene)) or b""
    return lines.said_in(content.decode("utf-8", "replace").split("\n"))


def tell_session(scene: Scene) -> None:
    """Write the session's summary to the day's note, once."""
    memory = _memory(scene)
    if memory is not None:
        _tell(memory, _place(memory, scene))


def tell_left_over(scene: Scene) -> None:
    """Do the same for sessions that ended without saying so, except for the one that goes on."""
    memory = _memory(scene)
    if memory is None:
        return
    own = _place(memory, scene) if scene.event.cause == RESUME else None
    oldest = scene.now().timestamp() - LEFT_OVER_AFTER_HOURS * 3600
    found = sorted(_folder(memory).glob("*.jsonl")) if _folder(memory).is_dir() else []
    left = [place for place in found if place != own and place.stat().st_mtime < oldest]
    for place in left[:MOST_LEFT_OVER]:
        _tell(memory, place)


def keep_outcome(scene: Scene) -> None:
    """Take down in the home what the event says of a turn: its prompt, a use of a tool, its end."""
    event, home = scene.event, scene.home
    if event.shared:
        return
    if event.name == PROMPT:
        home.keep_prompt(event.prompt, session=event.session, prompt_id=event.turn, agent=event.agent)
    elif event.tool is not None and event.name in (AFTER_TOOL, TOOL_FAILED):
        home.keep_tool_use(
            event.tool.name,
            session=event.session,
            prompt_id=event.turn,
            given=event.tool.given,
            error=event.tool.error if event.name == TOOL_FAILED else None,
            interrupted=event.tool.interrupted,
            agent=event.agent,
            call=event.tool.id,
        )
    elif event.name in (STOP, SESSION_END):
        propose = None if scene.memory is None else _proposer(scene.memory)
        home.finish_turn(session=event.session, agent=event.agent, propose=propose, failed=lambda: _failed_calls(event))
    elif event.name == SESSION_START and event.cause != RESUME:
        home.start_session(event.session)


def _failed_calls(event: Event) -> Mapping[str, str]:
    """Return which calls failed, from the log of a host that tells so nowhere else."""
    from mneme.engine.hooks import find_dialect

    read = getattr(find_dialect(event.host), "failures_in", None)
    log = files.find_tail(Path(event.transcript), LONGEST_LOG_BYTES) if read and event.transcript else b""
    return read(log.decode("utf-8", "replace")) if read and log else {}


def _proposer(memory: Memory) -> Propose:
    """Return how an outcome that recurs is proposed in a workspace."""

    def propose(kind: str, text: str, *, why: str, sources: Sequence[str]) -> str:
        from mneme.formats.proposal import Proposal, Source

        wanted = Proposal(text, kind, by="outcomes", said={"why": why}, sources=tuple(map(Source, sources)))
        _, made = memory.propose([wanted])
        return made[0].id if made else ""

    return propose


def _memory(scene: Scene) -> Memory | None:
    """Return the memory that may be written to: none in a subagent's event, and none in a shared chat."""
    return None if scene.event.agent or scene.event.shared else scene.memory


def _write(memory: Memory, verb: str, text: str) -> None:
    write = getattr(memory, verb, None)
    if write is not None:
        write(text, redact=True)


def _keep(scene: Scene, what: str, text: str, *, file: str = "") -> None:
    memory = _memory(scene)
    if memory is None or not text or not scene.event.session:
        return
    from mneme.check.mask import mask_text

    files.workplace(memory.root)
    line = lines.print_line(scene.now(), what, mask_text(text), host=scene.event.host, file=_shown(memory, file))
    files.append_line(_place(memory, scene), line)


def _shown(memory: Memory, file: str) -> str:
    root = str(memory.root) + "/"
    return file.removeprefix(root)


def _folder(memory: Memory) -> Path:
    return memory.root / files.WORKPLACE / FOLDER


def _place(memory: Memory, scene: Scene) -> Path:
    return _folder(memory) / lines.session_name(scene.event.session)


def _read(place: Path) -> lines.Session:
    return lines.read_session((files.find_file(place) or b"").decode("utf-8", "replace").split("\n"))


def _tell(memory: Memory, place: Path) -> None:
    """Write a summary and let the lines go; whoever takes the lines away first is the one who tells."""
    session = lines.read_session(files.take_derived(place).decode("utf-8", "replace").split("\n"))
    if session:
        _write(memory, "wrap_up", session.summary())
