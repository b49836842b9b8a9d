"""What a hook costs, from the start of its process to its end, as ratios to starting Python with nothing to do.

    bench/hooks.py [--records 10000] [--rounds 41] [--prompts 1000] [--json]

A user of their own with a workspace of as many records and a home of cards; every form of the hook takes its turn in
every round, so that a busy machine slows all of them. Each prompt is new. Beside the time on the wall stands the CPU
time of the hook's own process, which others on the machine hardly change. Fails when a limit is passed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

from mneme.hooks import call as client

CLIENT = Path(client.__file__).with_name("client.py")
COMMAND = str(Path(sys.executable).with_name("mneme"))
YARDSTICK = [sys.executable, "-S", "-E", "-c", "pass"]
INSTALLED = [sys.executable, "-S", "-E", str(CLIENT), "claude-code", "UserPromptSubmit"]
TOOL_USED = [*INSTALLED[:-1], "PostToolUse"]
MODULE = [sys.executable, "-m", "mneme.hooks.user_prompt_submit"]
# What a limit is about: the form, the figure, and how many times the yardstick's median it may be.
LIMITS = (
    ("engine warm", "p50", 2.0),
    ("engine warm", "p95", 4.0),
    ("engine warm, tool used", "p50", 2.0),
    ("engine warm, tool used", "p95", 4.0),
    ("engine warm, python -m", "p50", 4.0),
    ("engine absent", "p50", 8.0),
)
HANGING_MS = 50.0
WARM_ROUNDS = 3
FLAT_SHARE, FLAT_MEGABYTES = 1.05, 2.0
SUBJECTS = [
    "cache",
    "parser",
    "importer",
    "scheduler",
    "login",
    "billing",
    "search",
    "upload",
    "report",
    "mailer",
    "queue",
    "index",
    "palace",
    "editor",
]
VERBS = ["uses", "keeps", "avoids", "rejects", "prefers", "replaced", "measured", "renamed", "postponed", "simplified"]
OBJECTS = [
    "sqlite",
    "json",
    "threads",
    "retries",
    "tokens",
    "snapshots",
    "locks",
    "webhooks",
    "markdown",
    "streams",
    "cookies",
    "batches",
]


@dataclass
class Form:
    """One way of running the hook, and what it took each time."""

    command: list[str]
    env: dict[str, str]
    wall_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    answered: int = 0

    def run(self, prompt: str) -> None:
        """Run it once with a prompt of its own."""
        event = {"session_id": prompt[-12:], "prompt": prompt, "tool_name": "Bash", "tool_input": {"command": prompt}}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        done = subprocess.run(
            self.command, input=json.dumps(event).encode(), env=self.env, capture_output=True, check=True
        )
        self.wall_ms.append((time.perf_counter() - started) * 1000)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu_ms.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
        self.answered += bool(done.stdout)

    def figures(self) -> dict[str, float]:
        """Return median and 95th percentile of the wall, and the median of CPU time."""
        p95 = quantiles(self.wall_ms, n=20)[-1]
        return {"p50": round(median(self.wall_ms), 2), "p95": round(p95, 2), "cpu": round(median(self.cpu_ms), 2)}


def make_user(place: Path, records: int) -> dict[str, str]:
    """Write a workspace and a home, and return the environment of their user."""
    memory, home = place / "ws" / "memory", place / "home"
    memory.mkdir(parents=True)
    home.mkdir()
    (place / "ws" / "mneme.toml").touch()
    for number in range(0, records, 500):
        cells = map(make_cell, range(number + 1, min(records, number + 500) + 1))
        (memory / f"area{number // 500:03}.mneme").write_text("\n".join(cells), encoding="utf-8")
    (home / "capabilities.yaml").write_text("".join(map(make_card, range(60))), encoding="utf-8")
    folders = {"HOME": "user", "MNEME_HOME": "home", "MNEME_RUNTIME": "run", "XDG_STATE_HOME": "state"}
    folders |= {"XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data"}
    return {"PATH": os.environ["PATH"], **{name: str(place / folder) for name, folder in folders.items()}}


def make_cell(number: int) -> str:
    """Return one record of many that differ."""
    return (
        f"@ FACT-{number:05}  {subject(number)}/topic{number % 7}\ngist  {sentence(number)}\n"
        f"cue  word{number % 97} / other{number % 89}\nstate live   conf med   since 2026-01-02   seen 2026-01-31\n"
    )


def subject(number: int) -> str:
    """Return what a record or a prompt is about."""
    return SUBJECTS[number % len(SUBJECTS)]


def sentence(number: int) -> str:
    """Return a statement that no other number gives."""
    verb, what = VERBS[number // 14 % len(VERBS)], OBJECTS[number // 140 % len(OBJECTS)]
    return f"the {subject(number)} {verb} {what} in release {number}"


def make_card(number: int) -> str:
    """Return one card."""
    what = OBJECTS[number % len(OBJECTS)]
    return (
        f"- id: tool_{number}\n  name: {what} tool {number}\n  category: db\n  action_verb: convert {what}\n"
        f"  triggers: [{what} {number}]\n  description: Converts {what} of the {subject(number)}.\n"
        f"  params_required: []\n  params_optional: []\n  example: tool_{number} x\n  schema_version: '1'\n  source: manual\n"
    )


def prompts(start: int = 0) -> list[str]:
    """Return prompts that differ, some with an answer in memory and some without."""
    asked = "what did we say about how the {} {} {}? {:06}"
    return [
        asked.format(subject(n), VERBS[n // 14 % len(VERBS)].rstrip("s"), OBJECTS[n // 3 % len(OBJECTS)], n)
        for n in range(start, start + 5000)
    ]


def measure(env: dict[str, str], hanging: Path, rounds: int) -> dict[str, Form]:
    """Run every form in turn and return them."""
    alone = env | {"MNEME_SERVE": "0"}
    forms = {
        "yardstick": Form(YARDSTICK, env),
        "engine warm": Form(INSTALLED, env),
        "engine warm, tool used": Form(TOOL_USED, env),
        "engine warm, python -m": Form(MODULE, env),
        "engine absent": Form(INSTALLED, alone | {"MNEME_RUNTIME": str(hanging.parent / "none")}),
        "engine hanging": Form(INSTALLED, alone | {"MNEME_RUNTIME": str(hanging)}),
    }
    asked = iter(prompts())
    with listening(hanging / "engine.sock"):
        for number in range(rounds + WARM_ROUNDS):
            if number == WARM_ROUNDS:  # whatever is done once has been done
                for form in forms.values():
                    form.wall_ms, form.cpu_ms, form.answered = [], [], 0
            for form in forms.values():
                form.run(next(asked))
    return forms


def listening(place: Path) -> socket.socket:
    """Return a socket on which nobody ever answers."""
    place.parent.mkdir(mode=0o700)
    line = socket.socket(socket.AF_UNIX)
    line.bind(str(place))
    line.listen(512)
    return line


def grown(env: dict[str, str], engine: int, count: int, folder: str) -> dict[str, float]:
    """Return how large the engine was after the first tenth of many prompts, and after all of them."""
    sizes = []
    for number, prompt in enumerate(prompts(6000)[:count], 1):
        event = {"session_id": f"s{number % 9}", "prompt": prompt, "cwd": folder}
        call = client.print_call("claude-code", "UserPromptSubmit", folder, env) + json.dumps(event).encode()
        client.ask_engine(env["MNEME_RUNTIME"] + "/engine.sock", call, wait=True)
        if number in (max(1, count // 10), count):
            pages = int(Path(f"/proc/{engine}/statm").read_text("ascii").split()[1])
            sizes.append(round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1))
    return {"prompts": count, "after a tenth": sizes[0], "at the end": sizes[-1]}


def main() -> int:
    """Measure, print, and fail when a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--prompts", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="mnb-"))
    env = make_user(place, args.records)
    os.chdir(place / "ws")
    try:
        subprocess.run([COMMAND, "index"], env=env, check=True, capture_output=True)
        subprocess.run([COMMAND, "serve", "--background"], env=env, check=True, capture_output=True)
        status = subprocess.run([COMMAND, "serve", "--status", "--json"], env=env, check=True, capture_output=True)
        engine = json.loads(status.stdout)["process"]
        forms = measure(env, place / "hang", args.rounds)
        size = grown(env, engine, args.prompts, str(place / "ws"))
        os.kill(engine, signal.SIGTERM)
    finally:
        subprocess.run([COMMAND, "serve", "--stop"], env=env, check=False, capture_output=True)
        shutil.rmtree(place, ignore_errors=True)
    return report(forms, size, args)


