"""What each family of models wants to be told with a text, and what a question is for.

A purpose is a sentence in our words (`RECALL`, `CAPABILITY`); a family's habits say how a model was trained to hear
it. A model trained without instructions hears none: a prefix it has never seen only moves its vectors.
"""

from __future__ import annotations

from dataclasses import dataclass

RECALL = "Given a question or a remark, retrieve the notes that answer it or bear on it: "
CAPABILITY = "Given this task intent, retrieve tools that enable it: "


@dataclass(frozen=True, slots=True)
class Habits:
    """How one family of models takes its texts; `{purpose}` and `{text}` are replaced."""

    query: str = "{text}"
    document: str = "{text}"

    def question(self, text: str, instruction: str) -> str:
        """Return what the model is given for a question."""
        purpose = (instruction or RECALL).strip()
        return _filled(self.query, text, purpose)

    def answer(self, text: str) -> str:
        """Return what the model is given for a text that is to be found."""
        return _filled(self.document, text, "")


def _filled(shape: str, text: str, purpose: str) -> str:
    # The purpose first: a text may contain braces of its own, and stays as it is.
    before, _, after = shape.replace("{purpose}", purpose).partition("{text}")
    return f"{before}{text}{after}"


_REPRESENT = Habits("Represent this sentence for searching relevant passages: {text}")
_INSTRUCT = Habits("Instruct: {purpose}\nQuery: {text}")

# The first name that occurs in the model's decides, so that a longer name stands above the shorter one in it.
HABITS: tuple[tuple[str, Habits], ...] = (
    ("qwen3-embedding", Habits("Instruct: {purpose}\nQuery:{text}")),
    ("e5-mistral", _INSTRUCT),
    ("e5-large-instruct", _INSTRUCT),
    ("gte-qwen", _INSTRUCT),
    ("e5", Habits("query: {text}", "passage: {text}")),
    ("nomic-embed-text", Habits("search_query: {text}", "search_document: {text}")),
    ("embeddinggemma", Habits("task: search result | query: {text}", "title: none | text: {text}")),
    ("snowflake-arctic-embed2", Habits("query: {text}")),
    ("snowflake-arctic-embed-m-v2", Habits("query: {text}")),
    ("snowflake-arctic-embed-l-v2", Habits("query: {text}")),
    ("snowflake-arctic-embed", _REPRESENT),
    ("mxbai-embed", _REPRESENT),
    ("bge-m3", Habits()),
    ("bge-small-zh", Habits("为这个句子生成表示以用于检索相关文章：{text}")),
    ("bge-base-zh", Habits("为这个句子生成表示以用于检索相关文章：{text}")),
    ("bge-large-zh", Habits("为这个句子生成表示以用于检索相关文章：{text}")),
    ("bge-", _REPRESENT),
)


def habits_of(model: str) -> Habits:
    """Return how a model takes its texts; one nobody has described takes them as they are."""
    name = model.lower()
    return next((habits for part, habits in HABITS if part in name), Habits())
