"""The frame of the command line: what every verb has in common, whatever it does."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import shlex
import signal
import subprocess
import sys
import types
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import mneme.cli
from mneme.cli import frame, main, verbs
from mneme.cli.context import IO
from mneme.cli.helptext import overview_text, verb_text
from mneme.cli.options import Parser, parse_moment
from mneme.cli.verbs import CELLS, EVERYDAY, GROUPS, VERBS, Verb
from mneme.errors import BadInputError, NotFoundError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    Run = Callable[[argparse.Namespace, IO], int]

COMMAND = Path(sys.executable).with_name("mneme")
FRAME = {"frame", "verbs", "options", "helptext", "context"}


def add_sample_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare one argument of every sort that a verb may have."""
    parser.add_argument("text", metavar="TEXT")
    parser.add_argument("files", metavar="FILE", nargs="*")
    parser.add_argument("--kind", choices=("decision", "goal"))
    parser.add_argument("--link", action="append")
    parser.add_argument("-n", "--number", type=int)
    parser.add_argument("--force", action="store_true")


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> Callable[[Run], None]:
    """Give a way to put a verb `sample` of the test's own in the table, and `reads`, the same without writing."""

    def put(run: Run) -> None:
        module = types.ModuleType("mneme.cli.sample", "Do what a test needs.")
        module.__dict__.update(EXAMPLES="mneme sample x", add_arguments=add_sample_arguments, run=run)
        monkeypatch.setitem(sys.modules, "mneme.cli.sample", module)
        monkeypatch.setitem(sys.modules, "mneme.cli.reads", module)
        rows = (Verb("sample", EVERYDAY, "do it", writes=True, aliases=("old-name",)), Verb("reads", CELLS, "read it"))
        monkeypatch.setattr(verbs, "VERBS", rows)

    return put


@pytest.fixture
def given(sample: Callable[[Run], None]) -> list[tuple[argparse.Namespace, IO]]:
    """Give the list of what the sample verb was called with."""
    calls: list[tuple[argparse.Namespace, IO]] = []

    def run(args: argparse.Namespace, io: IO) -> int:
        calls.append((args, io))
        return 0

    sample(run)
    return calls


