"""Turning texts into vectors: what every embedder promises, and which embedder a setting means.

An embedder has a name that no other model, revision or size shares; vectors under one name are compared with each
other and never with those of another name. Vectors are unit length. Importing this loads neither numpy nor a model
runtime, and where no embedder can be had, `find_embedder` says so with None: recall is then by words alone.
"""

from mneme.index.embed.choice import EmbedderChoice, find_embedder, open_embedder
from mneme.index.embed.instructions import CAPABILITY, RECALL, Habits, habits_of
from mneme.index.embed.protocol import Embedder, EmbedderError, Vectors, unit_vectors

__all__ = [
    "CAPABILITY",
    "RECALL",
    "Embedder",
    "EmbedderChoice",
    "EmbedderError",
    "Habits",
    "Vectors",
    "find_embedder",
    "habits_of",
    "open_embedder",
    "unit_vectors",
]
