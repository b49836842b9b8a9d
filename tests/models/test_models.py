"""One seam to language models: real commands and a real server, and what is done with answers that cannot be used."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from mneme.models import Asking, Call, Limits, ModelChoice, ModelError, find_model, shape_faults

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCHEMA = {
    "type": "object",
    "properties": {"claims": {"type": "array", "items": {"type": "string", "maxLength": 20}, "maxItems": 2}},
    "required": ["claims"],
}


def python(program: str, **more: object) -> ModelChoice:
    """Return the choice of a model that is a Python program."""
    return ModelChoice("command", command=(sys.executable, "-c", program), **more)  # type: ignore[arg-type]


def asking(choice: ModelChoice, **limits: Any) -> tuple[Asking, list[Call]]:  # noqa: ANN401 - as Limits takes them
    """Return an asking and the list that its calls are told to."""
    model, reason = find_model(choice)
    assert model is not None, reason
    calls: list[Call] = []
    return Asking(model, Limits(**limits), calls.append), calls


def test_none_is_the_default() -> None:
    """Without a setting there is no model, and the reason is told."""
    assert find_model(ModelChoice()) == (None, "no language model is set")


def test_a_command_answers_its_standard_input() -> None:
    """The prompt is given whole, and the shape that is wanted with it."""
    program = "import sys, json; text = sys.stdin.read(); print(json.dumps({'claims': [text[:5], 'schema'[:6 if 'maxItems' in text else 0]]}))"
    one, calls = asking(python(program))
    assert one.ask("extract", "hello you", SCHEMA) == {"claims": ["hello", "schema"]}
    assert [(call.purpose, call.outcome) for call in calls] == [("extract", "taken")]


def test_an_answer_in_a_fence_is_read() -> None:
    """Models like to wrap JSON in a fence and a sentence."""
    one, _ = asking(python("print('Sure:\\n```json\\n{\"claims\": []}\\n```')"))
    assert one.ask("extract", "x", SCHEMA) == {"claims": []}


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("no", "no JSON"),
        ('{"claims": "x"}', "answer.claims is no array"),
        ('{"claims": ["a", "b", "c"]}', "2 are the most"),
        ('{"claims": [], "more": 1}', "not asked for"),
        ("{}", "lacks 'claims'"),
    ],
)
def test_an_answer_of_another_shape_is_asked_for_twice_and_then_refused(answer: str, fault: str) -> None:
    """The second question tells what was wrong with the first answer."""
    one, calls = asking(python(f"print({answer!r})"))
    with pytest.raises(ModelError, match=fault):
        one.ask("extract", "x", SCHEMA)
    assert len(calls) == 2
    assert calls[1].prompt_chars > calls[0].prompt_chars


def test_what_the_asker_finds_wrong_is_refused() -> None:
    """The shape may be right and the claim still unsupported."""
    one, _ = asking(python('print(\'{"claims": ["moon"]}\')'))
    with pytest.raises(ModelError, match="unsupported"):
        one.ask("extract", "x", SCHEMA, lambda value: ["unsupported"] if value["claims"] else [])


def test_a_command_that_hangs_ends_with_all_it_started(tmp_path: Path) -> None:
    """The deadline ends the whole process group, and it is told."""
    pid = tmp_path / "pid"
    program = f"import subprocess, time; p = subprocess.Popen(['sleep', '60']); open({str(pid)!r}, 'w').write(str(p.pid)); time.sleep(60)"
    one, calls = asking(python(program), timeout_seconds=1.0)
    started = time.monotonic()
    with pytest.raises(ModelError, match="did not answer within 1 s"):
        one.ask("extract", "x", SCHEMA)
    assert time.monotonic() - started < 20
    assert "did not answer" in calls[0].outcome
    for _ in range(100):
        if not _runs(int(pid.read_text())):
            break
        time.sleep(0.05)
    assert not _runs(int(pid.read_text()))


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:  # noqa: PTH123 - a kernel file
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_command_that_fails_is_told_with_its_last_words() -> None:
    """Its code and what it complained of."""
    one, _ = asking(python("import sys; sys.exit('no credit')"))
    with pytest.raises(ModelError, match="code 1: no credit"):
        one.ask("extract", "x", SCHEMA)


def test_a_command_that_is_not_there_is_no_model() -> None:
    """It is found out before anything is asked."""
    model, reason = find_model(ModelChoice("command", command=("no-such-model",), environment=dict(os.environ)))
    assert model is None
    assert "'no-such-model' is not there" in reason


def test_a_run_costs_no_more_than_its_limits() -> None:
    """Calls and sizes are counted before anything is sent."""
    one, calls = asking(python("print('{\"claims\": []}')"), calls=1, prompt_chars=1000)
    with pytest.raises(ModelError, match="1000 are the most"):
        one.ask("extract", "x" * 1000, SCHEMA)
    assert calls == []
    one.ask("extract", "x", SCHEMA)
    with pytest.raises(ModelError, match="asked the model 1 times"):
        one.ask("extract", "x", SCHEMA)


class _Chat(BaseHTTPRequestHandler):
    """Both protocols; what was asked is kept."""

    asked: list[dict[str, Any]] = []  # noqa: RUF012 - cleared by the fixture

    def do_POST(self) -> None:
        """Answer one question."""
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append({"path": self.path, "key": self.headers["Authorization"], **question})
        message = {"role": "assistant", "content": '{"claims": ["ok"]}'}
        body = {"message": message} if self.path == "/api/chat" else {"choices": [{"message": message}]}
        if question["model"] == "odd":
            body = {"choices": []}
        content = json.dumps(body).encode()
        self.send_response(401 if question["model"] == "refused" else 200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """Give the address of a server that speaks both protocols."""
    _Chat.asked.clear()
    running = HTTPServer(("127.0.0.1", 0), _Chat)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.mark.parametrize(("kind", "path"), [("openai", "/v1/chat/completions"), ("ollama", "/v1/api/chat")])
def test_a_server_is_asked_in_its_protocol(server: str, kind: str, path: str) -> None:
    """The name, the key and the prompt arrive; the answer is read."""
    choice = ModelChoice(kind, name="small", url=f"{server}/v1", key="k")
    if kind == "ollama":
        choice = ModelChoice(kind, name="small", url=server, key="k")
        path = "/api/chat"
    one, _ = asking(choice)
    assert one.ask("extract", "hello", SCHEMA) == {"claims": ["ok"]}
    (asked,) = _Chat.asked
    assert (asked["path"], asked["key"], asked["model"]) == (path, "Bearer k", "small")
    assert asked["messages"][0]["content"].startswith("hello")


@pytest.mark.parametrize(("name", "fault"), [("odd", "no message"), ("refused", "refused with status 401")])
def test_a_server_that_answers_something_else_is_an_error(server: str, name: str, fault: str) -> None:
    """Told with the address."""
    one, _ = asking(ModelChoice("openai", name=name, url=server))
    with pytest.raises(ModelError, match=fault):
        one.ask("extract", "hello", SCHEMA)


def test_shapes_are_checked_to_the_bottom() -> None:
    """Each fault has its place; a truth value is no number."""
    schema = {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}}
    assert list(shape_faults([{"n": 1}], schema)) == []
    assert list(shape_faults([{"n": 0}, {"n": True}], schema)) == [
        "answer[0].n is out of range",
        "answer[1].n is no integer",
    ]
    assert list(shape_faults("x", {"enum": ["a", "b"]})) == ["answer is none of a, b"]
