"""What a recall costs through the MCP server, as a ratio to the same recall in this process, with 10,000 cells.

The two take turns, question by question, so that a busy machine slows both; medians are compared, of the time that
passed and of the processor's time that each spent. Both have the index and the embedder warm.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from statistics import median

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from start import make_workspace

import mneme

LIMIT = 1.25
QUESTIONS = ("what holds about word{0} and other{1}?", "statement {2} about something", "is area{3} found to hold?")


def cpu_of(process: int) -> float:
    """Return the seconds that a process has spent on the processor."""
    parts = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def children() -> set[int]:
    """Return the processes that this one has started."""
    return {int(one) for one in Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split()}


def questions(rounds: int) -> list[str]:
    """Return as many questions, no two of them alike."""
    return [QUESTIONS[n % 3].format(n % 97, n % 89, n * 7 % 9973, n % 40) for n in range(rounds)]


async def measure(root: str, rounds: int) -> dict[str, float]:
    """Ask both in turns and return what they took, in seconds."""
    server = StdioServerParameters(command=sys.executable, args=["-P", "-m", "mneme", "mcp", "--workspace", root])
    ours: list[float] = []
    theirs: list[float] = []
    spent = 0.0
    async with Client(stdio_client(server)) as client:
        with mneme.open(root, now=lambda: datetime.now().astimezone()) as memory:
            process = max(children())
            for warm in questions(3):
                memory.recall(warm)
                await client.call_tool("recall", {"query": warm})
            before = cpu_of(process)
            for question in questions(rounds):
                began, used = time.perf_counter(), time.process_time()
                memory.recall(question)
                spent += time.process_time() - used
                ours.append(time.perf_counter() - began)
                began = time.perf_counter()
                await client.call_tool("recall", {"query": question})
                theirs.append(time.perf_counter() - began)
            served = cpu_of(process) - before
    return {
        "engine_ms": median(ours) * 1000, "mcp_ms": median(theirs) * 1000, "ratio": median(theirs) / median(ours),
        "engine_cpu_ms": spent / rounds * 1000, "mcp_cpu_ms": served / rounds * 1000, "cpu_ratio": served / spent,
    }  # fmt: skip


def main() -> int:
    """Measure, print, and fail when the limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=90)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        make_workspace(Path(folder), args.cells)
        found = asyncio.run(measure(folder, args.rounds))
    if args.json:
        print(json.dumps({**found, "limit": LIMIT, "cells": args.cells}))
    else:
        print(
            f"  engine {found['engine_ms']:.1f} ms, through MCP {found['mcp_ms']:.1f} ms: {found['ratio']:.2f} times (limit {LIMIT})"
        )
        print(
            f"  of the processor {found['engine_cpu_ms']:.1f} and {found['mcp_cpu_ms']:.1f} ms: {found['cpu_ratio']:.2f} times"
        )
    return int(found["ratio"] > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