def report(forms: dict[str, Form], size: dict[str, float], args: argparse.Namespace) -> int:
    """Print the figures and what they are held against."""
    figures = {name: form.figures() for name, form in forms.items()}
    yardstick = figures["yardstick"]
    for one in figures.values():
        one |= {f"{name} ratio": round(one[name] / yardstick["p50" if name != "cpu" else "cpu"], 2) for name in
                ("p50", "p95", "cpu")}  # fmt: skip
    held = {f"{name}, {figure}": (figures[name][f"{figure} ratio"], limit) for name, figure, limit in LIMITS}
    more = round(figures["engine hanging"]["p50"] - figures["engine absent"]["p50"], 1)
    held["engine hanging, ms more than absent"] = (more, HANGING_MS + 10.0)
    held["engine, megabytes at the end"] = (size["at the end"], size["after a tenth"] * FLAT_SHARE + FLAT_MEGABYTES)
    if args.json:
        machine = {"python": platform.python_version(), "cores": os.cpu_count(), "load": os.getloadavg()}
        answered = {name: form.answered for name, form in forms.items()}
        said = {"machine": machine, "records": args.records, "rounds": args.rounds, "figures": figures}
        print(json.dumps(said | {"answered": answered, "memory": size, "held": held}))
    else:
        for name, one in figures.items():
            print(f"  {name:24} " + "  ".join(f"{key} {value}" for key, value in one.items()))
        print(
            f"  engine: {size['after a tenth']} MB after a tenth of {size['prompts']} prompts, {size['at the end']} MB at the end"
        )
        for name, (value, limit) in held.items():
            print(f"  {name}: {value} (limit {limit:.1f})")
    return int(any(value > limit for value, limit in held.values()))


if __name__ == "__main__":
    sys.exit(main())
