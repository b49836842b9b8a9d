"""Serve this memory to any client of the Model Context Protocol, over stdin and stdout or over HTTP.

A client starts it by itself: give it the command `mneme mcp`, in the folder of the workspace or with --workspace. Which
tools are listed is a setting: `[mcp] tools`.

Over HTTP, `mneme serve --http 8765 --background` sets the resident engine to answer clients as well, from then on;
`mneme serve --status` tells the address and where the token lies. `mneme mcp --http 8765` listens without the engine, until
Ctrl-C. Both listen on this machine only, for several clients at once: each shows the token (`Authorization: Bearer TOKEN`),
may name another workspace (`Mneme-Workspace: FOLDER`), may ask for nothing private (`Mneme-Context: shared`), and no page in
a browser is ever answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN

if TYPE_CHECKING:
    import argparse

    from mcp.server.mcpserver import MCPServer

    from mneme.cli.context import IO

EXAMPLES = """
mneme mcp
mneme mcp --workspace ~/notes --context shared
mneme mcp --http 8765
mneme serve --http 8765 --background
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument(
        "--http", metavar="PORT", type=int, help="listen on this port of this machine instead; 0 takes a free one"
    )


def run(args: argparse.Namespace, io: IO) -> int:
    """Serve until the client leaves."""
    try:
        from mneme.serve.mcp.server import Workplace, clock, make_server
    except ModuleNotFoundError as error:
        from mneme.serve import no_sdk

        raise no_sdk() from error
    from importlib.metadata import version

    if args.http is not None:
        return _serve_http(args.http, io)
    workplace = Workplace(io.workspace, shared=io.shared, now=clock)
    try:
        _serve_stdio(make_server(workplace, version("mneme-engine")))
    finally:
        workplace.close()
    return EXIT_CLEAN


def _serve_stdio(server: MCPServer) -> None:
    """Serve until the client leaves; a request to end comes between two steps, and is no fault of the one under way."""
    import asyncio
    import signal

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            heed = signal.getsignal(number)
            if callable(heed):
                loop.add_signal_handler(number, heed, number, None)
        await server.run_stdio_async()

    asyncio.run(serve())


def _serve_http(port: int, io: IO) -> int:
    """Serve over HTTP until Ctrl-C or the end of the session."""
    import signal

    from mneme.engine.access import access_token
    from mneme.serve.mcp.http import listening
    from mneme.serve.mcp.server import clock

    place, token = access_token()
    ends = (signal.SIGINT, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)  # in the threads that come too, so that it is waited for here
    with listening(io.workspace, port, token, io.warn, now=clock, shared=io.shared) as chosen:
        io.say(f"listening on http://127.0.0.1:{chosen}/mcp for whoever has the token in '{place}'; Ctrl-C ends it")
        signal.sigwait(ends)
    return EXIT_CLEAN
