"""Transcripts: Markdown whose console blocks are run and must print what they say.

A block marked `console` holds commands after `$ ` and their output, stderr included; a non-zero exit code follows in
brackets. A block marked `file NAME` is written to that file first. All blocks of one document share a folder, a home
and a day, and see nothing of the machine's own settings.

Run as a script, it writes what the commands print now into the documents named, or into all of them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TODAY = "2026-01-31T12:00:00+00:00"
LIMIT_SECONDS = 60

_BLOCK = re.compile(r"^```(?P<info>console|file [^\n]+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def find_transcripts() -> list[Path]:
    """Return every document that holds transcripts."""
    documents = [
        ROOT / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "tests/golden").glob("*.md")),
    ]
    return [path for path in documents if path.exists() and "```console\n" in path.read_text(encoding="utf-8")]


def run_transcript(text: str, folder: Path) -> str:
    """Return a document with the output of its commands as they print it now; `folder` must be empty."""
    surroundings = _surroundings(folder)
    place = folder / "memory"
    place.mkdir()

    def again(block: re.Match[str]) -> str:
        info, body = block["info"], block["body"]
        if info.startswith("file "):
            target = place / info.removeprefix("file ").strip()
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(body, encoding="utf-8")
            return block.group()
        commands = _commands(body)
        return f"```console\n{''.join(_run(command, place, surroundings) for command in commands)}```"

    return _BLOCK.sub(again, text)


def _commands(body: str) -> list[str]:
    """Return the commands of a block; a line that ends in a backslash goes on after `> `."""
    commands: list[str] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            commands.append(line.removeprefix("$ "))
        elif line.startswith("> ") and commands and commands[-1].endswith("\\"):
            commands[-1] += "\n" + line.removeprefix("> ")
    return commands


def _run(command: str, place: Path, surroundings: dict[str, str]) -> str:
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=place,
        env=surroundings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    output = done.stdout.decode("utf-8", "backslashreplace").replace(str(place), "/memory")
    if output and not output.endswith("\n"):
        output += "\n"
    status = f"[{done.returncode}]\n" if done.returncode else ""
    return "$ " + command.replace("\n", "\n> ") + "\n" + output + status


def _surroundings(folder: Path) -> dict[str, str]:
    """Return an environment of its own, in which `mneme` lives on a fixed day."""
    tools = folder / "bin"
    tools.mkdir()
    wrapper = tools / "mneme"
    command = Path(sys.executable).with_name("mneme")
    wrapper.write_text(f'#!/bin/sh\nexec "{command}" --today {TODAY} "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    home = folder / "home"
    home.mkdir()
    return {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "TMPDIR": str(folder),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


def main(names: list[str]) -> int:
    """Write documents again."""
    for path in [Path(name).resolve() for name in names] or find_transcripts():
        before = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            after = run_transcript(before, Path(folder).resolve())
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
