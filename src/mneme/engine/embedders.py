"""The embedders of this process: each opened once, whoever asks, and left alone for a while after it failed.

A question that was just asked keeps its vectors, so that a prompt costs one embedding however many parts of an answer
need it. Somebody in a hurry is not kept waiting by a server that hangs: after a second it counts as one that failed.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from mneme.index.embed.choice import DEFAULT, REMOTE_KINDS, EmbedderChoice, find_embedder
from mneme.index.embed.protocol import EmbedderError, Vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mneme.index.embed import Embedder

RESTS_SECONDS = 60.0
HURRIED_SECONDS = 1.0
MOST_QUESTIONS, MOST_AHEAD = 64, 8

T = TypeVar("T")


class SharedEmbedder:
    """An embedder with the questions it was last asked; after a failure it rests, and says so at once."""

    __slots__ = ("_ahead", "_deaf", "_embedder", "_hurried", "_known", "dims", "name")

    def __init__(self, embedder: Embedder, choice: EmbedderChoice, *, hurried: bool) -> None:
        self._embedder = embedder
        self._hurried = hurried and choice.kind in REMOTE_KINDS
        self._deaf = choice.kind == DEFAULT  # what a question is for is the same to it
        self._known: OrderedDict[tuple[str, tuple[str, ...]], Vectors] = OrderedDict()
        self._ahead: dict[tuple[str, ...], Future[Vectors]] = {}
        self.name = embedder.name
        self.dims = embedder.dims

    def embed_query(self, texts: Sequence[str], instruction: str = "") -> Vectors:
        """Return a vector for each question."""
        key = "" if self._deaf else instruction, tuple(texts)
        known = self._known.pop(key, None)
        if known is None:
            coming = self._ahead.pop(key[1], None)
            known = coming.result() if coming else self._asked(lambda: self._embedder.embed_query(texts, instruction))
        self._known[key] = known
        while len(self._known) > MOST_QUESTIONS:
            self._known.popitem(last=False)
        return known

    def ask_ahead(self, texts: Sequence[str]) -> None:
        """Begin with a question that is about to be asked, beside whatever else is done until then.

        Only by the package's own embedder, and only where it has answered before: it is then loaded, and needed.
        """
        key = tuple(texts)
        if not self._deaf or not self._known or ("", key) in self._known or key in self._ahead:
            return
        while len(self._ahead) >= MOST_AHEAD:  # those that nobody asked for after all
            self._ahead.pop(next(iter(self._ahead)), None)
        self._ahead[key] = begun(lambda: self._embedder.embed_query(key))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text."""
        return self._asked(lambda: self._embedder.embed_documents(texts))

    def _asked(self, ask: Callable[[], Vectors]) -> Vectors:
        if not self._hurried:
            return ask()
        if time.monotonic() < _RESTING.get(self.name, 0.0):
            raise _resting(self.name)
        try:
            return within(HURRIED_SECONDS, ask)
        except EmbedderError:
            _RESTING[self.name] = time.monotonic() + RESTS_SECONDS
            raise


_RESTING: dict[str, float] = {}
_OPENED: dict[tuple[EmbedderChoice, bool], tuple[SharedEmbedder | None, str, float]] = {}


def shared_embedder(choice: EmbedderChoice, *, hurried: bool = False) -> tuple[Embedder | None, str]:
    """Return the embedder of a choice, or None and the reason; one that could not be opened is tried again later."""
    held = _OPENED.get((choice, hurried))
    if held is None or (held[0] is None and time.monotonic() > held[2]):
        held = (*_opened(choice, hurried=hurried), time.monotonic() + RESTS_SECONDS)
        _OPENED[choice, hurried] = held
    return held[0], held[1]


def _opened(choice: EmbedderChoice, *, hurried: bool) -> tuple[SharedEmbedder | None, str]:
    try:
        if hurried and choice.kind in REMOTE_KINDS:
            embedder, reason = within(HURRIED_SECONDS, lambda: find_embedder(choice))
        else:
            embedder, reason = find_embedder(choice)
    except EmbedderError as fault:
        return None, fault.message
    return (None, reason) if embedder is None else (SharedEmbedder(embedder, choice, hurried=hurried), "")


def begun(ask: Callable[[], T]) -> Future[T]:
    """Begin with what is asked for in a thread of its own."""
    coming: Future[T] = Future()

    def work() -> None:
        try:
            coming.set_result(ask())
        except BaseException as fault:  # noqa: BLE001 - told to whoever waits
            coming.set_exception(fault)

    threading.Thread(target=work, daemon=True).start()
    return coming


def within(seconds: float, ask: Callable[[], T]) -> T:
    """Return what is asked for, or fail when it takes longer; whoever is late goes on unheard."""
    try:
        return begun(ask).result(seconds)
    except TimeoutError as late:
        message = f"the embedder has not answered within {seconds:g} s"
        raise EmbedderError(message, "mneme index") from late


def _resting(name: str) -> EmbedderError:
    message = f"the embedder '{name}' failed a moment ago, and is not asked again yet"
    return EmbedderError(message, "mneme index")
