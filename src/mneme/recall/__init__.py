"""Question -> the memories that answer it, each with its score, its trust and its reasons; or nothing.

`find_answer` is the one way in. It is given an index and the present day, looks nothing up anywhere else, and writes
nothing: what was recalled is logged by the engine.
"""

from mneme.recall.answer import Answer, Conflict, Hit
from mneme.recall.find import Request, find_answer

__all__ = ["Answer", "Conflict", "Hit", "Request", "find_answer"]
