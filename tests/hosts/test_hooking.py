"""Installing into a host's settings: beside what is there, once, and without a trace afterwards."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.hooks.hosting import User, new_user

from mneme.formats.jsonc import parse_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

# Where each host keeps its hooks, below the user's own folder and below a project.
PLACES = {
    "claude-code": (".claude/settings.json", ".claude/settings.local.json"),
    "codex": (".codex/hooks.json", ".codex/hooks.json"),
    "gemini": (".gemini/settings.json", ".gemini/settings.json"),
    "cursor": (".cursor/hooks.json", ".cursor/hooks.json"),
}
EVENTS = {
    "claude-code": ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PreCompact", "Stop", "SessionEnd"],
    "codex": ["SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop", "SessionEnd"],
    "gemini": ["SessionStart", "BeforeAgent", "AfterTool", "PreCompress", "AfterAgent", "SessionEnd"],
    "cursor": ["sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure", "preCompact", "stop", "sessionEnd"],
}  # fmt: skip
THEIRS = {
    "made by hand": '{\n  // mine\n  "model": "x", /* why */\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"type": "command", "command": "say done"}]}, // keep\n    ],\n  },\n}\n',
    "empty": "{}",
    "empty file": "",
    "tabs": '{\n\t"model": "x"\n}',
    "one line": '{"model": "x", "hooks": {"Stop": [{"command": "a"}]}, "z": [1]}',
    "windows": '{\r\n  "model": "x"\r\n}\r\n',
    "byte order mark": '\ufeff{\n  "model": "x"\n}\n',
    "all of it": '\ufeff  // ключ\r\n{\r\n\t"ключ": "\\u0041😀", // \u2028\r\n\t"hooks": {\r\n\t},\r\n}\r\n/* end */',
    "blank lines": "  \n\n",
    "empty hooks": '{\n  "hooks": {\n    "SessionStart": []\n  },\n  "version": 1\n}\n',
}


@pytest.fixture
def user() -> Iterator[User]:
    """Give a user whose workspace is a repository."""
    with new_user() as one:
        subprocess.run(["git", "init", "-q", str(one.workspace)], check=True)
        yield one


def settings_of(user: User, host: str, *, project: bool) -> Path:
    """Return where a host's settings lie."""
    return user.workspace / PLACES[host][1] if project else user.place / "user" / PLACES[host][0]


# Where each host keeps its MCP servers, below the user's own folder and below a project, and under which key.
SERVERS = {
    "claude-code": (".claude.json", None),
    "codex": (".codex/config.toml", ".codex/config.toml"),
    "gemini": (".gemini/settings.json", ".gemini/settings.json"),
    "cursor": (".cursor/mcp.json", ".cursor/mcp.json"),
    "openclaw": (".openclaw/openclaw.json", None),
}


def servers_of(user: User, host: str, *, project: bool = False) -> tuple[Path, dict[str, Any]]:
    """Return where a host's MCP servers lie, and what is there."""
    below = SERVERS[host][project]
    home = user.place / "user"
    place = user.workspace / below if project and below else home / SERVERS[host][0]
    text = place.read_text("utf-8")
    if host == "codex":
        return place, tomllib.loads(text.removeprefix("\ufeff"))["mcp_servers"]
    settings = parse_settings(text).plain()
    if host == "claude-code" and project:
        settings = settings["projects"][str(user.workspace)]
    return place, settings["mcp"]["servers"] if host == "openclaw" else settings["mcpServers"]


def commands(settings: Any) -> list[str]:  # noqa: ANN401 - settings of any shape
    """Return every command of a hook in settings, in order."""
    return commands_in(settings.get("hooks", {}))


def commands_in(value: Any) -> list[str]:  # noqa: ANN401 - settings of any shape
    """Return every command in a part of settings, in order."""
    if isinstance(value, dict):
        own = [value["command"]] if isinstance(value.get("command"), str) else []
        return own + [one for inner in value.values() for one in commands_in(inner)]
    return [one for inner in value for one in commands_in(inner)] if isinstance(value, list) else []


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("host", PLACES)
def test_a_new_file_has_every_event_and_goes_again(user: User, host: str, project: bool) -> None:  # noqa: FBT001
    """Each command, run as the host runs it, exits 0; installing twice changes nothing; nothing is left afterwards."""
    where = ["--project"] if project else []
    place = settings_of(user, host, project=project)
    done = user.mneme("install", host, *where)
    assert done.returncode == 0, done.stderr
    settings = json.loads(place.read_text("utf-8"))
    assert list(settings["hooks"]) == EVENTS[host]
    assert settings.get("version") == (1 if host == "cursor" else None)
    for command in commands(settings):
        ran = user.run(["/bin/sh", "-c", command], {}, MNEME_SERVE="0")
        assert (ran.returncode, ran.stderr) == (0, b"")
    written = place.read_bytes()
    assert b"already installed" in user.mneme("install", host, *where).stderr
    assert place.read_bytes() == written
    assert user.mneme("uninstall", host, *where).returncode == 0
    assert not place.exists()
    assert b"not installed" in user.mneme("uninstall", host, *where).stderr


