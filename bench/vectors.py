"""The default embedder, opened once for all workspaces of a run, with every vector that it ever gave kept in a file.

What it gives is what the product would make by itself, bit for bit; delete the file and it is made again.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import pickle
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from mneme.index.embed import EmbedderChoice, choice, find_embedder
from mneme.index.embed.protocol import Vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

CACHE = Path(tempfile.gettempdir()) / "mneme-bench-vectors"


class Kept:
    """An embedder whose vectors are kept; to the product it is the default embedder."""

    def __init__(self, folder: Path = CACHE.parent) -> None:
        self._embedder, reason = find_embedder(EmbedderChoice())
        if self._embedder is None:
            sys.exit(f"the default embedder cannot be had: {reason}")
        self.name, self.dims = self._embedder.name, self._embedder.dims
        self._path = folder / f"{CACHE.name}-{re.sub('[^a-z0-9]+', '-', self.name)}"
        self._held: dict[str, bytes] = pickle.loads(self._path.read_bytes()) if self._path.exists() else {}  # noqa: S301 - our own file
        self._fresh = 0
        atexit.register(self._write)

    def embed_query(self, texts: Sequence[str], instruction: str = "") -> Vectors:
        """Return a vector for each question."""
        del instruction
        return self.embed_documents(texts)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text."""
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._held}
        if fresh:
            self._held.update(zip(fresh, map(bytes, self._embedder.embed_documents(list(fresh.values()))), strict=True))
            self._fresh += len(fresh)
        return Vectors(self.dims, b"".join(self._held[key] for key in keys))

    def lend(self) -> None:
        """Be what the product opens as its default embedder in this process, so that the model is loaded once."""
        choice.find_embedder = lambda wanted: (self, "") if wanted.kind == choice.DEFAULT else find_embedder(wanted)

    def _write(self) -> None:
        if self._fresh:
            half_written = self._path.with_name(f"{self._path.name}.{os.getpid()}")
            half_written.write_bytes(pickle.dumps(self._held))
            half_written.replace(self._path)
