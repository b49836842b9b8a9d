"""Find the memories that answer a question, best first; or say that there are none.

QUERY is a question in your own words. Words and meaning both count, and so do the days that it names ("last Tuesday", "in
May", "after the migration"). You may take it apart yourself: `lex: words`, `sem: a sentence`, `id: DEC-0001`, `-word` for
what should not be there, and nothing but "quoted phrases" for what must be there word for word.

Each hit says what it may be used for: `use`, `verify first` (stale, doubtful or old), `not authoritative` (proposed, or
nobody has trusted this workspace) or `history` (superseded or retired). What you see now beats what memory says.

Memories that were superseded or retired are left out unless you ask for them: --state any, or --as-of a day for what was
believed then. Nothing found is exit code 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS

if TYPE_CHECKING:
    import argparse

    from mneme.cli.context import IO
    from mneme.engine.recalling import Answer

EXAMPLES = """
mneme recall "which database does the cache use?"
mneme recall "what broke last Tuesday?" --kind day -k 10
mneme recall "lex: sqlite wal sem: why the cache is not JSON -redis" --explain
mneme recall "cache" --as-of 2026-01-31 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    parser.add_argument("query", metavar="QUERY", help="what you want to know")
    parser.add_argument("-k", metavar="N", type=int, default=5, help="how many hits at most (default: 5)")
    parser.add_argument("--kind", metavar="KIND", help="only of this kind; may be repeated", action="append")
    parser.add_argument(
        "--layer", metavar="L", help="hot, warm, cold, buffer; episodic, semantic or procedural", action="append"
    )
    parser.add_argument("--topic", metavar="A/B", help="only of this topic and those below it")
    parser.add_argument("--tag", metavar="TAG", help="only with this tag; may be repeated", action="append")
    parser.add_argument("--entity", metavar="NAME", help="only about this entity")
    parser.add_argument(
        "--state", metavar="STATE", help="only in this state; `any` for all, history too", action="append"
    )
    parser.add_argument("--since", metavar="DATE", help="only what dates from this day, month or year on")
    parser.add_argument("--until", metavar="DATE", help="only what dates from this day, month or year or before")
    parser.add_argument("--as-of", metavar="DATE", help="what was believed on this day")
    parser.add_argument("--budget", metavar="TOKENS", type=int, help="as many hits as fit; four characters are a token")
    parser.add_argument("--words", action="store_true", help="by words alone: quicker, and blind to meaning")
    parser.add_argument("--strict", action="store_true", help="only what would be worth telling unasked")
    parser.add_argument("--explain", action="store_true", help="show what each score is the sum of, in log-odds")


_OPTIONS = ("k", "kind", "layer", "topic", "tag", "entity", "state", "since", "until", "as_of", "budget", "words")


def run(args: argparse.Namespace, io: IO) -> int:
    """Ask, and print what was found."""
    from mneme import render
    from mneme.hooks.resident import ask_recall

    options = {name: getattr(args, name) for name in _OPTIONS} | {"point": "injection" if args.strict else "asked"}
    with io.open() as memory:
        answer = ask_recall(memory, args.query, options) if io.live else None
        answer = memory.recall(args.query, **options) if answer is None else answer
        problems = (*memory.problems, *answer.problems)
    if io.json:
        io.print_json(answer.hits, problems, **answer.state)
    elif answer.hits:
        io.print(render.hits_text(answer.hits, explain=args.explain, colour=io.colour))
    io.warn_problems(() if io.json else problems)
    _tell(answer, io, asked_for_words=args.words)
    return EXIT_CLEAN if answer.hits else EXIT_PROBLEMS


def _tell(answer: Answer, io: IO, *, asked_for_words: bool) -> None:
    """Say what the reader should know of the answer as a whole."""
    for notice in answer.notices:
        io.warn(notice)
    if answer.behind_files:
        count = f"{answer.behind_files} file{'' if answer.behind_files == 1 else 's'}"
        io.warn(f"{count} could not be brought in in time, and may hold more", "mneme index")
    if answer.because and not asked_for_words:
        io.warn(f"by words alone: {answer.because}", "mneme index" if answer.unembedded else "")
    elif answer.unembedded:
        io.warn(f"{answer.unembedded} memories have no vector yet", "mneme index")
    if not answer.hits:
        io.say("nothing in memory is about that")
    elif not answer.certain:
        io.say("weak matches: nothing here is likely to be the answer")
