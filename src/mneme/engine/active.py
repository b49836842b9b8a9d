"""Active Memory: one recall before a turn, and a few quotes of it, or nothing. Writes nothing but the recall log."""

from __future__ import annotations

import dataclasses
import json
import time
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import MnemeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mneme.engine.hooks import Scene
    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.recall.active.breaker import Keeper, Outcome
    from mneme.recall.active.scope import Chat
    from mneme.recall.active.settings import ActiveSettings
    from mneme.recall.answer import Answer, Hit

# Sessions in which somebody has switched it off, as machine state: a session is over soon enough.
SWITCHES = "active-off.json"
MOST_SWITCHES = 500
DEBUG_LOG = "active.log"
MOST_QUOTED = 4
# A quote beside the best one must be about as likely to bear on the prompt.
LEAST_SHARE_OF_BEST = 0.75
_KINDS_OF_TASTE = ("preference", "user", "feedback", "user-file")


def active_block(scene: Scene) -> str:
    """Return what memory says before a prompt of a session is answered."""
    from mneme.recall.active.scope import Chat
    from mneme.recall.active.summary import block

    event, memory = scene.event, scene.memory
    if memory is None or event.agent or not event.prompt.strip():
        return ""
    chat = Chat(session=event.session, kind="group" if event.shared else "direct")
    said = _said_before(scene)
    return block(active(memory, event.prompt, chat=chat, before=said, host=event.host, words=scene.lexical).summary)


def _said_before(scene: Scene) -> Sequence[tuple[str, str]]:
    """Return what was said in the session before this prompt, as far as it was kept."""
    from mneme.engine.trace import said_in

    told = said_in(scene)
    return told[:-1] if told and told[-1][0] == "user" else told


def active(
    memory: Memory,
    prompt: str,
    *,
    chat: Chat | None = None,
    before: Sequence[tuple[str, str]] = (),
    host: str = "",
    words: bool = False,
) -> Outcome:
    """Return what memory says of its own accord about a prompt: a summary of quotes, or nothing and why."""
    from mneme.recall.active import breaker, scope
    from mneme.recall.active.question import build_question

    settings = active_settings(memory, host)
    chat = chat or scope.Chat(session="by hand")
    mode = settings.query_mode
    off = chat.session in _switched_off(memory)
    if why := scope.refusal(settings, chat, switched_off=off):
        return breaker.Outcome(breaker.SKIPPED, mode=mode, because=why)
    keeper, now_ms = _keeper(memory), _now_ms(memory)
    question = build_question(settings, prompt, before)
    if kept := keeper.find(chat.session, question, now_ms, settings.cache_ms):
        return dataclasses.replace(kept, cached=True)
    if keeper.is_open(chat.agent, now_ms, settings.breaker_timeouts, settings.breaker_cooldown_ms):
        return breaker.Outcome(breaker.TIMEOUT, mode=mode, because="circuit-breaker")
    outcome = _timed(memory, settings, prompt, question, before, chat, words=words)
    keeper.keep(chat.session, question, outcome, now_ms)
    keeper.told(chat.agent, outcome, now_ms)
    if settings.debug:
        files.append_line(
            files.workplace(memory.root) / DEBUG_LOG, f"{memory.now().isoformat(timespec='seconds')} {outcome.line}"
        )
    return outcome


def _timed(
    memory: Memory,
    settings: ActiveSettings,
    prompt: str,
    question: str,
    before: Sequence[tuple[str, str]],
    chat: Chat,
    *,
    words: bool,
) -> Outcome:
    from mneme.recall.active import breaker
    from mneme.recall.active.question import search_words

    started = time.monotonic()
    because, summary, hits = "", "", 0
    try:
        found = _found(memory, settings, search_words(settings, prompt, before), chat.session, words=words)
        hits = len(found)
        summary, because = _summary(memory, settings, question, found) if found else ("", "")
        status = breaker.OK if summary else breaker.EMPTY
    except MnemeError as fault:
        status, because = breaker.UNAVAILABLE, fault.message
        memory.note_fault(because)
    took = round((time.monotonic() - started) * 1000)
    if took > settings.timeout_ms:  # what comes too late is not said: the model has begun to answer
        status, summary, because = breaker.TIMEOUT, "", ""
    return breaker.Outcome(status, summary, took, settings.query_mode, because, hits)


