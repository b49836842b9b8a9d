"""Serve this memory to any client of the Model Context Protocol, over stdin and stdout or over HTTP.

A client starts it by itself: give it the command `mneme mcp`, in the folder of the workspace or with --workspace. With
--http it listens on this machine only, for several clients at once. Which tools are listed is a setting: `[mcp] tools`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, MnemeError

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO

EXAMPLES = """
mneme mcp
mneme mcp --workspace ~/notes --context shared
mneme mcp --http 8765
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("--http", metavar="PORT", type=int, help="listen on this port of this machine instead")


def run(args: argparse.Namespace, io: IO) -> int:
    """Serve until the client leaves."""
    try:
        from mneme.serve.mcp.server import Workplace, clock, make_server
    except ModuleNotFoundError as error:
        message = "the MCP server needs the official SDK, which is not installed"
        raise MnemeError(message, "pip install 'mneme-engine[mcp]'") from error
    from importlib.metadata import version

    workplace = Workplace(io.workspace, shared=io.shared, now=clock)
    try:
        server = make_server(workplace, version("mneme-engine"))
        if args.http:
            io.say(f"listening on http://127.0.0.1:{args.http}/mcp; Ctrl-C ends it")
            server.run("streamable-http", host="127.0.0.1", port=args.http)
        else:
            server.run("stdio")
    finally:
        workplace.close()
    return EXIT_CLEAN
