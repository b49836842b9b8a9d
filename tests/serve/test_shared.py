"""A shared context over the Model Context Protocol: every tool, resource and prompt is asked for what is private.

A tool, a resource or a prompt that has no row here fails the first test, so that none is forgotten when it is added.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("mcp")

from mcp.client import Client
from tests.engine.planted import (
    FILES,
    NOW,
    PROMPT,
    SHARED_FILE,
    SHARED_ID,
    SHARED_TEXT,
    TODAY,
    YESTERDAY,
    plant,
    secrets_in,
)

from mneme.serve.mcp.server import Workplace, make_server
from mneme.serve.mcp.table import ROWS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

QUESTIONS = ("where is the ledger?", "ledger attic", "lex: quaggacell", '"in the attic"', "id:DEC-0900", "what did we do yesterday?", "deploys go out in secret")  # fmt: skip
PRIVATE_IDS = ("DEC-0900", "DEC-0901", "DEC-0903", "TODO-0902", "PROP-0001", "GOT-0001", "quaggaperson-001", "quaggaperson", "office/quaggatopic")  # fmt: skip
PLACES = tuple(FILES)
NAMES = (
    *PRIVATE_IDS,
    *PLACES,
    *(f"{name}#L1-L99" for name in PLACES),
    "MEMORY.md#ledger",
    TODAY,
    "yesterday",
    "last month",
)
# What each tool is asked, as its arguments.
TOOLS: dict[str, tuple[dict[str, Any], ...]] = {
    "recall": (
        *({"query": question} for question in QUESTIONS),
        *({"query": "attic", "kind": kind} for kind in ("decision", "day", "fact", "todo", "task", "user", "feedback", "turn", "proposal")),
        {"query": "ledger", "as_of": "2025-02-01"},
        {"query": "ledger", "since": "2025", "k": 50},
    ),
    "get": tuple({"id": name} for name in NAMES),
    "remember": (
        {"text": "The ledger of quaggacell lies in the attic", "kind": "decision", "topic": "office/ledger"},
        {"text": "The ledger of quagga cell lies in the attic", "kind": "decision", "topic": "office/ledger"},
        {"text": "Pays in coins", "kind": "fact", "about": "Quaggaperson"},
        {"text": "Pays in coins", "kind": "fact", "about": "Quaggapersn"},
        {"text": "The ledger lies in the attic", "kind": "user"},
        {"text": "The ledger lies in the attic", "kind": "feedback"},
        {"text": "The ledger lies in the attic", "kind": "reference"},
        {"text": "Buy something for the attic", "kind": "task"},
        {"text": "The ledger lies in the attic", "kind": "status", "project": "Atlas"},
        {"text": "The roof leaks", "kind": "gotcha", "topic": "office/roof"},
    ),
    "note": ({"text": "somebody called"}, {"text": "somebody called", "section": "Ledger"}),
    "supersede": tuple({"id": name, "text": "It lies elsewhere"} for name in NAMES),
    "affirm": tuple({"id": name} for name in NAMES),
    "boot": ({}, {"budget": 100}),
    "spine": ({},),
    "list": ({}, {"state": "superseded"}, {"topic": "office"}, *({"kind": kind} for kind in ("decision", "day", "task", "user", "proposal", "fact"))),
    "related": tuple({"id": name} for name in (*NAMES, SHARED_ID, SHARED_FILE)),
    "mark": tuple({"id": name, "state": "stale"} for name in NAMES),
    "wrap_up": ({}, {"summary": "we talked about the weather"}),
    "buffer_add": ({"text": "one more thing"},),
    "capabilities": ({"task": PROMPT},),
    "record_correction": ({"request": PROMPT, "capability": "quaggacar"},),
    "check": ({},),
    "proposals": ({},),
    "undo": ({},) * 4,
    "memory_search": tuple({"query": question, "maxResults": 50} for question in QUESTIONS),
    "memory_get": tuple({"path": name, "from": line} for name in PLACES for line in (1, 3)),
}  # fmt: skip
RESOURCES: dict[str, tuple[str, ...]] = {
    "mneme://spine": ("mneme://spine",),
    "mneme://memory": ("mneme://memory",),
    "mneme://day/{date}": tuple(f"mneme://day/{day}" for day in (TODAY, YESTERDAY, "yesterday", "MEMORY.md", "DEC-0900")),
    "mneme://entity/{name}": tuple(f"mneme://entity/{name}" for name in ("quaggaperson", "quaggaperson-001", "DEC-0900", "memory%2Fprivate.mneme", "harbour")),
}  # fmt: skip
PROMPTS: dict[str, dict[str, str]] = {"boot": {}, "wrap-up": {}, "refine": {}}
# Names of which a shared context must not even learn whether there is something.
ABSENT = {"DEC-0900": "DEC-0950", "quaggaperson-001": "quaggaperson-050", "memory/quaggaloose.md": "memory/quaggaloeso.md", "PROP-0001": "PROP-0009"}  # fmt: skip


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a workspace and a home in which everything is private but a little."""
    place = tmp_path_factory.mktemp("planted")
    (place / "home").mkdir()
    plant(place / "ws", place / "home")
    return place / "ws", place / "home"


