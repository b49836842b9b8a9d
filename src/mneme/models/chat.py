"""Language models behind HTTP: Ollama, and whatever speaks the OpenAI chat protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.models.choice import OLLAMA, ModelError
from mneme.remote import RemoteError, Server

if TYPE_CHECKING:
    from mneme.models.choice import ModelChoice

OLLAMA_URL = "http://127.0.0.1:11434"
_WHAT = "model"


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A model of a server; every question is a conversation of one message, answered as JSON where it can be asked."""

    name: str
    url: str
    key: str
    path: str

    def complete(self, prompt: str, timeout_seconds: float) -> str:
        """Ask the server once."""
        question = {"model": self.name, "messages": [{"role": "user", "content": prompt}], "stream": False}
        if self.path == _OLLAMA_PATH:
            question |= {"format": "json", "options": {"temperature": 0}}
        else:
            question |= {"temperature": 0, "response_format": {"type": "json_object"}}
        try:
            answer = Server(self.url, self.key, timeout_seconds, _WHAT).ask(self.path, question)
        except RemoteError as fault:
            raise ModelError(fault.message, fault.hint) from fault
        return _text_in(answer, self.url)


_OLLAMA_PATH, _OPENAI_PATH = "/api/chat", "/chat/completions"


def _text_in(answer: object, url: str) -> str:
    message: object = None
    if isinstance(answer, dict):
        choices = answer.get("choices")
        message = answer.get("message")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            message = choices[0].get("message")
    text = message.get("content") if isinstance(message, dict) else None
    if not isinstance(text, str):
        said = f"the model at '{url}' answered with something that is no message"
        raise ModelError(said, f"curl -sS {url}")
    return text


def open_chat(choice: ModelChoice) -> ChatModel:
    """Return the model of a server; it needs a name, and an address unless it is Ollama on this machine."""
    if not choice.name:
        raise ModelError("no name is set for the language model", 'edit mneme.toml: [model] name = "..."')
    if choice.kind == OLLAMA:
        return ChatModel(choice.name, choice.url or OLLAMA_URL, choice.key, _OLLAMA_PATH)
    if not choice.url:
        raise ModelError("no address is set for the language model", 'edit mneme.toml: [model] url = "https://..."')
    return ChatModel(choice.name, choice.url, choice.key, _OPENAI_PATH)