def shell(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:  # noqa: ANN401 -- what `run` takes
    """Run the installed command in a process of its own."""
    return subprocess.run([COMMAND, *words], **{"capture_output": True, "text": True, "check": False} | options)  # noqa: PLW1510 -- it is given


# The table


def test_every_verb_module_has_a_row_and_every_row_a_module() -> None:
    """The table is the truth: what is not in it does not exist, and what is in it does."""
    modules = {found.name for found in pkgutil.iter_modules(mneme.cli.__path__)} - FRAME
    assert sorted(verb.module for verb in VERBS) == sorted(modules)


def test_names_in_the_table_are_unique_and_grouped() -> None:
    """No verb or alias means two things, and each is in a group that is shown."""
    names = [name for verb in VERBS for name in (verb.name, *verb.aliases)]
    assert sorted(names) == sorted(set(names))
    assert {verb.group for verb in VERBS} <= set(GROUPS)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_summary_is_a_short_phrase(verb: Verb) -> None:
    """The overview fits eighty columns, and its lines read alike."""
    assert verb.summary[0].islower()
    assert not verb.summary.endswith(".")
    assert all(len(line) <= 80 for line in overview_text([verb]).splitlines())


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_the_help_of_a_verb_is_complete(verb: Verb) -> None:
    """Help describes the verb and each of its arguments, and fits a terminal."""
    module, parser = verbs.load_verb(verb), frame.build_parser(verb)
    assert module.__doc__
    assert all(action.help for action in [*parser.arguments(), *parser.own_options()])
    text = verb_text(verb, module, parser)
    assert text.startswith(f"usage: mneme {verb.name}")
    explained = text.partition("\nexamples:\n")[0]
    assert [line for line in explained.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_the_examples_of_a_verb_parse(verb: Verb) -> None:
    """Every example in the help is a command that is accepted."""
    lines = [line for line in verbs.load_verb(verb).EXAMPLES.splitlines() if line.strip()]
    commands = [shlex.split(line, comments=True) for line in lines if line.startswith("mneme ")]
    assert any(verb.name in words for words in commands)
    for words in commands:
        stop = next((n for n, word in enumerate(words) if word in {">", "<", "|", "&&"}), len(words))
        before, name, rest = frame.split_verb(words[1:stop])
        chosen = verbs.find_verb(name or "")
        assert chosen
        frame.build_parser(chosen).parse([*before, *rest])


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_options_take_one_value_or_none(verb: Verb) -> None:
    """What takes several is repeated, so that options and arguments may stand in any order."""
    options = frame.build_parser(verb).own_options()
    assert [action.dest for action in options if action.nargs not in {None, 0}] == []


def test_the_overview_shows_the_everyday_verbs_first(given: list[object], capsys: pytest.CaptureFixture[str]) -> None:
    """Groups stand in their order, and aliases are not shown."""
    assert given == []
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert out.index("everyday:") < out.index("sample") < out.index("cells:") < out.index("reads")
    assert "old-name" not in out
    assert "hosts:" not in out


def test_no_verb_at_all_shows_the_overview_as_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing was asked, so nothing was done: a script with an empty variable must not pass for a success."""
    assert main([]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("usage: mneme")


def test_an_alias_runs_its_verb(given: list[tuple[argparse.Namespace, IO]]) -> None:
    """An alias is another way to write the same verb."""
    assert main(["old-name", "x"]) == 0
    assert given[0][0].text == "x"


def test_the_help_of_one_verb_wins_over_what_is_missing(
    given: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    """`mneme VERB --help` explains, wherever it stands and whatever else does."""
    for words in (["sample", "--help"], ["sample", "-h"], ["--json", "sample", "a", "--help", "b"]):
        assert main(words) == 0
        out = capsys.readouterr().out
        assert out.startswith("usage: mneme sample TEXT [FILE...] [options]\n\nDo what a test needs.\n")
        assert "  mneme sample x" in out
        assert "--dry-run" in out
    assert given == []


def test_the_version_is_that_of_the_distribution() -> None:
    """`mneme --version` prints one line."""
    assert shell("--version").stdout == f"mneme {importlib.metadata.version('mneme-engine')}\n"


# Options that work everywhere


def test_options_stand_before_or_after_the_verb(given: list[tuple[argparse.Namespace, IO]]) -> None:
    """The same options mean the same on either side, joined with their values or not."""
    main(["--workspace", "w", "--today=2026-01-31", "--json", "--dry-run", "--quiet", "sample", "x", "f"])
    main(["sample", "--workspace=w", "x", "--today", "2026-01-31", "--json", "f", "--dry-run", "--quiet"])
    assert vars(given[0][0]) == vars(given[1][0])
    assert given[0][1] == given[1][1]
    io = given[0][1]
    assert (io.workspace, io.today, io.json, io.dry_run, io.quiet) == ("w", date(2026, 1, 31), True, True, True)


def test_a_verb_gets_only_its_own_arguments(given: list[tuple[argparse.Namespace, IO]]) -> None:
    """There is one way to ask for what works everywhere: `io`."""
    main(["sample", "x"])
    assert set(vars(given[0][0])) == {"text", "files", "kind", "link", "number", "force"}


def test_only_writing_verbs_have_a_dry_run(given: list[object], capsys: pytest.CaptureFixture[str]) -> None:
    """A verb that writes nothing says so."""
    assert main(["reads", "x", "--dry-run"]) == 2
    assert "'mneme reads' writes nothing" in capsys.readouterr().err
    assert given == []


def test_now_is_the_clock_unless_told(given: list[tuple[argparse.Namespace, IO]]) -> None:
    """Without `--today` a verb is given the time it started at, with its offset."""
    before = datetime.now(UTC)
    main(["sample", "x"])
    assert before <= given[0][1].now <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31", datetime(2026, 1, 31).astimezone()),
        ("2026-01-31T18:30", datetime(2026, 1, 31, 18, 30).astimezone()),
        ("2026-01-31 18:30:15", datetime(2026, 1, 31, 18, 30, 15).astimezone()),
        ("2026-01-31T18:30Z", datetime(2026, 1, 31, 18, 30, tzinfo=UTC)),
        ("2026-01-31T23:30:00+02:00", datetime(2026, 1, 31, 21, 30, tzinfo=UTC)),
    ],
)
def test_today_is_a_date_or_a_time(text: str, moment: datetime) -> None:
    """A time without an offset is local; one with an offset keeps it."""
    assert parse_moment(text) == moment


def test_the_day_is_the_one_that_was_written() -> None:
    """An offset does not move the day to another."""
    assert parse_moment("2026-01-31T23:30:00-12:00").date() == date(2026, 1, 31)
    assert parse_moment("2026-01-31T00:30:00+14:00").date() == date(2026, 1, 31)


@pytest.mark.parametrize(
    "text",
    ["", "today", "2026-13-01", "2026-02-30", "26-01-31", "2026-W05-6", "20260131", "2026-01-31T25:00", "0000-01-01",
     "2026-01-31T10", "２０２６-01-31", "2026-01-31\n"],
)  # fmt: skip
def test_an_impossible_day_is_refused(text: str, given: list[object], capsys: pytest.CaptureFixture[str]) -> None:
    """One line names it, and the hint shows what one looks like."""
    assert main(["--today", text, "sample", "x"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("mneme: ")
    assert "hint: mneme --today 2026-01-31" in error
    assert given == []


# Parsing


def parsed(*words: str) -> argparse.Namespace:
    """Parse words as the sample verb would."""
    parser = Parser("mneme sample", writes=True)
    add_sample_arguments(parser)
    return parser.parse(words)


def test_options_and_arguments_mix() -> None:
    """Files may stand after, between and before options."""
    args = parsed("t", "a", "--force", "b", "--kind", "goal", "c", "-n", "3")
    assert (args.text, args.files, args.force, args.kind, args.number) == ("t", ["a", "b", "c"], True, "goal", 3)


def test_values_may_look_like_options() -> None:
    """A value that begins with a dash is a value, and so is everything after two dashes."""
    args = parsed("--link", "-x -y", "--link=--kind", "--number", "-3", "--", "-t", "--force")
    assert (args.link, args.number, args.text, args.files, args.force) == (
        ["-x -y", "--kind"],
        -3,
        "-t",
        ["--force"],
        False,
    )


def test_a_text_that_begins_with_a_dash_is_a_text() -> None:
    """A list item is what people remember; it has a space, and options have none."""
    assert parsed("- first item").text == "- first item"
    assert parsed("-").text == "-"
    assert parsed("--link=", "t").link == [""]


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["--froce", "t"], "unknown option '--froce'", "mneme sample --force"),
        (["--zzzzzz", "t"], "unknown option '--zzzzzz'", "mneme sample --help"),
        (["t", "--kind"], "'--kind' needs a value", "mneme sample --kind decision|goal"),
        (["t", "--kind", "--force"], "'--kind' needs a value", "mneme sample --kind decision|goal"),
        (["t", "--force=yes"], "'--force' takes no value", "mneme sample --force"),
        (
            ["t", "--kind", "gaol"],
            "--kind: 'gaol' is none of decision, goal; did you mean 'goal'?",
            "mneme sample --help",
        ),
        (["t", "--kind", "x"], "--kind: 'x' is none of decision, goal", "mneme sample --help"),
        (["t", "-n", "x"], "-n/--number: 'x' is not a whole number", "mneme sample --help"),
        ([], "TEXT is missing", "mneme sample --help"),
    ],
)
def test_usage_errors_have_our_wording(words: list[str], message: str, hint: str) -> None:
    """What is wrong comes first; the hint is a command, with the nearest option where there is one."""
    with pytest.raises(BadInputError) as caught:
        parsed(*words)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_one_argument_too_many_is_named() -> None:
    """The argument that found no place is shown."""
    parser = Parser("mneme show")
    parser.add_argument("id")
    with pytest.raises(BadInputError, match="one argument too many: 'DEC-0002'"):
        parser.parse(["DEC-0001", "DEC-0002"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["smaple", "x"], "mneme: unknown verb 'smaple'; did you mean 'sample'?\n  hint: mneme sample --help\n"),
        (["qqq"], "mneme: unknown verb 'qqq'\n  hint: mneme --help\n"),
        (["--jsn", "sample"], "mneme: unknown option '--jsn'\n  hint: mneme --json\n"),
        (["--today"], "mneme: '--today' needs a value\n  hint: mneme --help\n"),
        (["\x1b[31m"], "mneme: unknown verb '\\x1b[31m'\n  hint: mneme --help\n"),
    ],
)
def test_what_cannot_be_understood_is_said_in_one_line(
    words: list[str], message: str, given: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown verb or option ends with exit code 2, the nearest name and nothing on stdout."""
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == message
    assert given == []


# Failures


def failing(error: BaseException) -> Run:
    """Return a verb that raises."""

    def run(_args: argparse.Namespace, io: IO) -> int:
        io.print("a result")
        raise error

    return run


def test_a_mneme_error_becomes_a_line_and_a_hint(
    sample: Callable[[Run], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """The class of the error decides the exit code; results printed before it are kept."""
    sample(failing(NotFoundError("no record 'DEC-9'", "mneme list")))
    assert main(["sample", "x"]) == NotFoundError.exit_code
    captured = capsys.readouterr()
    assert captured.out == "a result\n"
    assert captured.err == "mneme: no record 'DEC-9'\n  hint: mneme list\n"


def test_what_the_system_refuses_is_said_in_its_words(
    sample: Callable[[Run], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """A full disk is not a fault of the program, so there is no traceback."""
    sample(failing(OSError(28, "No space left on device", "/m/x.mneme")))
    assert main(["sample", "x"]) == 2
    assert capsys.readouterr().err == "mneme: '/m/x.mneme': no space left on device\n"


def test_the_unexpected_keeps_its_traceback_in_a_file(
    sample: Callable[[Run], None], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One line for the reader; the rest in a file that only its owner can read."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv("MNEME_DEBUG", raising=False)
    sample(failing(ZeroDivisionError("by zero\nand more")))
    assert main(["sample", "x"]) == 2
    (kept,) = tmp_path.iterdir()
    expected = f"mneme: unexpected ZeroDivisionError: by zero\n  hint: please report this with {kept}\n"
    assert capsys.readouterr().err == expected
    assert "Traceback" in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0


def test_debugging_shows_the_traceback(
    sample: Callable[[Run], None], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With MNEME_DEBUG it is on stderr at once."""
    monkeypatch.setenv("MNEME_DEBUG", "1")
    sample(failing(ZeroDivisionError("by zero")))
    assert main(["sample", "x"]) == 2
    error = capsys.readouterr().err
    assert "Traceback" in error
    assert error.endswith("mneme: unexpected ZeroDivisionError: by zero\n")


def test_an_interrupt_ends_with_one_line(sample: Callable[[Run], None], capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C is a wish, not a fault."""

    def run(_args: argparse.Namespace, _io: IO) -> int:
        signal.raise_signal(signal.SIGINT)
        return 0

    sample(run)
    assert main(["sample", "x"]) == 130
    assert capsys.readouterr().err == "mneme: interrupted\n"


def test_a_request_to_end_is_heeded_like_ctrl_c(
    sample: Callable[[Run], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """What a plan had begun is taken back before the process goes, and the exit code says what ended it."""
    tidied = []

    def run(_args: argparse.Namespace, _io: IO) -> int:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            tidied.append(True)
        return 0

    sample(run)
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        assert main(["sample", "x"]) == 143
    finally:
        signal.signal(signal.SIGTERM, before)
    assert tidied == [True]
    assert capsys.readouterr().err == "mneme: terminated\n"


def test_a_broken_pipe_ends_quietly() -> None:
    """A reader that has seen enough gets no complaint, and the exit code is that of any command cut short."""
    reading, writing = os.pipe()
    os.close(reading)
    done = shell("completion", "bash", stdout=writing, stderr=subprocess.PIPE, capture_output=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_message_that_nobody_reads_does_not_change_the_exit_code() -> None:
    """With both streams gone, the exit code is all there is, and it is the right one."""
    reading, writing = os.pipe()
    os.close(reading)
    done = shell("no-such-verb", stdout=writing, stderr=writing, capture_output=False)
    os.close(writing)
    assert done.returncode == 2


def test_a_full_disk_under_the_output_is_a_failure() -> None:
    """Half a result must not pass for a whole one."""
    with Path("/dev/full").open("w") as full:
        done = shell("--help", stdout=full, stderr=subprocess.PIPE, capture_output=False)
    assert (done.returncode, done.stderr) == (2, "mneme: could not finish: no space left on device\n")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_no_terminal_is_too_narrow_for_a_text(encoding: str) -> None:
    """What an encoding lacks, and half a character, is printed as an escape."""
    environment = os.environ | {"PYTHONIOENCODING": encoding, "MNEME_DEBUG": ""}
    done = shell("记住", b"\xff".decode("utf-8", "surrogateescape"), env=environment, text=False)
    assert done.returncode == 2
    expected = "'记住'" if encoding == "utf-8" else r"'\u8bb0\u4f4f'"
    assert expected.encode() in done.stderr


# What a verb may print


def test_quiet_hides_notes_and_keeps_the_rest(
    sample: Callable[[Run], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """`--quiet` leaves results, warnings and errors."""

    def run(_args: argparse.Namespace, io: IO) -> int:
        io.print("result")
        io.say("note")
        io.warn("warning", "mneme check")
        return 1

    sample(run)
    assert main(["sample", "x", "--quiet"]) == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("result\n", "mneme: warning\n  hint: mneme check\n")
    main(["sample", "x"])
    assert capsys.readouterr().err.startswith("mneme: note\n")


def test_text_is_raw_into_a_pipe_and_harmless_on_a_terminal(tmp_path: Path) -> None:
    """Escape sequences in somebody's file act on nobody's terminal, and survive into a file."""
    text = "a\x1b[2Jb\u202ec\n"
    with (tmp_path / "out").open("w", encoding="utf-8") as file:
        IO(stdout=file, stderr=file).print_raw(text)
    assert (tmp_path / "out").read_text(encoding="utf-8") == text
    master, slave = os.openpty()
    with os.fdopen(slave, "w", encoding="utf-8") as terminal:
        IO(stdout=terminal, stderr=terminal).print_raw(text)
        terminal.flush()
        assert os.read(master, 1000) == b"a\\x1b[2Jb\\u202ec\r\n"
    os.close(master)


def test_colour_is_for_terminals_whose_owner_wants_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A file, NO_COLOR and a dumb terminal get plain text."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with (tmp_path / "out").open("w") as file:
        assert not frame.wants_colour(file)
    master, slave = os.openpty()
    with os.fdopen(slave, "w") as terminal:
        assert frame.wants_colour(terminal)
        monkeypatch.setenv("TERM", "dumb")
        assert not frame.wants_colour(terminal)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("NO_COLOR", "1")
        assert not frame.wants_colour(terminal)
    os.close(master)


def test_json_is_valid_under_any_encoding(tmp_path: Path) -> None:
    """A Latin terminal gets escapes that JSON knows, not those that Python knows."""
    for encoding in ("utf-8", "ascii", "latin-1"):
        with (tmp_path / "out").open("w", encoding=encoding, errors="backslashreplace") as file:
            IO(stdout=file, stderr=file).print_json(status="记é\udcff\x1b\u202e")
        written = (tmp_path / "out").read_bytes()
        assert json.loads(written) == {"version": 1, "records": [], "problems": [], "status": "记é\udcff\x1b\u202e"}
        assert ("记".encode() in written) is (encoding == "utf-8")


def test_today_is_the_day_of_now() -> None:
    """The day and the time that a verb sees agree."""
    moment = datetime(2026, 1, 31, 23, 59, tzinfo=UTC) + timedelta(minutes=1)
    assert IO(stdout=sys.stdout, stderr=sys.stderr, now=moment).today == date(2026, 2, 1)
