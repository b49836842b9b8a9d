"""`mneme recall` and the resident engine: the same answer, whoever finds it, and none from an engine that is amiss."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.hooks.hosting import User, new_user

from mneme.engine.answers import parse_answer, print_answer
from mneme.errors import Problem
from mneme.formats.recalled import RECALL_LOG
from mneme.formats.record import Link, Record
from mneme.hooks.call import ACKNOWLEDGED, COMPLETE
from mneme.recall.answer import Answer, Conflict, Hit

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORD = Record(
    "DEC-0009", "decision", "memory/a.mneme", 3, 5, "told by the engine", links=(Link("relates", "X-1", 4),)
)
HIT = Hit(RECORD, 0.1 + 0.2, "use", -0.7, (("words", 1 / 3),), conflicts=(Conflict("X-1", "5 or 6", wins=True),))
WHOLE = Answer(
    (HIT,),
    certain=True,
    window=("2026-01-01", "2026-01-31"),
    notices=("n",),
    problems=(Problem("p", 1, "r", "warn", "m"),),
)
QUESTIONS = (
    ["where does the parser live?"],
    ["parser", "--json"],
    ["parser", "--explain", "-k", "1"],
    ["DEC-0001", "--state", "any", "--words"],
    ["the weather on Mars", "--strict"],
    ["parser", "--kind", "no-such-kind"],
    ["parser", "-k", "0"],
)


@pytest.fixture
def user() -> Iterator[User]:
    """Give a user of our own, who trusts their memory."""
    with new_user() as one:
        one.mneme("trust")
        yield one


@contextmanager
def engine_that_says(user: User, answer: bytes) -> Iterator[list[bytes]]:
    """Stand where the engine does, and answer every call by the same bytes; yields what was heard."""
    user.socket.parent.mkdir(mode=0o700)
    heard: list[bytes] = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.bind(str(user.socket))
        line.listen()

        def attend() -> None:
            while True:
                try:
                    caller, _ = line.accept()
                except OSError:
                    return
                with caller:
                    heard.append(_all_of(caller))
                    caller.sendall(answer)

        thread = threading.Thread(target=attend, daemon=True)
        thread.start()
        yield heard
        line.shutdown(socket.SHUT_RDWR)
    thread.join()


def _all_of(caller: socket.socket) -> bytes:
    parts = []
    while part := caller.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def said(user: User, *words: str) -> tuple[int, bytes, bytes]:
    """Return what a command ends with and prints."""
    done = user.mneme(*words)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("answer", [WHOLE, Answer()])
def test_an_answer_survives_the_way(answer: Answer) -> None:
    """Every field and every digit; another version, half an answer and anything else are none."""
    content = print_answer(answer)
    assert parse_answer(content) == answer
    other = json.dumps({**json.loads(content), "version": 0}).encode()
    assert [parse_answer(one) for one in (other, content[:-9], b"", b"[]", b"\xff")] == [None] * 5


def test_the_engine_is_asked_where_one_runs(user: User) -> None:
    """What it says is what is printed; so the command need not load what finds it."""
    with engine_that_says(user, ACKNOWLEDGED + print_answer(WHOLE) + COMPLETE) as heard:
        code, out, _ = said(user, "recall", "parser")
    assert code == 0
    assert b"told by the engine" in out
    assert len(heard) == 1


@pytest.mark.parametrize(
    "answer", [b"", b"no", ACKNOWLEDGED, ACKNOWLEDGED + b"{}" + COMPLETE, ACKNOWLEDGED + b'{"version": 1']
)
def test_an_engine_that_is_amiss_is_done_without(user: User, answer: bytes) -> None:
    """Nothing, nonsense, half an answer: the command finds it alone."""
    alone = said(user, "recall", "parser", "--words")
    with engine_that_says(user, answer):
        assert said(user, "recall", "parser", "--words") == alone


def test_what_another_day_or_a_shared_context_asks_is_not_the_engines(user: User) -> None:
    """It lives today, and would say what is private."""
    with engine_that_says(user, ACKNOWLEDGED + print_answer(WHOLE) + COMPLETE) as heard:
        user.mneme("recall", "parser", "--words", "--today", "2026-02-03")
        user.mneme("recall", "parser", "--words", "--context", "shared")
    assert heard == []


def test_it_makes_no_difference_who_finds_the_answer(user: User) -> None:
    """Output, messages and exit code are the same with an engine and without, and what was just written is found."""
    alone = [said(user, "recall", *words) for words in QUESTIONS]
    user.start_engine()
    assert [said(user, "recall", *words) for words in QUESTIONS] == alone
    user.mneme("remember", "The lexer was thrown away", "--kind", "decision", "--topic", "code/lexer")
    assert b"thrown away" in said(user, "recall", "what became of the lexer?")[1]
    asked = (user.workspace / ".mneme.d" / RECALL_LOG).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["origin"] for line in asked] == ["asked"] * len(asked)
    assert len(asked) == 2 * sum(code == 0 for code, _, _ in alone) + 1
