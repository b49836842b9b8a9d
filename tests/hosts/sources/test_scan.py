"""What hosts have on disk, found: real files in a user's folder, a real `claude`, a real server that is asked."""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from pathlib import Path

import pytest

from mneme.engine.home.cards import named
from mneme.hosts.sources import Found, Machine
from mneme.hosts.sources.scan import scan_machine
from mneme.hosts.sources.servers import find_servers, parse_list
from mneme.hosts.sources.tools import ServerError, ask_tools

LISTED = """\
Checking MCP server health...

claude.ai Notion: https://mcp.notion.example/mcp - ! Needs authentication
plugin:telegram:telegram: bun run --cwd /opt/tg start - ✓ Connected
search-box: npx -y search-box --api-key sk-live-4f9a8b7c6d5e - ✓ Connected
broken: /opt/none - ✗ Failed to connect
old (mcp): talks to the old thing
"""
SERVER = """\
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked: continue
    print("starting up, please wait")
    if asked["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif asked["params"].get("cursor"):
        result = {"tools": [{"name": "close_tab", "inputSchema": {"type": "object"}}]}
    else:
        result = {"nextCursor": "2", "tools": [{"name": "take_shot", "description": "Takes a picture. Token: hunter2pass9",
                  "inputSchema": {"properties": {"url": {}, "full": {}}, "required": ["url"]}}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def put(place: Path, content: str) -> Path:
    """Write a file and its folders."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(content, encoding="utf-8")
    return place


def program(folder: Path, name: str, text: str = "exit 0") -> None:
    """Put a program into a folder."""
    place = put(folder / name, f"#!/bin/sh\n{text}\n")
    place.chmod(place.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Give a user's folder, a project and a path with two programs in it."""
    (tmp_path / "user").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "bin").mkdir()
    return Machine(tmp_path / "user", tmp_path / "project", str(tmp_path / "bin"), {"PATH": os.environ["PATH"]})


def by_name(found: tuple[Found, ...]) -> dict[str, Found]:
    """Return what was found by the ids that its cards would have."""
    return named(found)


def test_what_claude_lists_is_read_as_it_is_printed() -> None:
    """Names with colons and points, a server that wants a login, one that failed, and the shape of old."""
    servers = {server.name: server for server in parse_list(LISTED)}
    assert {name: server.active for name, server in servers.items()} == {
        "claude.ai Notion": False,
        "plugin:telegram:telegram": True,
        "search-box": True,
        "broken": False,
        "old": True,
    }
    found = by_name(tuple(server.found() for server in servers.values()))
    assert found["claude_ai_notion"].active is False
    assert found["plugin_telegram_telegram"].active is True
    assert found["plugin_telegram_telegram"].triggers == ("telegram", "plugin:telegram:telegram")


def test_the_hosts_own_program_is_asked(machine: Machine, tmp_path: Path) -> None:
    """`claude mcp list` is run, and a key in a server's command line reaches nothing."""
    program(tmp_path / "bin", "claude", f"cat <<'END'\n{LISTED}END")
    found = by_name(scan_machine(machine).found)
    assert "sk-live" not in repr(found)
    assert "[secret]" in found["search_box"].description


def test_without_the_hosts_program_nothing_is_listed(machine: Machine) -> None:
    """It is no fault."""
    assert scan_machine(machine).found == ()


def test_a_program_that_hangs_or_fails_says_nothing(machine: Machine, tmp_path: Path) -> None:
    """What it printed before it failed is read all the same."""
    program(tmp_path / "bin", "claude", "echo 'half: x - ✓ Connected'; exit 3")
    assert [server.name for server in find_servers(machine)] == ["half"]


def test_servers_of_every_hosts_file_are_found_once(machine: Machine) -> None:
    """JSON and TOML, the user's and the project's; a server of two files is one, and what is disabled is none."""
    here = str(machine.here)
    put(
        machine.user / ".claude.json",
        json.dumps(
            {
                "mcpServers": {
                    "mail": {"command": "mail-mcp", "args": ["--token", "abcdef123456"]},
                    "off": {"command": "x", "disabled": True},
                },
                "projects": {
                    here: {"mcpServers": {"local": {"command": "local-mcp"}}},
                    "/other": {"mcpServers": {"not": {"command": "x"}}},
                },
            }
        ),
    )
    put(
        machine.user / ".codex/config.toml",
        '[mcp_servers.docs]\ncommand = "docs-mcp"\n[mcp_servers.mail]\ncommand = "mail-mcp"\n',
    )
    put(
        machine.user / ".gemini/settings.json",
        '{"mcpServers": {"maps": {"httpUrl": "https://maps.example/mcp?key=s3cret"}}}',
    )
    put(machine.user / ".cursor/mcp.json", '{"mcpServers": {"boards": {"url": "https://boards.example/sse"}}}')
    put(Path(here) / ".mcp.json", '{"mcpServers": {"team": {"command": "team-mcp", "env": {"TEAM_KEY": "topsecret"}}}}')
    found = by_name(scan_machine(machine).found)
    assert sorted(found) == ["boards", "docs", "local", "mail", "maps", "team"]
    assert (found["team"].namespace, found["mail"].namespace) == (here, "global")
    for secret in ("abcdef123456", "s3cret", "topsecret"):
        assert secret not in repr(found)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"mcpServers": 3}', '{"mcpServers": {"a": 1}, "projects": []}', "[" * 9000]
)
def test_a_broken_file_hides_no_other(machine: Machine, text: str) -> None:
    """Whatever stands in it."""
    put(machine.user / ".claude.json", text)
    put(machine.user / ".codex/config.toml", text)
    put(machine.user / ".cursor/mcp.json", '{"mcpServers": {"boards": {"command": "b"}}}')
    assert sorted(by_name(scan_machine(machine).found)) == ["boards"]


