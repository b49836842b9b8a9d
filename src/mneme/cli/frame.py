"""Running one command: find the verb, build its parser, hand over, turn every failure into one line and an exit code.

Options that work everywhere may stand before the verb or after it. A `MnemeError` is printed with its hint; a broken
pipe ends quietly; anything unexpected leaves its traceback in a file, because a person who only wanted to remember
something should not have to read one.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mneme.cli import verbs
from mneme.errors import EXIT_CLEAN, EXIT_FAILED, BadInputError, MnemeError

if TYPE_CHECKING:
    import argparse
    from typing import TextIO

    from mneme.cli.context import IO
    from mneme.cli.options import Parser
    from mneme.cli.verbs import Verb

EXIT_BROKEN_PIPE = 141
TAKES_VALUE = frozenset({"--workspace", "--today", "--context"})
FLAGS = frozenset({"--json", "--quiet", "--no-color", "--dry-run"})


def run_command(argv: list[str]) -> int:
    """Run one command; only Ctrl-C passes through."""
    for stream in (sys.stdout, sys.stderr):
        make_safe(stream)
    try:
        code = _dispatch(argv)
        sys.stdout.flush()
    except MnemeError as error:
        return _fail(error.message, error.hint, error.exit_code)
    except BrokenPipeError:
        _abandon_stdout()
        return EXIT_BROKEN_PIPE
    except OSError as error:
        return _fail_storage(error)
    except Exception as error:  # noqa: BLE001 -- the last line of defence: everything becomes one line
        return _fail_unexpected(error)
    return code


def make_safe(stream: TextIO) -> None:
    """Let a stream print what its encoding lacks (half a character, Chinese on a Latin terminal) as an escape."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def split_verb(argv: list[str]) -> tuple[list[str], str | None, list[str]]:
    """Split into options before the verb, the verb, and the rest; `--help` and `--version` count as verbs."""
    before: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        name = word.partition("=")[0]
        if word in {"-h", "--help", "--version"} or not word.startswith("-"):
            return before, word, rest
        if name in TAKES_VALUE and "=" not in word:
            if not rest:
                raise BadInputError(f"'{name}' needs a value", "mneme --help")
            before += [word, rest.pop(0)]
        elif name in TAKES_VALUE or word in FLAGS:
            before.append(word)
        else:
            raise _unknown_option(name)
    return before, None, []


def build_parser(verb: Verb) -> Parser:
    """Return the parser of one verb, with the options that work everywhere."""
    from mneme.cli.options import Parser

    parser = Parser(f"mneme {verb.name}", writes=verb.writes)
    verbs.load_verb(verb).add_arguments(parser)
    return parser


def _dispatch(argv: list[str]) -> int:
    before, name, rest = split_verb(argv)
    if name in {"-h", "--help"}:
        return _print_overview(sys.stdout, EXIT_CLEAN)
    if name is None:
        return _print_overview(sys.stderr, EXIT_FAILED)
    if name == "--version":
        return _print_version()
    verb = verbs.find_verb(name)
    if verb is None:
        raise _unknown_verb(name)
    return _run_verb(verb, [*before, *rest])


def _run_verb(verb: Verb, words: list[str]) -> int:
    module = verbs.load_verb(verb)
    parser = build_parser(verb)
    args = parser.parse(words)
    if args.help:
        from mneme.cli.helptext import verb_text

        sys.stdout.write(verb_text(verb, module, parser) + "\n")
        return EXIT_CLEAN
    io = _surroundings(args)
    code = module.run(args, io)
    return EXIT_FAILED if io.missed_some else code


def _surroundings(args: argparse.Namespace) -> IO:
    """Move the options that work everywhere out of `args`, so that a verb has one way to ask for each."""
    from mneme.cli.context import IO
    from mneme.cli.options import parse_moment

    given = vars(args)
    given.pop("help")
    today, no_colour = given.pop("today"), given.pop("no_color")
    moment: dict[str, Any] = {} if today is None else {"now": parse_moment(today)}
    return IO(
        stdout=sys.stdout,
        stderr=sys.stderr,
        workspace=given.pop("workspace"),
        shared=given.pop("context") == "shared",
        json=given.pop("json"),
        quiet=given.pop("quiet"),
        dry_run=given.pop("dry_run", False),
        colour=not no_colour and wants_colour(sys.stdout),
        live=not moment,
        **moment,
    )


def wants_colour(stream: TextIO) -> bool:
    """Say whether a stream is a terminal whose owner did not ask for plain text."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _print_overview(stream: TextIO, code: int) -> int:
    from mneme.cli.helptext import overview_text

    stream.write(overview_text(verbs.VERBS) + "\n")
    return code


def _print_version() -> int:
    from importlib.metadata import PackageNotFoundError, version

    try:
        sys.stdout.write(f"mneme {version('mneme-engine')}\n")
    except PackageNotFoundError as error:
        raise MnemeError(
            "mneme runs from its sources and is not installed, so it has no version", "make env"
        ) from error
    return EXIT_CLEAN


def _unknown_verb(name: str) -> BadInputError:
    from mneme.cli.options import nearest

    close = nearest(name, [verb.name for verb in verbs.VERBS])
    meant = f"; did you mean '{close}'?" if close else ""
    return BadInputError(f"unknown verb '{name}'{meant}", f"mneme {close} --help" if close else "mneme --help")


def _unknown_option(name: str) -> BadInputError:
    from mneme.cli.options import nearest

    close = nearest(name, [*TAKES_VALUE, *FLAGS, "--help", "--version"])
    return BadInputError(f"unknown option '{name}'", f"mneme {close or '--help'}")


def _fail(message: str, hint: str, code: int = EXIT_FAILED) -> int:
    from mneme.render import message_text

    _flush_quietly()
    with suppress(OSError):  # nobody may be left to read it; the exit code still says it
        sys.stderr.write(message_text(message, hint) + "\n")
    return code


def _fail_storage(error: OSError) -> int:
    """Report what the system refused, by its own words; a fault of the disk is not a fault of the program."""
    if os.environ.get("MNEME_DEBUG"):
        return _fail_unexpected(error)
    subject = f"'{error.filename}': " if error.filename else "could not finish: "
    return _fail(f"{subject}{(error.strerror or str(error)).lower()}", "")


def _fail_unexpected(error: Exception) -> int:
    """Print one line and keep the traceback in a file that only its owner can read (on stderr with MNEME_DEBUG=1)."""
    import traceback

    text = "".join(traceback.format_exception(error))
    summary = f"unexpected {type(error).__name__}: {error}".splitlines()[0]
    if os.environ.get("MNEME_DEBUG"):
        sys.stderr.write(text)
        return _fail(summary, "")
    return _fail(summary, _keep(text))


def _keep(text: str) -> str:
    import tempfile

    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="mneme-", suffix=".traceback", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as kept:
            kept.write(text)
    except OSError:
        return "run it again with MNEME_DEBUG=1 to see where"
    return f"please report this with {kept.name}"


def _flush_quietly() -> None:
    """Let results reach the reader before the message that follows them."""
    try:
        sys.stdout.flush()
    except OSError:
        _abandon_stdout()


def _abandon_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's own flush at exit has nothing left to fail on."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError):
        return