@pytest.mark.parametrize("text", THEIRS.values(), ids=THEIRS)
@pytest.mark.parametrize("host", PLACES)
def test_what_others_wrote_stays_to_the_byte(user: User, host: str, text: str) -> None:
    """Their hooks, comments, order, line ends and indentation; the diff is shown and shows additions alone."""
    place = settings_of(user, host, project=False)
    place.parent.mkdir(parents=True)
    place.write_bytes(text.encode())
    theirs = commands(parse_settings(text if text.strip() else "{}").plain())
    shown = user.mneme("install", host, "--dry-run").stdout.decode()
    assert "+++ " in shown
    assert place.read_bytes() == text.encode()
    user.mneme("install", host)
    put = place.read_bytes().decode()
    assert len(commands(parse_settings(put).plain())) == len(theirs) + len(EVENTS[host])
    assert [one for one in commands(parse_settings(put).plain()) if "client.py" not in one] == theirs
    user.mneme("install", host)
    assert place.read_bytes().decode() == put
    user.mneme("uninstall", host)
    assert place.read_bytes() == text.encode()


def test_an_older_installation_is_renewed_in_its_place(user: User) -> None:
    """Another Python, an event that is no longer asked for, ours twice, ours in one group with somebody else's."""
    place = settings_of(user, "claude-code", project=False)
    user.mneme("install", "claude-code", "--files")
    fresh = json.loads(place.read_text("utf-8"))
    assert "PreToolUse" in fresh["hooks"]
    stale = json.loads(place.read_text("utf-8").replace(shlex.quote(str(Path(subprocess.__file__).parent)), "x"))
    stale["hooks"]["Stop"] = [*stale["hooks"]["Stop"], *stale["hooks"]["Stop"]]
    ours = stale["hooks"]["SessionEnd"][0]["hooks"][0]
    stale["hooks"]["SessionEnd"] = [{"hooks": [{"type": "command", "command": "bye"}, {**ours, "timeout": 99}]}]
    stale["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"] = "/old/python -S -E /old/mneme/hooks/client.py x y"
    place.write_text(json.dumps(stale, indent=4), encoding="utf-8")
    user.mneme("install", "claude-code")
    settings = json.loads(place.read_text("utf-8"))
    expected = {name: entry for name, entry in fresh["hooks"].items() if name != "PreToolUse"}
    expected["SessionEnd"] = [{"hooks": [{"type": "command", "command": "bye"}, ours]}]
    assert settings["hooks"] == expected
    user.mneme("uninstall", "claude-code")
    left = json.loads(place.read_text("utf-8"))
    assert left == {"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "bye"}]}]}}


def test_a_python_in_a_folder_of_any_name_is_found_by_every_host(user: User) -> None:
    """With blanks, quotes and letters of other scripts in it; its commands run as the host runs them."""
    odd = user.place / 'od d\'é "q" $x'
    odd.symlink_to(Path(sys.prefix))
    python = str(odd / "bin" / "python")
    for host in PLACES:
        assert user.run([python, "-m", "mneme", "install", host]).returncode == 0
        text = settings_of(user, host, project=False).read_text("utf-8")
        assert str(odd) in json.dumps(commands(json.loads(text)), ensure_ascii=False).replace('\\"', '"').replace(
            "'\"'\"'", "'"
        )
        for command in commands(json.loads(text))[:1]:
            ran = user.run(["/bin/sh", "-c", command], {}, MNEME_SERVE="0")
            assert (ran.returncode, ran.stderr) == (0, b"")
        if host != "cursor":
            assert servers_of(user, host)[1]["mneme"]["command"] == python
        user.mneme("uninstall", host)
        assert not settings_of(user, host, project=False).exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "\x80"])
