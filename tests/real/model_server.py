"""A language model of our own, on this machine alone: it speaks three companies' protocols and says what a script says.

A host is pointed at it instead of at its own service. What the host sends is kept, so that a test can read what reached
the model; what it would send anywhere else goes to the same server as to a proxy, and is kept as well, unanswered.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Say:
    """The model says something."""

    text: str


@dataclass(frozen=True, slots=True)
class Use:
    """The model uses a tool."""

    tool: str
    given: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for an answer: what was said until then, a pair of role and text each, and which tools there are."""

    body: Mapping[str, Any]
    said: tuple[tuple[str, str], ...]
    tools: tuple[str, ...]

    @property
    def text(self) -> str:
        """All that the model was sent, in order."""
        return "\n".join(text for _, text in self.said)

    @property
    def last(self) -> str:
        """What a person said last, and what the host put beside it."""
        return next((text for role, text in reversed(self.said) if role == "user"), "")

    @property
    def results(self) -> tuple[str, ...]:
        """What came back from tools since a person said something."""
        found: list[str] = []
        for role, text in self.said:
            found = [*found, text] if role == "tool" else [] if role == "user" else found
        return tuple(found)


@dataclass(slots=True)
class ModelServer:
    """The server; `script` gives for words of a prompt what the model does, one step after each tool's answer."""

    script: Mapping[str, Sequence[Say | Use]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    _http: _Http | None = None

    def __enter__(self) -> Self:
        self._http = _Http(self)
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()

    @property
    def address(self) -> str:
        """Where it listens."""
        assert self._http is not None
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def about(self, words: str) -> list[Asked]:
        """Return the requests in answer to a prompt with these words, in order, that the host's agent itself made."""
        return [one for one in self.asked if words in one.last and one.tools]

    def answer(self, asked: Asked) -> Say | Use:
        """Keep a request, and return what the script says to it."""
        self.asked.append(asked)
        steps = next((steps for words, steps in self.script.items() if words in asked.last), ())
        step = len(asked.results)
        return steps[step] if step < len(steps) and (asked.tools or isinstance(steps[step], Say)) else Say("Done.")


class _Http(ThreadingHTTPServer):
    """The listening part of a model server."""

    daemon_threads = True

    def __init__(self, model: ModelServer) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    """One request after the other from one caller."""

    server: _Http
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        if self.path.startswith("http://"):
            self._refuse()
            return
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._send_json({"input_tokens": len(json.dumps(body)) // 4})
        elif path.endswith(":countTokens"):
            self._send_json({"totalTokens": len(json.dumps(body)) // 4})
        elif path.endswith("/messages"):
            step = self.server.model.answer(_asked_of_messages(body))
            self._send(_messages_events(step), stream=bool(body.get("stream")), whole=_message(step))
        elif path.endswith("/responses"):
            step = self.server.model.answer(_asked_of_responses(body))
            self._send(_responses_events(step), stream=True)
        elif path.endswith((":streamGenerateContent", ":generateContent")):
            step = self.server.model.answer(_asked_of_gemini(body))
            whole = _gemini_answer(step)
            self._send([("", whole)], stream=":stream" in path, whole=whole)
        else:
            self._send_json({})

    def do_GET(self) -> None:
        if self.path.startswith("http://"):
            self._refuse()
        else:
            self._send_json({"models": [], "data": []})

    def do_HEAD(self) -> None:
        self._send_json({})

    def do_CONNECT(self) -> None:
        self._refuse()

    def _refuse(self) -> None:
        self.server.model.strangers.append(self.path)
        self.send_error(502)
        self.close_connection = True

    def _send(self, events: Iterable[tuple[str, Any]], *, stream: bool, whole: Any = None) -> None:  # noqa: ANN401
        if not stream:
            self._send_json(whole)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for name, data in events:
            head = f"event: {name}\n" if name else ""
            self.wfile.write(f"{head}data: {json.dumps(data)}\n\n".encode())
        self.close_connection = True

    def _send_json(self, value: object) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


# Anthropic's Messages.


def _asked_of_messages(body: Mapping[str, Any]) -> Asked:
    system = body.get("system") or ""
    said = [("system", _text(system))]
    for message in body.get("messages", ()):
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        results = [_text(part.get("content")) for part in parts if part["type"] == "tool_result"]
        texts = [part["text"] for part in parts if part["type"] == "text"]
        said += [("tool", text) for text in results]
        # What stands beside the answers of tools is the host's, not a person's.
        said += [("beside" if results else message["role"], "\n".join(texts))] if texts else []
    return Asked(body, tuple(said), tuple(tool["name"] for tool in body.get("tools") or ()))


def _text(content: Any) -> str:  # noqa: ANN401
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content if isinstance(content, str) else ""


def _block(step: Say | Use) -> dict[str, Any]:
    if isinstance(step, Say):
        return {"type": "text", "text": step.text}
    return {"type": "tool_use", "id": _new_id("toolu"), "name": step.tool, "input": dict(step.given)}


def _message(step: Say | Use) -> dict[str, Any]:
    return {
        "id": _new_id("msg"), "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [_block(step)],
        "stop_reason": "end_turn" if isinstance(step, Say) else "tool_use", "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 10},
    }  # fmt: skip


def _messages_events(step: Say | Use) -> Iterator[tuple[str, Any]]:
    whole = _message(step)
    block = whole["content"][0]
    if isinstance(step, Say):
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": step.text}
    else:
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    for event in (
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 10}},
        {"type": "message_stop"},
    ):
        yield event["type"], event


# OpenAI's Responses.


def _asked_of_responses(body: Mapping[str, Any]) -> Asked:
    said = [("system", body.get("instructions") or "")]
    for item in body.get("input", ()):
        if item.get("type") == "message":
            said.append((item["role"], _text(item.get("content"))))
        elif str(item.get("type")).endswith("_output"):
            output = item.get("output")
            said.append(("tool", output if isinstance(output, str) else json.dumps(output)))
    return Asked(body, tuple(said), tuple(tool.get("name", tool["type"]) for tool in body.get("tools") or ()))


def _responses_events(step: Say | Use) -> Iterator[tuple[str, Any]]:
    if isinstance(step, Say):
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        item = {"type": "message", "id": _new_id("msg"), "role": "assistant", "status": "completed", "content": content}
    else:
        item = {
            "type": "function_call", "id": _new_id("fc"), "call_id": _new_id("call"),
            "name": step.tool, "arguments": json.dumps(step.given), "status": "completed",
        }  # fmt: skip
    usage = {
        "input_tokens": 100, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 10, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 110,
    }  # fmt: skip
    response = {"id": _new_id("resp"), "object": "response", "status": "completed", "output": [item], "usage": usage}
    for event in (
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ):
        yield event["type"], event


# Google's Gemini.


def _asked_of_gemini(body: Mapping[str, Any]) -> Asked:
    said = [("system", _text((body.get("systemInstruction") or {}).get("parts", [])))]
    for message in body.get("contents", ()):
        parts = message.get("parts", ())
        said += [("tool", json.dumps(part["functionResponse"])) for part in parts if "functionResponse" in part]
        texts = [part["text"] for part in parts if "text" in part]
        role = "beside" if any("functionResponse" in part for part in parts) else message.get("role", "user")
        said += [(role, "\n".join(texts))] if texts else []
    tools = [one["name"] for tool in body.get("tools") or () for one in tool.get("functionDeclarations", ())]
    return Asked(body, tuple(said), tuple(tools))


def _gemini_answer(step: Say | Use) -> dict[str, Any]:
    part: dict[str, Any] = {"text": step.text} if isinstance(step, Say) else {}
    if isinstance(step, Use):
        part = {"functionCall": {"name": step.tool, "args": dict(step.given)}}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}


_COUNTED = threading.Lock()
_COUNT = [0]


def _new_id(kind: str) -> str:
    with _COUNTED:
        _COUNT[0] += 1
        return f"{kind}_{_COUNT[0]:024d}"
