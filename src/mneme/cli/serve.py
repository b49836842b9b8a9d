"""Run the resident engine: it answers the hooks of host programs from warm memory.

One runs per user, for all workspaces; hooks start it by themselves when they need it, and it leaves when nobody has
asked for long. So there is seldom a reason to run it by hand, except to watch it: it stays in the foreground, and
Ctrl-C ends it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from mneme.cli.context import IO

EXAMPLES = """
mneme serve
mneme serve --background
mneme serve --http 8765
mneme serve --status
mneme serve --stop
"""
_START_SECONDS = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--background", action="store_true", help="start it, see that it answers, and return")
    parser.add_argument("--status", action="store_true", help="say whether it runs, and where it listens and logs")
    parser.add_argument("--stop", action="store_true", help="end the one that runs")
    parser.add_argument(
        "--idle", metavar="MINUTES", type=float, help="leave after so long without a call (default: 30)"
    )
    parser.add_argument(
        "--http",
        metavar="PORT",
        type=int,
        help="also answer MCP clients on this port of this machine; 0 takes a free one",
    )
    parser.add_argument("--detached", action="store_true", help="hold nothing of whoever starts it, as hooks start it")


def run(args: argparse.Namespace, io: IO) -> int:
    """Start it, stop it, or say how it is."""
    from pathlib import Path

    from mneme.hooks import call

    socket = Path(call.socket_path())
    if args.status:
        return _status(io, socket, call.log_path())
    if args.stop:
        return _stop(io, socket)
    if args.background:
        return _start(io, socket)
    return _serve(args, io, socket)


def _serve(args: argparse.Namespace, io: IO, socket: Path) -> int:
    from mneme import serve
    from mneme.hooks import call

    def warn(fault: str) -> None:
        call.log("engine", "-", fault)
        if not args.detached:
            io.warn(fault)

    if not args.detached:
        io.say(f"listening on '{socket}'")
    terms = serve.Terms(socket, serve.IDLE_MINUTES if args.idle is None else args.idle, http_port=args.http)
    why = serve.run(terms, warn, detached=args.detached, say=io.say)
    if not args.detached:
        io.say(f"ended: {why}" if why else "another engine runs already; mneme serve --stop ends it")
    return 0 if why or args.detached else 1


def _status(io: IO, socket: Path, log: str) -> int:
    from mneme import serve

    holder = serve.find_engine(socket)
    if io.json:
        io.print_json(process=holder, socket=str(socket), log=log)
    else:
        io.print(f"engine   {f'process {holder}' if holder else 'does not run'}\nsocket   {socket}\nlog      {log}")
    return 0 if holder else 1


def _stop(io: IO, socket: Path) -> int:
    from mneme import serve

    holder = serve.stop_engine(socket)
    io.say(f"ended process {holder}" if holder else "no engine runs")
    return 0


def _start(io: IO, socket: Path) -> int:
    import time

    from mneme import serve
    from mneme.errors import StorageError
    from mneme.hooks import call

    if serve.find_engine(socket) is None:
        call.start_engine(asked=True)
    ends = time.monotonic() + _START_SECONDS
    while not call.is_listening(str(socket)):
        if time.monotonic() > ends:
            message = f"no engine answers on '{socket}'"
            raise StorageError(message, "mneme serve")
        time.sleep(0.02)
    io.say(f"the engine runs, process {serve.find_engine(socket)}")
    return 0
