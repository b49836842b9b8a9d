"""Active Memory: one recall before a turn, and a few quotes of it, or nothing. Writes nothing but the recall log."""

from __future__ import annotations

import dataclasses
import json
import re
import time
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.errors import MnemeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mneme.engine.hooks import Scene
    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.hosts.event import Event
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
OPENCLAW = "openclaw"
# A hook is waited for so long where a model is to write the summary; what is left of it is for saying it in quotes.
HOOK_PATIENCE_MS = 8000
_SHARE_FOR_MODEL = 0.8
_KINDS_OF_TASTE = ("preference", "user", "feedback", "user-file")


def active_block(scene: Scene) -> str:
    """Return what memory says before a prompt of a session is answered."""
    from mneme.recall.active.summary import block

    event, memory = scene.event, scene.memory
    if memory is None or event.agent or not event.prompt.strip():
        return ""
    outcome = active(
        memory,
        event.prompt,
        chat=_chat(event),
        before=_said_before(scene),
        host=event.host,
        words=scene.lexical,
        quoting=scene.lexical,
        patience_ms=HOOK_PATIENCE_MS,
    )
    return block(outcome.summary)


def _chat(event: Event) -> Chat:
    """Return where a prompt came from; OpenClaw's sessions have keys that say it."""
    from mneme.recall.active.scope import USER_TRIGGER, Chat, chat_of_key

    if event.host == OPENCLAW:
        from mneme.hosts.openclaw import main_key_for

        main = main_key_for(event.session)
        return chat_of_key(event.session, trigger=event.cause or USER_TRIGGER, turn=event.turn, main_key=main)
    return Chat(session=event.session, kind="group" if event.shared else "direct", turn=event.turn)


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
    quoting: bool = False,
    patience_ms: int = 0,
) -> Outcome:
    """Return what memory says of its own accord about a prompt: a summary of quotes, or nothing and why.

    With `words` no embedder is asked, with `quoting` no model; `patience_ms` is how long the caller can wait for one.
    """
    from mneme.recall.active import breaker, scope
    from mneme.recall.active.question import build_question, search_words

    settings = active_settings(memory, host)
    chat = chat or scope.Chat(session="by hand")
    mode = settings.query_mode
    off = chat.session in _switched_off(memory)
    if why := scope.refusal(settings, chat, switched_off=off):
        return breaker.Outcome(breaker.SKIPPED, mode=mode, because=why)
    keeper, now_ms = _keeper(memory), _now_ms(memory)
    question = build_question(settings, prompt, before)
    if kept := keeper.find(chat.session, question, now_ms, settings.cache_ms, chat.turn):
        return dataclasses.replace(kept, cached=True)
    if keeper.is_open(chat.agent, now_ms, settings.breaker_timeouts, settings.breaker_cooldown_ms):
        return breaker.Outcome(breaker.TIMEOUT, mode=mode, because="circuit-breaker")
    looking = Looking(
        settings, prompt, question, chat, words, quoting, min(settings.timeout_ms, patience_ms or settings.timeout_ms)
    )
    outcome = _timed(memory, looking, search_words(settings, prompt, before))
    keeper.keep(chat.session, question, outcome, now_ms, chat.turn)
    keeper.told(chat.agent, outcome, now_ms)
    if settings.debug:
        moment = f"{memory.now().isoformat(timespec='seconds')} {scope.run_name(chat, question)}"
        for line in (outcome.line, outcome.debug_line):
            files.append_line(files.workplace(memory.root) / DEBUG_LOG, f"{moment} {line}")
    return outcome


@dataclasses.dataclass(frozen=True, slots=True)
class Looking:
    """One look at memory: under which settings, for which question and chat, in which way, for how long."""

    settings: ActiveSettings
    prompt: str
    question: str
    chat: Chat
    words: bool
    quoting: bool
    patience_ms: int


