"""MCP servers: what `claude mcp list` says, and the files in which five hosts keep theirs.

Only `claude mcp list` is started, where there is a `claude`; the servers themselves are not. A server's environment is
read so that it can be asked for its tools when a person wants that (`tools`), and reaches no card.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mneme.check.mask import mask_text
from mneme.hosts.sources import Found

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from mneme.hosts.sources import Machine

LIST_SECONDS = 15
LONGEST_COMMAND = 160
_LISTED = re.compile(r"(?P<name>[A-Za-z][\w:. -]*?): (?P<what>\S.*?)(?: - (?P<status>[^-]*))?$")
_LEGACY = re.compile(r"(?P<name>[A-Za-z][\w:. -]*?) \(mcp\): (?P<what>.+)$")
# Each file: where it lies, how it is read, and whether it speaks for one project alone.
_USER_FILES = (".claude.json", ".codex/config.toml", ".gemini/settings.json", ".cursor/mcp.json")
_PROJECT_FILES = (".mcp.json", ".gemini/settings.json", ".cursor/mcp.json")


@dataclass(frozen=True, slots=True)
class Server:
    """A server as a host knows it: how it is started or reached, and where that is written."""

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    origin: str = ""
    namespace: str = "global"
    active: bool = True
    said: str = ""

    @property
    def description(self) -> str:
        """Return how the server is started or reached, without secrets."""
        what = self.said or " ".join(self.command) or self.url.partition("?")[0]
        return mask_text(" ".join(what.split()))[:LONGEST_COMMAND]

    def found(self) -> Found:
        """Return the server itself as a capability, for as long as its tools are not known."""
        short = re.split(r"[:.]", self.name)[-1].strip() or self.name
        said = self.description
        return Found(
            source="mcp",
            key=self.name,
            name=self.name,
            verb=f"use the tools of the MCP server {short}",
            description=f"MCP server: {said}" if said else "MCP server",
            triggers=tuple(dict.fromkeys((short, self.name))),
            active=self.active,
            origin=self.origin,
            namespace=self.namespace,
        )


def find_servers(machine: Machine) -> list[Server]:
    """Return every server once: what the list says of one counts for whether it answers, files for how it is started."""
    found: dict[tuple[str, str], Server] = {}
    for server in (*listed_servers(machine), *written_servers(machine)):
        key = server.name.lower(), server.namespace
        twin = (server.name.lower(), "global")
        known = found.get(key) or found.get(twin)
        if known is None:
            found[key] = server
        elif not (known.command or known.url):
            found[key if key in found else twin] = Server(
                known.name,
                server.command,
                server.url,
                server.environment,
                known.origin,
                known.namespace,
                known.active,
                known.said,
            )
    return list(found.values())


# --- what `claude mcp list` says --------------------------------------------------------------------------------------


def listed_servers(machine: Machine) -> list[Server]:
    """Ask `claude mcp list`; nothing where there is no `claude`, or where it does not answer in time."""
    program = shutil.which("claude", path=machine.search_path)
    if program is None:
        return []
    try:
        done = subprocess.run(  # noqa: S603 - the host's own program, with fixed words
            [program, "mcp", "list"],
            capture_output=True,
            timeout=LIST_SECONDS,
            check=False,
            cwd=machine.here,
            env=None if machine.environment is None else dict(machine.environment),
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return parse_list(done.stdout.decode("utf-8", "replace"))


def parse_list(text: str) -> list[Server]:
    """Read what `claude mcp list` prints, as it was printed then and as it is now."""
    servers = []
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("Checking"):
            continue
        legacy = _LEGACY.match(line)
        if legacy:
            servers.append(Server(legacy["name"], origin="claude mcp list", said=legacy["what"]))
            continue
        found = _LISTED.match(line)
        if found:
            status = (found["status"] or "").lower()
            active = "connected" in status and not any(
                word in status for word in ("needs", "failed", "not connected", "dis")
            )
            servers.append(Server(found["name"], origin="claude mcp list", active=active, said=found["what"]))
    return servers


# --- what the files say -----------------------------------------------------------------------------------------------


def written_servers(machine: Machine) -> Iterator[Server]:
    """Yield the servers of every host's file, the user's first."""
    for name in _USER_FILES:
        yield from _in_file(machine.user / name, "global", machine.here)
    if machine.here is not None and machine.here != machine.user:
        for name in _PROJECT_FILES:
            yield from _in_file(machine.here / name, str(machine.here), None)


def _in_file(place: Path, namespace: str, here: Path | None) -> Iterator[Server]:
    tree = _read(place)
    yield from _servers(tree.get("mcpServers") or tree.get("mcp_servers"), place.name, namespace)
    projects = tree.get("projects")
    own = projects.get(str(here)) if isinstance(projects, dict) and here is not None else None
    if isinstance(own, dict):
        yield from _servers(own.get("mcpServers"), place.name, str(here))


def _read(place: Path) -> dict[str, Any]:
    """Return a file of settings as a tree; one that can't be read says nothing."""
    try:
        content = place.read_text("utf-8")
        if place.suffix == ".toml":
            import tomllib

            return tomllib.loads(content)
        tree = json.loads(content)
    except (OSError, ValueError, RecursionError):
        return {}
    return tree if isinstance(tree, dict) else {}


def _servers(tree: object, origin: str, namespace: str) -> Iterator[Server]:
    for name, about in (tree if isinstance(tree, dict) else {}).items():
        if not isinstance(about, dict) or about.get("disabled") is True or about.get("enabled") is False:
            continue
        command, words = about.get("command"), about.get("args")
        given = [str(word) for word in words] if isinstance(words, list) else []
        environment = about.get("env")
        url = about.get("url") or about.get("httpUrl")
        yield Server(
            name=str(name),
            command=(str(command), *given) if isinstance(command, str) else (),
            url=str(url or ""),
            environment={str(k): str(v) for k, v in environment.items()} if isinstance(environment, dict) else {},
            origin=origin,
            namespace=namespace,
        )
