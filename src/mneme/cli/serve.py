"""Run the resident engine: it answers the hooks of host programs from warm memory.

One runs per user, for all workspaces; hooks start it by themselves when they need it, and it leaves when nobody has
asked for long. So there is seldom a reason to run it by hand, except to watch it: it stays in the foreground, and
Ctrl-C ends it.

With --http it answers MCP clients too, at `http://127.0.0.1:PORT/mcp`, for whoever shows the token that --status tells of.
With --background as well, that is kept in the settings of the home, so that every engine that hooks start does so too;
`mneme serve --http off --background` takes it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

    from mneme.cli.context import IO

EXAMPLES = """
mneme serve
mneme serve --background
mneme serve --http 8765
mneme serve --http 8765 --background
mneme serve --status
mneme serve --stop
"""
_START_SECONDS = 5.0
_PORTS = 65536
_PORT_KEY = "serve.http_port"


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
        type=_port,
        help="also answer MCP clients on this port of this machine; 0 takes a free one, `off` none",
    )
    parser.add_argument("--detached", action="store_true", help="hold nothing of whoever starts it, as hooks start it")


def _port(text: str) -> int:
    """Return the port that is meant; -1 where none is."""
    import argparse

    if text != "off" and not (text.isdecimal() and int(text) < _PORTS):
        message = f"'{text}' is no port: a number below {_PORTS}, or off"
        raise argparse.ArgumentTypeError(message)
    return -1 if text == "off" else int(text)


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
        if args.http is not None:
            _keep_port(args.http, io, socket)
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
    port = _kept_port(io) if args.http is None and args.detached else args.http
    terms = serve.Terms(
        socket,
        serve.IDLE_MINUTES if args.idle is None else args.idle,
        http_port=port if port is not None and port >= 0 else None,
        needs_port=args.http is not None,
        shared=io.shared,
    )
    why = serve.run(terms, warn, detached=args.detached, say=io.say)
    if not args.detached:
        io.say(f"ended: {why}" if why else "another engine runs already; mneme serve --stop ends it")
    return 0 if why or args.detached else 1


def _kept_port(io: IO) -> int | None:
    """Return the port that the user wants every engine to answer MCP clients on, if there is one."""
    home = io.open_home()
    port: int = home.memory.workspace.settings[_PORT_KEY] if home.root.is_dir() else 0
    return port or None


def _keep_port(port: int, io: IO, socket: Path) -> None:
    """Keep the port in the home's settings; an engine that runs ends, so that the next one goes by them."""
    from mneme import serve
    from mneme.engine.setting import set_setting
    from mneme.errors import BadInputError

    if port == 0 or io.shared:
        message = "a port that is kept has a number, and each client says itself in which context it asks"
        raise BadInputError(message, "mneme serve --http 8765 --background")
    set_setting(io.open_home().memory, _PORT_KEY, max(port, 0))
    serve.stop_engine(socket)


def _status(io: IO, socket: Path, log: str) -> int:
    from mneme import serve
    from mneme.engine.access import token_file

    holder, address = serve.find_engine(socket), serve.find_address(socket)
    if io.json:
        io.print_json(
            process=holder, socket=str(socket), log=log, http=address, token=str(token_file()) if address else ""
        )
        return 0 if holder else 1
    io.print(f"engine   {f'process {holder}' if holder else 'does not run'}\nsocket   {socket}\nlog      {log}")
    if address:
        io.print(f"http     {address}\ntoken    {token_file()}")
    return 0 if holder else 1


def _stop(io: IO, socket: Path) -> int:
    from mneme import serve

    holder = serve.stop_engine(socket)
    io.say(f"ended process {holder}" if holder else "no engine runs")
    return 0


def _start(io: IO, socket: Path) -> int:
    from mneme import serve
    from mneme.errors import StorageError
    from mneme.hooks import call

    if serve.find_engine(socket) is None:
        call.start_engine(asked=True)
    if not _comes(lambda: call.is_listening(str(socket))):
        message = f"no engine answers on '{socket}'"
        raise StorageError(message, "mneme serve")
    io.say(f"the engine runs, process {serve.find_engine(socket)}")
    port = _kept_port(io)
    if port is None:
        return 0
    if not _comes(lambda: bool(serve.find_address(socket))):
        message = f"the engine does not answer on port {port}; '{call.log_path()}' says why"
        raise StorageError(message, f"mneme serve --http {port}")
    io.say(f"it answers MCP clients at {serve.find_address(socket)}; mneme serve --status tells where the token lies")
    return 0


def _comes(true: Callable[[], bool]) -> bool:
    """Wait until something is true, and say whether it has become so."""
    import time

    ends = time.monotonic() + _START_SECONDS
    while not true():
        if time.monotonic() > ends:
            return False
        time.sleep(0.02)
    return True
