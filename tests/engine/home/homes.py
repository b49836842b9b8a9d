"""What the tests of the home share: a clock, an embedder that knows words alone, and five cards."""

from __future__ import annotations

import hashlib
import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from mneme.formats.card import Card
from mneme.index.embed.protocol import EmbedderError, Vectors, unit_vectors
from mneme.index.words import parse_query

if TYPE_CHECKING:
    from collections.abc import Sequence


class Clock:
    """A clock that moves one second with each look."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 31, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the next second."""
        self.moment += timedelta(seconds=1)
        return self.moment


class HashingEmbedder:
    """Vectors from words alone: texts are as near as the words that they share. It counts how often it was asked."""

    name = "hashing/2048@1"
    dims = 2048

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.purposes: list[str] = []
        self.fails = False

    def embed_query(self, texts: Sequence[str], instruction: str = "") -> Vectors:
        """Return a vector for each question."""
        self.asked.append(list(texts))
        self.purposes.append(instruction)
        return self.embed_documents(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text."""
        if self.fails:
            raise EmbedderError("the server does not answer")
        return unit_vectors(map(self._vector, texts), self.dims, self.name)

    def _vector(self, text: str) -> list[float]:
        numbers = [1e-3] * self.dims
        for term in parse_query(text).terms:
            place = int.from_bytes(hashlib.sha256(term.encode()).digest()[:4], "big") % self.dims
            numbers[place] += 1.0
        length = math.sqrt(sum(number * number for number in numbers))
        return [number / length for number in numbers]


CARDS = (
    Card("page_picture", "Page picture", "web_browser", "capture a web page", ("screenshot", "captura de tela"),
         "Opens a page in a headless browser and saves a picture of it.", ("url",), ("full_page",), "shot(url)", source="mcp"),
    Card("chat_send", "Chat", "comms", "send a chat message", ("telegram", "mensagem"),
         "Sends a text to a chat on Telegram.", ("chat", "text"), source="mcp"),
    Card("table_query", "Tables", "db", "run SQL against the database", ("sql", "banco de dados"),
         "Runs a read-only statement and returns rows.", ("sql",), source="mcp"),
    Card("film_convert", "Film", "audio_media", "convert audio and video", ("ffmpeg", "vídeo"),
         "Converts, cuts and joins films.", source="os"),
    Card("image_words", "Image words", "vision_image", "read the text in an image", ("ocr",),
         "Recognises printed letters in scans and photographs.", source="os"),
)  # fmt: skip
