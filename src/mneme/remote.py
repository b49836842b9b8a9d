"""A JSON server at an address, asked over HTTP: embedders and language models are reached through it.

Standard library only. Every call ends by its deadline, whatever the server does; answers are bounded in size, and
redirects are refused, so that a key goes nowhere but to the address that was set.
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any

from mneme.errors import MnemeError

LARGEST_ANSWER_BYTES = 64 << 20
LARGEST_ERROR_BYTES = 4096
HERE = frozenset({"localhost", "127.0.0.1", "::1"})


class RemoteError(MnemeError):
    """A server cannot be reached, was too late, or refused; `status` is its answer's, `said` whether it gave a reason."""

    def __init__(self, message: str, hint: str = "", *, status: int = 0, said: bool = False) -> None:
        super().__init__(message, hint)
        self.status, self.said = status, said


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: it could carry the key elsewhere."""

    def redirect_request(self, *_: object) -> None:
        """Follow nothing."""


@dataclass(frozen=True, slots=True)
class Server:
    """A JSON server at an address: one request, one answer, within a time."""

    url: str
    key: str
    timeout_seconds: float
    what: str
    """What is asked there, as an error calls it."""

    @property
    def host(self) -> str:
        """Return the host and port, which tell one server's models from another's."""
        return urllib.parse.urlsplit(self.url).netloc.rpartition("@")[2]

    def ask(self, path: str, question: object = None) -> Any:  # noqa: ANN401 - JSON is whatever was sent
        """Post a question, or get when there is none, and return the answer."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        content = None if question is None else json.dumps(question).encode()
        # `urllib` also opens files; an address in the settings must not.
        if urllib.parse.urlsplit(self.url).scheme not in {"http", "https"}:
            message = f"'{self.url}' is no http or https address"
            raise RemoteError(message, f"edit mneme.toml: [{self.what}] url")
        request = urllib.request.Request(self.url.rstrip("/") + path, content, headers)  # noqa: S310 - checked above
        try:
            return json.loads(self._answer(request))
        except urllib.error.HTTPError as error:
            raise self._refusal(error) from error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            late = isinstance(error, TimeoutError) or isinstance(reason, TimeoutError)
            fault = f"did not answer within {self.timeout_seconds:g} s" if late else f"cannot be reached: {reason}"
            message = f"the {self.what} at '{self.url}' {fault}"
            raise RemoteError(message, f"curl -sS {self.url}") from error
        except ValueError as error:
            message = f"the {self.what} at '{self.url}' answered with something that is not JSON"
            raise RemoteError(message, f"curl -sS {self.url}") from error

    def _answer(self, request: urllib.request.Request) -> bytes:
        # A socket's timeout starts again with every byte; the deadline is what a dripping server meets.
        deadline = time.monotonic() + self.timeout_seconds
        handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
        if urllib.parse.urlsplit(self.url).hostname in HERE:
            handlers.append(urllib.request.ProxyHandler({}))
        opener = urllib.request.build_opener(*handlers)
        answer = bytearray()
        with opener.open(request, timeout=self.timeout_seconds) as response:
            while part := response.read1(1 << 16):
                answer += part
                if time.monotonic() > deadline:
                    raise TimeoutError
                if len(answer) > LARGEST_ANSWER_BYTES:
                    message = f"the {self.what} at '{self.url}' answered with more than {LARGEST_ANSWER_BYTES >> 20} MB"
                    raise RemoteError(message, f"curl -sS {self.url}")
        return bytes(answer)

    def _refusal(self, error: urllib.error.HTTPError) -> RemoteError:
        said = _said(error)
        message = f"the {self.what} at '{self.url}' refused with status {error.code}{said and ': ' + said}"
        hint = "ollama pull MODEL" if "pull" in said else f"curl -sS {self.url}"
        return RemoteError(message, hint, status=error.code, said=bool(said))


def _said(error: urllib.error.HTTPError) -> str:
    """Return the one sentence an error answer says, if it says one in JSON."""
    try:
        with error:
            answer = json.loads(error.read(LARGEST_ERROR_BYTES))
        fault = answer.get("error", "")
        said = fault.get("message", "") if isinstance(fault, dict) else fault
    except (OSError, ValueError, AttributeError, http.client.HTTPException):
        return ""
    return " ".join(str(said).split())[:200]