def _timed(memory: Memory, looking: Looking, asked: str) -> Outcome:
    from mneme.recall.active import breaker

    settings = looking.settings
    started = time.monotonic()
    because, summary, hits, meaning = "", "", 0, ""
    try:
        found, meaning = _found(memory, looking, asked)
        hits = len(found)
        summary, because = _summary(memory, looking, found, started) if found else ("", "")
        status = breaker.OK if summary else breaker.EMPTY
    except MnemeError as fault:
        status, because = breaker.UNAVAILABLE, fault.message
        memory.note_fault(because)
    took = round((time.monotonic() - started) * 1000)
    if took > settings.timeout_ms:  # what comes too late is not said: the model has begun to answer
        status, summary, because = breaker.TIMEOUT, "", ""
    return breaker.Outcome(status, summary, took, settings.query_mode, because, hits, meaning=meaning)


def _found(memory: Memory, looking: Looking, asked: str) -> tuple[Sequence[Hit], str]:
    """Return what would be said, best first, and why meaning had no part in it.

    It is what clears the style's point, and what is about as good as the best.
    """
    from mneme.recall.active import settings as active_words
    from mneme.recall.answer import ASKED, INJECTION

    settings, said = looking.settings, _plain(looking.prompt)
    style = settings.prompt_style
    answer: Answer = memory.recall(
        asked,
        k=MOST_QUOTED,
        kind=_KINDS_OF_TASTE if style == active_words.PREFERENCE_ONLY else None,
        origin="injected",
        point=ASKED if style == active_words.RECALL_HEAVY else INJECTION,
        session=looking.chat.session,
        words=looking.words,
    )
    for notice in answer.notices:
        memory.note_fault(notice)
    least = LEAST_SCORES.get(style, 0.0)
    if not answer.hits or answer.hits[0].score < least:
        return (), answer.because
    floor = max(least, answer.hits[0].score * LEAST_SHARE_OF_BEST)
    return [
        hit
        for hit in answer.hits
        if hit.score >= floor and hit.trust not in _SILENT and _plain(_TAKEN_DOWN.sub("", hit.text)) not in said
    ], answer.because


def _plain(text: str) -> str:
    """Return a text as it is compared: whoever has just said something need not be told it."""
    return " ".join(text.lower().split()).rstrip(".!")


# How sure the best hit must be beyond the strict point, by style; trust that is not worth a reminder.
_TAKEN_DOWN = re.compile(r"^\W*(?:\d\d:\d\d\s+)?(?:decision|correction|preference|fact):\s+")
LEAST_SCORES = {"strict": 0.6, "precision-heavy": 0.8}
_SILENT = frozenset({"history", "not authoritative"})


def _summary(memory: Memory, looking: Looking, found: Sequence[Hit], started: float) -> tuple[str, str]:
    """Return quotes, or with a language model what it makes of them; where the model fails or is late, quotes."""
    from mneme.engine.models import find_asking
    from mneme.models import ModelError
    from mneme.recall.active.summary import quotes
    from mneme.recall.active.writer import write_summary

    settings = looking.settings
    asking, _ = (None, "") if looking.quoting else find_asking(memory)
    if asking is None:
        return quotes(found, settings.summary_chars), ""
    longest, model = asking.limits.timeout_seconds, asking
    ends = started + looking.patience_ms * _SHARE_FOR_MODEL / 1000

    def ask(prompt: str, schema: dict[str, Any]) -> Any:  # noqa: ANN401 - the schema says what it is
        left = ends - time.monotonic()
        if left <= 0:
            raise ModelError(f"it had not answered within {looking.patience_ms} ms", "mneme active status")
        model.limits = dataclasses.replace(model.limits, timeout_seconds=min(longest, left))
        return model.ask("active memory", prompt, schema)

    try:
        return write_summary(
            settings,
            looking.question,
            found,
            ask,
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
    from mneme.engine.openclaw import openclaw_document
    from mneme.recall.active.settings import from_table, published_config, with_published

    settings = memory.workspace.settings
    names = (field.name for field in dataclasses.fields(from_table({})))
    found = from_table({name: settings[f"active.{name}"] for name in names})
    if host != OPENCLAW:
        return found
    return with_published(found, published_config(openclaw_document(memory)))


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
