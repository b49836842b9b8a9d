"""Choosing another embedder: its vectors are made beside the work, and until they are, the old ones answer."""

from __future__ import annotations

import hashlib
import json
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from mneme.engine import Memory, open_memory
from mneme.engine.watching import catch_up
from mneme.workspace import set_trust

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
ENTRIES = 300


class Talk(BaseHTTPRequestHandler):
    """Answers as an OpenAI-compatible server does, with vectors made of hashes of text and model."""

    server: Talking

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """Give a vector for each text."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((asked["model"], len(asked["input"])))
        rows = [
            {"index": number, "embedding": [byte - 127.5 for byte in hashlib.sha256(f"{asked['model']} {text}".encode()).digest()[:16]]}
            for number, text in enumerate(asked["input"])
        ]  # fmt: skip
        content = json.dumps({"data": rows}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class Talking(ThreadingHTTPServer):
    """A server, and which model it was asked for how many vectors."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Talk)
        self.asked: list[tuple[str, int]] = []


@pytest.fixture
def server() -> Iterator[Talking]:
    """Give a server that answers."""
    with Talking() as one:
        threading.Thread(target=one.serve_forever, daemon=True).start()
        yield one
        one.shutdown()


def opened(root: Path, server: Talking, model: str) -> Memory:
    """Return the workspace with an embedder of that name."""
    url = f"http://127.0.0.1:{server.server_port}/v1"
    (root / "mneme.toml").write_text(
        f'[index]\nbudget_ms = 0\n[embedder]\nkind = "openai"\nmodel = "{model}"\nurl = "{url}"\n', "utf-8"
    )
    set_trust(root, trusted=True)
    return open_memory(str(root), now=lambda: NOW)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a workspace of some hundred entries, trusted by nobody else."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "work").mkdir()
    lines = "".join(f"- entry {number} about harbour {number % 7}\n" for number in range(ENTRIES))
    (tmp_path / "work/MEMORY.md").write_text(f"# Memory\n\n{lines}", "utf-8")
    return tmp_path / "work"


def test_the_old_vectors_serve_until_the_new_are_made(root: Path, server: Talking) -> None:
    """Each recall makes some of the new vectors and is answered by the old ones; in the end the old ones are gone."""
    with opened(root, server, "first") as memory:
        assert memory.index().unembedded == 0
    server.asked.clear()
    with opened(root, server, "second") as memory:
        answers = [memory.recall("harbour entry 5")]
        while answers[-1].unembedded:
            answers.append(memory.recall(f"harbour entry {len(answers)}"))
        assert {answer.by for answer in answers} == {"words and meaning"}
        missing = [answer.unembedded for answer in answers]
        assert missing == sorted(missing, reverse=True)
        assert 0 < missing[0] < ENTRIES
        # A question goes to whoever answers it; both were asked, and in the end only the new one is.
        assert {model for model, _ in server.asked} == {"first", "second"}
        server.asked.clear()
        memory.recall("harbour entry 77")
        assert {model for model, _ in server.asked} == {"second"}
    kept = list((root / ".mneme.d").glob("index.sqlite-vectors-*"))
    assert len(kept) == 1


def test_vectors_are_made_while_nobody_asks(root: Path, server: Talking) -> None:
    """A stretch at a time, until all are there; it stops at once where somebody asks, and nothing is left to do then."""
    with opened(root, server, "first") as memory:
        memory.index()
    with opened(root, server, "second") as memory:
        assert catch_up(memory, lambda: True)
        server.asked.clear()
        asked = iter((False, True, True))
        assert catch_up(memory, lambda: next(asked))
        assert [model for model, _ in server.asked] == ["second"]
        while catch_up(memory, bool):
            pass
        assert sum(count for _, count in server.asked) == ENTRIES
        assert not catch_up(memory, bool)
        assert memory.recall("harbour entry 5").unembedded == 0
    assert len(list((root / ".mneme.d").glob("index.sqlite-vectors-*"))) == 1


def test_an_embedder_that_is_not_there_is_not_waited_for(root: Path, server: Talking) -> None:
    """Where no vector can be made, nobody tries again and again."""
    with opened(root, server, "first") as memory:
        memory.index()
    server.shutdown()
    server.server_close()
    with opened(root, server, "second") as memory:
        assert not catch_up(memory, bool)