def test_settings_that_cannot_be_merged_into_are_left_alone(user: User, text: str) -> None:
    """They are told with their line, and nothing is written."""
    place = settings_of(user, "claude-code", project=False)
    place.parent.mkdir(parents=True)
    place.write_bytes(text.encode("latin-1"))
    done = user.mneme("install", "claude-code")
    assert done.returncode == 2
    assert b"settings.json" in done.stderr
    assert b"Traceback" not in done.stderr
    assert place.read_bytes() == text.encode("latin-1")


def test_a_link_stays_a_link(user: User) -> None:
    """Settings that are kept elsewhere are changed there."""
    kept = user.place / "dotfiles.json"
    kept.write_text('{"model": "x"}\n', encoding="utf-8")
    place = settings_of(user, "claude-code", project=False)
    place.parent.mkdir(parents=True)
    place.symlink_to(kept)
    user.mneme("install", "claude-code")
    assert place.is_symlink()
    assert "client.py" in kept.read_text("utf-8")
    user.mneme("uninstall", "claude-code")
    assert kept.read_text("utf-8") == '{"model": "x"}\n'


@pytest.mark.parametrize(
    "text",
    [
        None,
        "{}",
        "// mine\n{\n  agents: { defaults: { workspace: '~/w' } },\n}\n",
        '{"plugins": {"allow": ["a"], "entries": {"a": {}}}}',
    ],
)
def test_openclaw_gets_a_plugin_and_a_skill(user: User, text: str | None) -> None:
    """Its settings name the plugin; everything goes again, and what somebody edited of it stays."""
    state = user.place / "user" / ".openclaw"
    place = state / "openclaw.json"
    if text is not None:
        state.mkdir(parents=True)
        place.write_text(text, encoding="utf-8")
    assert user.mneme("install", "openclaw").returncode == 0
    settings = parse_settings(place.read_text("utf-8")).plain()
    assert settings["plugins"]["entries"]["mneme"]["enabled"] is True
    assert "mneme" in settings["plugins"].get("allow", ["mneme"])
    files = sorted(str(one.relative_to(state)) for one in state.rglob("*") if one.is_file())
    assert files == [
        "extensions/mneme/index.ts",
        "extensions/mneme/openclaw.plugin.json",
        "extensions/mneme/package.json",
        "openclaw.json",
        "skills/mneme/SKILL.md",
        "skills/mneme/scripts/mneme_tool.py",
    ]
    assert b"already installed" in user.mneme("install", "openclaw").stderr
    (state / "skills/mneme/SKILL.md").write_text("mine now", encoding="utf-8")
    user.mneme("uninstall", "openclaw")
    assert (place.read_text("utf-8") if place.exists() else None) == text
    left = [str(one.relative_to(state)) for one in state.rglob("*") if one.is_file() and one != place]
    assert left == ["skills/mneme/SKILL.md"]
    # A folder that is there and empty would keep OpenClaw from ever installing a plugin of that name.
    assert not (state / "extensions/mneme").exists()
    assert not (state / "skills/mneme/scripts").exists()


def test_openclaw_is_not_given_the_plugin_beside_the_bundle(user: User) -> None:
    """They would share a folder and a name, and taking one out would switch the other off."""
    state = user.place / "user" / ".openclaw"
    (state / "extensions/mneme/.claude-plugin").mkdir(parents=True)
    done = user.mneme("install", "openclaw")
    assert (done.returncode, b"openclaw plugins uninstall mneme" in done.stderr) == (2, True)
    assert not (state / "openclaw.json").exists()
    assert [one.name for one in (state / "extensions/mneme").iterdir()] == [".claude-plugin"]


def test_openclaw_has_no_settings_of_a_project(user: User) -> None:
    """So there is nothing to install into one."""
    assert user.mneme("install", "openclaw", "--project").returncode == 2


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("host", SERVERS)
def test_a_host_gets_the_mcp_server(user: User, host: str, project: bool) -> None:  # noqa: FBT001
    """Its own Python runs it, without the folder that it is started in on its path; and it goes again."""
    if host == "openclaw" and project:
        return
    where = ["--project"] if project else []
    assert user.mneme("install", host, *where).returncode == 0
    place, servers = servers_of(user, host, project=project)
    assert servers["mneme"]["command"] == sys.executable
    assert servers["mneme"]["args"] == ["-P", "-m", "mneme", "mcp"]
    user.mneme("uninstall", host, *where)
    assert not place.exists()


