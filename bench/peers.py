"""Other memory systems on the same questions, each through its own door; those that are not installed are named.

    bench/peers.py --data DIR [--json]        how to install them: bench/peers.txt

What embeds is given the same vectors as the product's default embedder makes. None of them is asked to extract anything
with a language model. The reference server of the Model Context Protocol finds a query only as it stands, so it is asked
for each word of a question and its answers are counted, as an agent would.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from mneme.index.words import QUIET_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from stores import Store
    from vectors import Kept

    Ask = Callable[[str], list[int]]

LIMIT = 20
SERVER = "node_modules/@modelcontextprotocol/server-memory/dist/index.js"


class RankBm25:
    """Plain BM25 over lower-case words."""

    name = package = "rank_bm25"

    def __init__(self, kept: Kept) -> None:
        from rank_bm25 import BM25Okapi

        del kept
        self._index = BM25Okapi

    @contextmanager
    def filled(self, store: Store) -> Iterator[Ask]:
        """Hold a store for as long as it is asked."""
        index = self._index([_words(text) for text in store.texts])

        def ask(question: str) -> list[int]:
            scores = index.get_scores(_words(question))
            return sorted(range(len(scores)), key=lambda place: -scores[place])[:LIMIT]

        yield ask


class Chroma:
    """A collection in a client of its own."""

    name = package = "chromadb"

    def __init__(self, kept: Kept) -> None:
        import chromadb

        self._kept = kept
        self._client = chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False))

    @contextmanager
    def filled(self, store: Store) -> Iterator[Ask]:
        """Hold a store for as long as it is asked."""
        held = self._client.create_collection("bench", metadata={"hnsw:space": "cosine"})
        for first in range(0, len(store.texts), 1000):
            texts = list(store.texts[first : first + 1000])
            ids = [str(first + place) for place in range(len(texts))]
            held.add(ids=ids, documents=texts, embeddings=self._kept.embed_documents(texts).matrix())

        def ask(question: str) -> list[int]:
            vector = self._kept.embed_query([question]).matrix()
            found = held.query(query_embeddings=vector, n_results=min(LIMIT, len(store.texts)))
            return [int(one) for one in found["ids"][0]]

        yield ask
        self._client.delete_collection("bench")


class LangGraph:
    """The store that LangGraph keeps memories in, with an index."""

    name, package = "langgraph store", "langgraph"

    def __init__(self, kept: Kept) -> None:
        from langgraph.store.memory import InMemoryStore

        self._store = InMemoryStore
        self._index = {
            "dims": kept.dims,
            "embed": lambda texts: kept.embed_documents(list(texts)).matrix().tolist(),
            "fields": ["text"],
        }

    @contextmanager
    def filled(self, store: Store) -> Iterator[Ask]:
        """Hold a store for as long as it is asked."""
        held = self._store(index=self._index)
        for place, text in enumerate(store.texts):
            held.put(("bench",), str(place), {"text": text})
        yield lambda question: [int(one.key) for one in held.search(("bench",), query=question, limit=LIMIT)]


class Mem0:
    """Memories as they are given: nothing is inferred."""

    name, package = "mem0, infer=False", "mem0ai"

    def __init__(self, kept: Kept) -> None:
        os.environ.setdefault("MEM0_TELEMETRY", "false")
        os.environ.setdefault("OPENAI_API_KEY", "none is asked")
        self._folder = tempfile.TemporaryDirectory()
        os.environ["MEM0_DIR"] = self._folder.name
        from mem0 import Memory

        self._memory, self._kept, self._number = Memory, kept, 0

    @contextmanager
    def filled(self, store: Store) -> Iterator[Ask]:
        """Hold a store for as long as it is asked."""
        self._number += 1
        where = {"path": f"{self._folder.name}/{self._number}", "collection_name": "bench"}
        held = self._memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": where | {"embedding_model_dims": self._kept.dims}},
                "embedder": {"provider": "openai", "config": {"embedding_dims": self._kept.dims}},
                "history_db_path": f"{self._folder.name}/{self._number}.db",
            }
        )
        held.embedding_model = _AsMem0(self._kept)
        for place, text in enumerate(store.texts):
            held.add(text, user_id="bench", infer=False, metadata={"place": place})

        def ask(question: str) -> list[int]:
            try:
                found = held.search(question, filters={"user_id": "bench"}, top_k=LIMIT)
            except (TypeError, ValueError):
                found = held.search(question, user_id="bench", limit=LIMIT)
            return [one["metadata"]["place"] for one in found["results"]]

        yield ask


class _AsMem0:
    """An embedder as mem0 calls it."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self.config = type("Config", (), {"embedding_dims": kept.dims, "model": kept.name})()

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Return one vector."""
        del memory_action
        return self._kept.embed_documents([text]).matrix()[0].tolist()

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        """Return several."""
        del memory_action
        return self._kept.embed_documents(texts).matrix().tolist()


class ReferenceServer:
    """The memory server of the Model Context Protocol's own collection, run for real over its pipes."""

    name, package = "mcp server-memory", ""

    def __init__(self, kept: Kept) -> None:
        del kept
        self._script = Path(os.environ.get("MNEME_PEERS", ".")) / SERVER
        if not self._script.exists() or not shutil.which("node"):
            message = f"no '{SERVER}' in MNEME_PEERS, or no node"
            raise ImportError(message)

    @contextmanager
    def filled(self, store: Store) -> Iterator[Ask]:
        """Hold a store for as long as it is asked."""
        with tempfile.TemporaryDirectory() as folder:
            surroundings = os.environ | {"MEMORY_FILE_PATH": f"{folder}/memory.jsonl"}
            with subprocess.Popen(
                [shutil.which("node") or "node", str(self._script)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=surroundings,
                text=True,
            ) as process:
                server = _Server(process)
                entities = [
                    {"name": f"n{place}", "entityType": "turn", "observations": [text]}
                    for place, text in enumerate(store.texts)
                ]
                server.tool("create_entities", {"entities": entities})
                yield lambda question: _by_words(server, question)
                process.terminate()


class _Server:
    """A server that is spoken to line by line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process, self._number = process, 0
        about = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self._call("initialize", about)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def tool(self, name: str, arguments: dict[str, object]) -> dict[str, object]:
        """Call a tool and return what it says."""
        answer = self._call("tools/call", {"name": name, "arguments": arguments})
        return json.loads(answer["result"]["content"][0]["text"])

    def _call(self, method: str, params: dict[str, object]) -> dict[str, object]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            answer = json.loads(self._process.stdout.readline())
            if answer.get("id") == self._number:
                return answer

    def _send(self, message: dict[str, object]) -> None:
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def _by_words(server: _Server, question: str) -> list[int]:
    counts: Counter[int] = Counter()
    for word in dict.fromkeys(_words(question)):
        if word not in QUIET_WORDS:
            found = server.tool("search_nodes", {"query": word})
            counts.update(int(one["name"][1:]) for one in found["entities"])
    return sorted(counts, key=lambda place: (-counts[place], place))[:LIMIT]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


PEERS = (RankBm25, Chroma, LangGraph, Mem0, ReferenceServer)


def installed(kept: Kept) -> tuple[list[object], dict[str, str]]:
    """Return the peers that can be asked, with their versions in their names, and why the others cannot."""
    found, missing = [], {}
    for one in PEERS:
        try:
            peer = one(kept)
            known = version(one.package) if one.package else ""
        except (ImportError, PackageNotFoundError) as fault:
            missing[one.name] = str(fault)
            continue
        peer.name = f"{one.name} {known}".strip()
        found.append(peer)
    return found, missing


if __name__ == "__main__":
    from locomo import left_out, load
    from table import run

    sys.argv.append("--peers")
    sys.exit(run("peers", load, left_out))