def test_a_server_is_asked_for_its_tools_when_it_is_named(machine: Machine, tmp_path: Path) -> None:
    """Every page; parameters from the schema; what the server chats between is passed over."""
    script = put(tmp_path / "server.py", SERVER)
    config = {"mcpServers": {"browser": {"command": sys.executable, "args": [str(script)]}}}
    put(machine.user / ".claude.json", json.dumps(config))
    assert list(by_name(scan_machine(machine).found)) == ["browser"]
    found = by_name(scan_machine(machine, ["browser"]).found)
    assert sorted(found) == ["browser_close_tab", "browser_take_shot"]
    shot = found["browser_take_shot"]
    assert (shot.params_required, shot.params_optional, shot.verb) == (("url",), ("full",), "Takes a picture")
    assert "hunter2pass9" not in shot.description


def test_a_server_that_does_not_answer_costs_its_deadline_and_no_more(machine: Machine, tmp_path: Path) -> None:
    """One that hangs, one that ends, one that is not there, one that is only an address: each is told."""
    marker = tmp_path / "alive"
    script = put(tmp_path / "hang.py", f"import time, pathlib\ntime.sleep(3); pathlib.Path({str(marker)!r}).touch()")
    config = {
        "hang": {"command": sys.executable, "args": [str(script)]},
        "none": {"command": "/no/such"},
        "web": {"url": "https://x"},
    }
    put(machine.user / ".claude.json", json.dumps({"mcpServers": config | {"ends": {"command": "true"}}}))
    servers = {server.name: server for server in find_servers(machine)}
    started = time.monotonic()
    with pytest.raises(ServerError, match="did not answer in time"):
        ask_tools(servers["hang"], machine, seconds=0.3)
    assert time.monotonic() - started < 2
    for name, said in (("none", "can't be started"), ("web", "not started by a command"), ("ends", "ended before")):
        with pytest.raises(ServerError, match=said):
            ask_tools(servers[name], machine, seconds=5)
    scan = scan_machine(machine, ["none", "nobody"])
    assert [problem.rule for problem in scan.problems] == ["silent-server", "unknown-server"]
    assert "none" in by_name(scan.found)


def test_plugins_are_those_that_are_installed(machine: Machine, tmp_path: Path) -> None:
    """Their manifest and skills; one whose folder is gone is none; two of one name are told apart."""
    for market in ("x", "y"):
        put(
            tmp_path / f"{market}/telegram/.claude-plugin/plugin.json",
            json.dumps({"name": "telegram", "description": f"Chat of {market}."}),
        )
        put(tmp_path / f"{market}/telegram/skills/send/SKILL.md", "")
    plugins = {f"telegram@{market}": [{"installPath": str(tmp_path / market / "telegram")}] for market in ("x", "y")}
    plugins["gone@x"] = [{"installPath": str(tmp_path / "gone")}]
    put(machine.user / ".claude/plugins/installed_plugins.json", json.dumps({"version": 2, "plugins": plugins}))
    found = by_name(scan_machine(machine).found)
    assert sorted(found) == ["plugin_telegram", "plugin_telegram_y"]
    assert found["plugin_telegram"].triggers == ("telegram", "send")
    assert (found["plugin_telegram"].description, found["plugin_telegram_y"].description) == (
        "Chat of x.",
        "Chat of y.",
    )


def test_skills_commands_and_agents_are_read_by_their_frontmatter(machine: Machine) -> None:
    """A description from the frontmatter or the first line, never the fence; the project's belong to the project."""
    put(
        machine.user / ".claude/skills/pdf-forms/SKILL.md",
        "---\nname: pdf-forms\ndescription: Fills in PDF forms. Use for tax.\n---\n# PDF\n",
    )
    put(machine.user / ".agents/skills/deep/er/SKILL.md", "# Deeper\n\nDigs deeper.\n")
    assert machine.here is not None
    put(machine.here / ".claude/commands/db/seed.md", "---\nargument-hint: '[table]'\n---\nFills the database.\n")
    put(machine.user / ".claude/agents/critic.md", "---\nname: critic\ndescription: Reviews prose.\n---\n")
    found = by_name(scan_machine(machine).found)
    assert sorted(found) == ["agent_critic", "command_db_seed", "skill_er", "skill_pdf_forms"]
    assert (found["skill_pdf_forms"].verb, found["skill_er"].description) == ("Fills in PDF forms", "Digs deeper.")
    command = found["command_db_seed"]
    assert (command.example, command.description, command.namespace) == (
        "/db:seed [table]",
        "Fills the database.",
        str(machine.here),
    )


def test_programs_on_the_path_are_found_by_the_table(machine: Machine, tmp_path: Path) -> None:
    """Under their own name, whichever of their names is there; what is in no table is no card."""
    for name in ("ffmpeg", "soffice", "frobnicate"):
        program(tmp_path / "bin", name)
    assert sorted(by_name(scan_machine(machine).found)) == ["program_ffmpeg", "program_libreoffice"]


def test_ids_never_collide(machine: Machine) -> None:
    """Names that differ in marks alone, begin with a digit, or are in another script."""
    config = {name: {"command": "x"} for name in ("a-b", "a_b", "9x", "搜索", "é", "a b")}
    put(machine.user / ".claude.json", json.dumps({"mcpServers": config}))
    names = by_name(scan_machine(machine).found)
    assert len(names) == 6
    assert {"a_b", "mcp_9x"} <= set(names)
    assert all(name[0].isalpha() and name.isascii() and name == name.lower() for name in names)
    assert list(names) == list(by_name(scan_machine(machine).found))