CONFIG = '# mine\nmodel = "x"\n\n[mcp_servers.other]  # theirs\ncommand = "other"'


@pytest.mark.parametrize(
    ("host", "text"),
    [
        *[(host, text) for host in ("claude-code", "cursor", "openclaw") for text in THEIRS.values()],
        (
            "claude-code",
            '{\n  "numStartups": 3,\n  "mcpServers": {\n    "other": {"command": "o"}\n  },\n  "projects": {}\n}',
        ),
        ("codex", CONFIG),
        ("codex", CONFIG + "\n"),
        ("codex", ""),
        ("codex", CONFIG.replace("\n", "\r\n") + "\r\n"),
        ("codex", "\ufeff" + CONFIG),
        ("codex", "# only\n"),
    ],
)
def test_the_file_with_the_servers_comes_back_to_the_byte(user: User, host: str, text: str) -> None:
    """Whatever else the host keeps in it."""
    place = user.place / "user" / SERVERS[host][0]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode())
    user.mneme("install", host)
    assert "mneme" in servers_of(user, host)[1]
    put = place.read_bytes()
    assert b"already installed" in user.mneme("install", host).stderr
    assert place.read_bytes() == put
    user.mneme("uninstall", host)
    assert place.read_bytes() == text.encode()


@pytest.mark.parametrize(
    ("host", "text"),
    [
        ("codex", '[mcp_servers."mneme"]\ncommand = "theirs"\n'),
        ("cursor", '{"mcpServers": {"mneme": {"command": "theirs"}}}\n'),
        ("claude-code", '{"mcpServers": {"mneme": {"type": "http", "url": "http://127.0.0.1:1/mcp"}}}\n'),
    ],
)
def test_a_server_of_ours_by_somebody_else_stays(user: User, host: str, text: str) -> None:
    """They may have reasons of their own; it is told."""
    place = user.place / "user" / SERVERS[host][0]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")
    assert b"stays as it is" in user.mneme("install", host).stderr
    assert place.read_text("utf-8") == text
    user.mneme("uninstall", host)
    assert place.read_text("utf-8") == text


DREAMS = (
    '// mine\n{plugins: {entries: {"memory-core": {config: {dreaming: {enabled: true, frequency: "0 3 * * *"}}}}}}\n'
)


def test_two_programs_need_not_remember_at_once(user: User) -> None:
    """What the host does by itself is told, switched off when that is wished, and back as it was afterwards."""
    place = user.place / "user/.openclaw/openclaw.json"
    place.parent.mkdir(parents=True)
    place.write_text(DREAMS, "utf-8")
    assert b"OpenClaw dreams over MEMORY.md by itself" in user.mneme("install", "openclaw").stderr
    assert parse_settings(place.read_text("utf-8")).find(DREAMING).value is True  # type: ignore[union-attr]
    done = user.mneme("install", "openclaw", "--alone")
    assert b"by itself" not in done.stderr
    settings = parse_settings(place.read_text("utf-8"))
    assert settings.find(DREAMING).value is False  # type: ignore[union-attr]
    assert settings.find(("plugins", "entries", "active-memory", "enabled")).value is False  # type: ignore[union-attr]
    assert b"already installed" in user.mneme("install", "openclaw", "--alone").stderr
    user.mneme("uninstall", "openclaw")
    assert place.read_text("utf-8") == DREAMS
    assert not (user.place / "config/mneme/switches.json").exists()