@pytest.fixture
def root(planted: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the workspace, with the home in its place."""
    monkeypatch.setenv("MNEME_HOME", str(planted[1]))
    return planted[0]


def ask(root: Path, do: Callable[[Client], Awaitable[Any]], *, shared: bool = True) -> Any:  # noqa: ANN401 - what the asker returns
    """Return what a function makes of a server of this process."""

    async def run() -> Any:  # noqa: ANN401
        async with Client(make_server(workplace, "0")) as client:
            return await do(client)

    workplace = Workplace(str(root), shared=shared, now=lambda: NOW)
    try:
        return asyncio.run(run())
    finally:
        workplace.close()


def test_everything_that_is_served_has_a_row(root: Path) -> None:
    """Tools, listed or not; resources, with and without a name in them; prompts."""

    async def look(client: Client) -> tuple[set[str], set[str]]:
        plain, named = await client.list_resources(), await client.list_resource_templates()
        uris = {str(one.uri) for one in plain.resources} | {one.uri_template for one in named.resource_templates}
        return uris, {one.name for one in (await client.list_prompts()).prompts}

    assert set(TOOLS) == {row.name for row in ROWS}
    assert ask(root, look) == (set(RESOURCES), set(PROMPTS))


@pytest.mark.parametrize("tool", TOOLS)
def test_no_tool_tells_what_is_private(root: Path, tool: str) -> None:
    """Neither as text nor as data, neither in an answer nor in a fault."""

    async def call(client: Client) -> list[tuple[dict[str, Any], list[str]]]:
        answers = [(given, str(await client.call_tool(tool, given))) for given in TOOLS[tool]]
        return [(given, told) for given, answer in answers if (told := secrets_in(answer, given))]

    assert ask(root, call) == []


@pytest.mark.parametrize("uri", RESOURCES)
def test_no_resource_tells_what_is_private(root: Path, uri: str) -> None:
    """By whatever name it is asked for."""

    async def read(client: Client) -> list[tuple[str, list[str]]]:
        answers = []
        for one in RESOURCES[uri]:
            try:
                answers.append((one, str(await client.read_resource(one))))
            except Exception as fault:  # noqa: BLE001 - what it says is looked at
                answers.append((one, str(fault)))
        return [(one, told) for one, answer in answers if (told := secrets_in(answer, one))]

    assert ask(root, read) == []


@pytest.mark.parametrize("prompt", PROMPTS)
def test_no_prompt_tells_what_is_private(root: Path, prompt: str) -> None:
    """They are what a person picks from a menu."""
    assert secrets_in(str(ask(root, lambda client: client.get_prompt(prompt, PROMPTS[prompt])))) == []


@pytest.mark.parametrize("tool", ["get", "affirm", "related", "supersede", "mark"])
@pytest.mark.parametrize("there", ABSENT)
def test_what_is_private_is_as_if_it_were_not_there(root: Path, tool: str, there: str) -> None:
    """The same words answer a name that there is and one that there is not."""
    more = {"supersede": {"text": "x"}, "mark": {"state": "stale"}}.get(tool, {})

    async def call(client: Client) -> list[str]:
        return [str(await client.call_tool(tool, {"id": name, **more})) for name in (there, ABSENT[there])]

    first, second = ask(root, call)
    assert first == second.replace(ABSENT[there], there)


def test_the_twin_what_is_shared_is_told_and_its_owner_is_told_all(root: Path) -> None:
    """So the silence above is not the silence of a server that says nothing."""

    async def call(client: Client) -> str:
        answers = [await client.call_tool("recall", {"query": "when do deploys go out?"})]
        answers += [await client.call_tool("get", {"id": name}) for name in (SHARED_ID, SHARED_FILE, "harbour")]
        return "\n".join(map(str, answers))

    told = ask(root, call)
    assert [text in told for text in (SHARED_TEXT, "announced in the hall", "opens at nine")] == [True] * 3

    async def everything(client: Client) -> str:
        asked = [("get", {"id": name}) for name in PLACES] + [("proposals", {}), ("capabilities", {"task": PROMPT})]
        return "\n".join([str(await client.call_tool(tool, given)) for tool, given in asked])

    seen = set(secrets_in(ask(root, everything, shared=False)))
    assert {"quaggacell", "quaggabuffer", "quaggaproposal", "quaggafact", "quaggasoul", "quaggacard"} <= seen
