"""All sources together: what this machine has, each capability once, in an order that does not depend on chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.errors import WARN, MnemeError, Problem
from mneme.hosts.sources.folders import find_agents, find_commands, find_skills
from mneme.hosts.sources.plugins import find_plugins
from mneme.hosts.sources.programs import find_programs
from mneme.hosts.sources.servers import find_servers
from mneme.hosts.sources.tools import ask_tools

if TYPE_CHECKING:
    from collections.abc import Collection

    from mneme.hosts.sources import Found, Machine


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found, the names of all servers, and what could not be asked."""

    found: tuple[Found, ...] = ()
    servers: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def scan_machine(machine: Machine, ask: Collection[str] = ()) -> Scan:
    """Look everywhere; the servers named in `ask` are started and asked for their tools, the others are not."""
    problems: list[Problem] = []
    found: list[Found] = []
    servers = find_servers(machine)
    for server in servers:
        tools: list[Found] = []
        if server.name in ask:
            try:
                tools = ask_tools(server, machine)
            except MnemeError as error:
                problems.append(Problem(server.origin, 0, "silent-server", WARN, error.message, error.hint))
        found += tools or [server.found()]
    for name in sorted(set(ask) - {server.name for server in servers}):
        message = f"there is no MCP server '{name}'"
        problems.append(Problem("", 0, "unknown-server", WARN, message, "mneme cards scan"))
    found += [*find_plugins(machine), *find_skills(machine), *find_commands(machine), *find_agents(machine)]
    found += find_programs(machine)
    once = {
        (one.source, one.key, one.origin if one.source == "plugin" else "", one.namespace): one
        for one in reversed(found)
    }
    ordered = sorted(once.values(), key=lambda one: (one.source, one.key, one.origin, one.namespace))
    return Scan(tuple(ordered), tuple(sorted({server.name for server in servers})), tuple(problems))