# What each host does by itself: its settings, what is told of them, and what they are with `--alone`.
BY_THEMSELVES: dict[str, tuple[str, str, str, str, str]] = {
    "claude, which does unless it is told": (
        "claude-code", ".claude/settings.json", '{"model": "x"}\n', "keeps a memory of its own", '"autoMemoryEnabled": false',
    ),
    "claude, dreaming": (
        "claude-code", ".claude/settings.json", '{"autoDreamEnabled": true}\n', "goes over its own memory", '"autoDreamEnabled": false',
    ),
    "codex": (
        "codex", ".codex/config.toml", 'model = "x"\n\n[features] # mine\nmemories=true # why\nhooks = true\n',
        "Codex keeps memories of its own", "\nmemories=false # why\n",
    ),
    "codex, dotted": ("codex", ".codex/config.toml", "features.memories   = true", "Codex keeps memories", "features.memories   = false"),
    "codex, on one line": (
        "codex", ".codex/config.toml", "memories = true\nfeatures = { memories = true, hooks = true }\n",
        "Codex keeps memories", "memories = true\nfeatures = { memories = false, hooks = true }\n",
    ),
    "codex, by its former name": ("codex", ".codex/config.toml", "[features]\r\nmemory_tool = true\r\n", "Codex keeps memories", "memory_tool = false\r\n"),
    "gemini": (
        "gemini", ".gemini/settings.json", '{"experimental": {"autoMemory": true}} // mine', "drafts memories", '"autoMemory": false',
    ),
    "openclaw, flushing": ("openclaw", ".openclaw/openclaw.json", "{}", "has the model write the day's note", '"memoryFlush":'),
    "openclaw, another store": (
        "openclaw", ".openclaw/openclaw.json", "{plugins: {entries: {'memory-lancedb': {config: {autoRecall: true}}}}}",
        "recalls from a store of its own", "autoRecall: false",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("host", "below", "text", "note", "off"), BY_THEMSELVES.values(), ids=BY_THEMSELVES)
def test_what_a_host_does_by_itself_is_told_and_can_be_switched_off(
    user: User, host: str, below: str, text: str, note: str, off: str
) -> None:
    """And it comes back as it was, to the byte; where it is off already, nothing is told and nothing is switched."""
    place = user.place / "user" / below
    place.parent.mkdir(parents=True)
    place.write_bytes(text.encode())
    told = user.mneme("install", host).stderr.decode()
    assert note in told
    assert f"mneme install {host} --alone" in told
    told = user.mneme("install", host, "--alone").stderr.decode()
    assert note not in told
    assert off in place.read_bytes().decode()
    assert "already installed" in user.mneme("install", host, "--alone").stderr.decode()
    user.mneme("uninstall", host)
    assert place.read_bytes() == text.encode()
    assert not (user.place / "config/mneme/switches.json").exists()


OFF = {
    "claude-code": (".claude/settings.json", '{"autoMemoryEnabled": false, "autoDreamEnabled": false}\n'),
    "codex": (".codex/config.toml", "[features]\nmemories = false\n"),
    "gemini": (".gemini/settings.json", '{"experimental": {"autoMemory": false}}\n'),
    "openclaw": (".openclaw/openclaw.json", '{"agents": {"defaults": {"compaction": {"memoryFlush": {"enabled": false}}}}}\n'),
}  # fmt: skip


@pytest.mark.parametrize("host", OFF)
def test_a_host_that_remembers_nothing_by_itself_is_left_as_it_is(user: User, host: str) -> None:
    """Not told about, and not switched on by taking mneme out again."""
    place = user.place / "user" / OFF[host][0]
    place.parent.mkdir(parents=True)
    place.write_text(OFF[host][1], "utf-8")
    assert b"--alone" not in user.mneme("install", host).stderr
    user.mneme("install", host, "--alone")
    user.mneme("uninstall", host)
    assert place.read_text("utf-8") == OFF[host][1]


def test_a_switch_of_codex_that_somebody_set_since_is_theirs(user: User) -> None:
    """Also where they took its line out."""
    place = user.place / "user/.codex/config.toml"
    place.parent.mkdir(parents=True)
    for since in ("[features]\nmemories = true # again\n", "[features]\n", ""):
        place.write_text("[features]\nmemories = true\n", "utf-8")
        user.mneme("install", "codex", "--alone")
        assert "memories = false" in place.read_text("utf-8")
        place.write_text(since, "utf-8")
        user.mneme("uninstall", "codex")
        assert place.read_text("utf-8") == since


DREAMING = ("plugins", "entries", "memory-core", "config", "dreaming", "enabled")


def test_a_switch_that_somebody_set_since_is_theirs(user: User) -> None:
    """Taking mneme out takes back what it set, and nothing else."""
    place = settings_of(user, "claude-code", project=False)
    place.parent.mkdir(parents=True)
    place.write_text('{"autoDreamEnabled": false}\n', "utf-8")
    user.mneme("install", "claude-code", "--alone")
    settings = json.loads(place.read_text("utf-8"))
    assert (settings["autoMemoryEnabled"], settings["autoDreamEnabled"]) == (False, False)
    place.write_text(json.dumps({**settings, "autoMemoryEnabled": True}, indent=2), "utf-8")
    user.mneme("uninstall", "claude-code")
    assert json.loads(place.read_text("utf-8")) == {"autoDreamEnabled": False, "autoMemoryEnabled": True}