def _found(memory: Memory, settings: ActiveSettings, words_asked: str, session: str, *, words: bool) -> Sequence[Hit]:
    """Return what would be said, best first: what clears the style's point, and what is about as good as the best."""
    from mneme.recall.active import settings as active_words
    from mneme.recall.answer import ASKED, INJECTION

    style = settings.prompt_style
    answer: Answer = memory.recall(
        words_asked,
        k=MOST_QUOTED,
        kind=_KINDS_OF_TASTE if style == active_words.PREFERENCE_ONLY else None,
        origin="injected",
        point=ASKED if style == active_words.RECALL_HEAVY else INJECTION,
        session=session,
        words=words,
    )
    for notice in answer.notices:
        memory.note_fault(notice)
    least = LEAST_SCORES.get(style, 0.0)
    if not answer.hits or answer.hits[0].score < least:
        return ()
    floor = max(least, answer.hits[0].score * LEAST_SHARE_OF_BEST)
    return [hit for hit in answer.hits if hit.score >= floor and hit.trust not in _SILENT]


# How sure the best hit must be beyond the strict point, by style; trust that is not worth a reminder.
LEAST_SCORES = {"strict": 0.6, "precision-heavy": 0.8}
_SILENT = frozenset({"history", "not authoritative"})


def _summary(memory: Memory, settings: ActiveSettings, question: str, found: Sequence[Hit]) -> tuple[str, str]:
    """Return quotes, or with a language model what it makes of them; where the model fails, quotes."""
    from mneme.engine.models import find_asking
    from mneme.recall.active.summary import quotes
    from mneme.recall.active.writer import write_summary

    asking, _ = find_asking(memory)
    if asking is None:
        return quotes(found, settings.summary_chars), ""
    limits = dataclasses.replace(
        asking.limits, timeout_seconds=min(asking.limits.timeout_seconds, settings.timeout_ms / 1000)
    )
    asking.limits = limits
    try:
        return write_summary(
            settings,
            question,
            found,
            lambda prompt, schema: asking.ask("active memory", prompt, schema),
            lambda words: memory.recall(words, k=MOST_QUOTED, origin="upkeep").hits,
            _reader(memory),
        )
    except MnemeError as fault:
        return quotes(found, settings.summary_chars), fault.message


def _reader(memory: Memory) -> Callable[[str], str]:
    """Return what reads a place for the model: what `show` shows, and nothing it doesn't."""

    def read(source: str) -> str:
        path, _, lines = source.partition(":")
        try:
            shown = memory.show(f"{path}#L{lines}" if lines else path)
        except MnemeError as fault:
            return fault.message
        return str(shown)

    return read


# Settings and switches


def active_settings(memory: Memory, host: str = "") -> ActiveSettings:
    """Return the settings of the workspace; in OpenClaw with what its own configuration says of the plugin."""
    from mneme.recall.active.settings import from_table, published_config, with_published
    from mneme.workspace import user_folder

    settings = memory.workspace.settings
    names = (field.name for field in dataclasses.fields(from_table({})))
    found = from_table({name: settings[f"active.{name}"] for name in names})
    if host != "openclaw":
        return found
    content = files.find_file(user_folder() / ".openclaw" / "openclaw.json")
    try:
        document = json.loads(content or b"{}")
    except ValueError:
        return found
    return with_published(found, published_config(document))


def active_state(memory: Memory, *, session: str = "") -> dict[str, object]:
    """Return how it is set, as whoever asks for its status is told."""
    settings = active_settings(memory)
    off = bool(session) and session in _switched_off(memory)
    return {"on": settings.enabled and not off, **dataclasses.asdict(settings), "style": settings.prompt_style}


def switch_active(memory: Memory, *, on: bool, session: str = "", dry_run: bool = False) -> Done | None:
    """Switch it on or off: in one session, or with none named everywhere in the workspace, by its settings."""
    if not session:
        from mneme.engine.setting import set_setting

        return set_setting(memory, "active.enabled", on, dry_run=dry_run)
    off = [one for one in _switched_off(memory) if one != session]
    wanted = off if on else [*off, session][-MOST_SWITCHES:]
    if not dry_run:
        files.write_derived(files.workplace(memory.root) / SWITCHES, json.dumps(wanted).encode())
    return None


def _switched_off(memory: Memory) -> list[str]:
    try:
        found = json.loads(files.find_file(memory.root / files.WORKPLACE / SWITCHES) or b"[]")
    except ValueError:
        return []
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _keeper(memory: Memory) -> Keeper:
    from mneme.recall.active.breaker import Keeper

    keeper: Keeper = memory.kept.setdefault("active", Keeper())
    return keeper


def _now_ms(memory: Memory) -> int:
    return round(memory.now().timestamp() * 1000)
