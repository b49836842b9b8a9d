"""Capability cards: what this machine can do, so that an agent is reminded of it when a prompt calls for it.

The cards lie in `capabilities.yaml` in the home (MNEME_HOME, else ~/.claude/mneme), one list to edit by hand; comments
stay whatever mneme writes. `cards scan` finds what hosts have (MCP servers, plugins, skills, commands, agents, programs)
and shows it; --apply adds what is new and leaves what is there as it is. An MCP server is asked for its tools only where
you name it with --ask, because that starts it. `cards verify` turns cards on and off by what is really there, and writes
down how often each one worked.

`cards search` shows what a prompt would be told, with scores; a card is told from 0.65 on. `cards correct` notes that a
request like this one wants that card, and from then on it comes first. `cards workflows` lists what has worked, and
`cards show KEY` prints one as a script. `cards reflect` turns failures into lessons, where the end of a turn has not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.errors import EXIT_CLEAN, EXIT_PROBLEMS, BadInputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from mneme.cli.context import IO
    from mneme.engine.home import Home
    from mneme.engine.home.cards import CardView

EXAMPLES = """
mneme cards scan
mneme cards scan --apply --ask playwright
mneme cards list --category web_browser
mneme cards add screenshot --does "take a screenshot of a page" --triggers "screenshot, captura de tela" --example "shot URL"
mneme cards search "take a picture of our landing page"
mneme cards correct "manda um recado pro time" telegram_send
mneme cards verify --dry-run
"""
ACTIONS = ("list", "show", "add", "search", "verify", "scan", "correct", "workflows", "reflect")
WORDS = {"show": ("ID",), "add": ("ID",), "search": ("REQUEST",), "correct": ("REQUEST", "ID")}
_OWN = {
    "list": {"category", "source", "active"},
    "add": {"name", "does", "description", "triggers", "params", "optional", "example", "category", "source"},
    "search": {"limit"},
    "scan": {"ask", "apply"},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own arguments."""
    from mneme.engine.home import SOURCES

    parser.add_argument("action", metavar="ACTION", choices=ACTIONS, help=", ".join(ACTIONS))
    parser.add_argument("words", metavar="WORDS", nargs="*", help="ID for show and add; REQUEST; for correct, both")
    parser.add_argument("--category", metavar="NAME", help="list, add: of this category (add: without it, guessed)")
    parser.add_argument("--source", choices=SOURCES, help="list, add: where it comes from (add: manual)")
    parser.add_argument("--active", action="store_true", help="list: only what is really there")
    parser.add_argument("--name", metavar="TEXT", help="add: what people call it (default: the id)")
    parser.add_argument("--does", metavar="TEXT", help="add: what it does, in a few words")
    parser.add_argument("--description", metavar="TEXT", help="add: more about it")
    parser.add_argument(
        "--triggers", metavar="A,B", help="add: words that call for it, or /patterns/, parted by commas"
    )
    parser.add_argument("--params", metavar="A,B", help="add: what it needs")
    parser.add_argument("--optional", metavar="A,B", help="add: what it may be given besides")
    parser.add_argument("--example", metavar="TEXT", help="add: one way to use it")
    parser.add_argument("--limit", metavar="N", type=int, help="search: so many cards (default: 5)")
    parser.add_argument("--ask", metavar="SERVER", action="append", help="scan: start this MCP server, list its tools")
    parser.add_argument("--apply", action="store_true", help="scan: add what is new")


def run(args: argparse.Namespace, io: IO) -> int:
    """Ask the home, print."""
    _check(args)
    home = io.open_home()
    with home.memory:
        return _ACTIONS[args.action](args, io, home)


def _check(args: argparse.Namespace) -> None:
    """Refuse words and options that the action has no use for."""
    wanted = WORDS.get(args.action, ())
    if len(args.words) != len(wanted):
        message = f"'cards {args.action}' takes {' and '.join(wanted) or 'no words'}"
        raise BadInputError(message, " ".join(("mneme cards", args.action, *wanted)))
    every = set().union(*_OWN.values())
    odd = [name for name in sorted(every - _OWN.get(args.action, set())) if getattr(args, name) not in (None, False)]
    if odd:
        raise BadInputError(f"'cards {args.action}' has no '--{odd[0]}'", "mneme cards --help")


def _list(args: argparse.Namespace, io: IO, home: Home) -> int:
    cards = home.list_cards(category=args.category, source=args.source, active=args.active or None)
    return _print_views([home.view(card) for card in cards], io, home, "there are no cards; mneme cards scan")


def _show(args: argparse.Namespace, io: IO, home: Home) -> int:
    from mneme import render

    (wanted,) = args.words
    if home.is_workflow(wanted):
        if io.json:
            io.print_json((), script=home.script(wanted))
        else:
            io.print(render.safe_text(home.script(wanted)))
        return EXIT_CLEAN
    view = home.view(home.get_card(wanted))
    if io.json:
        io.print_json([view])
    else:
        io.print(render.fields_text(view.card.as_json(), colour=io.colour))
    return EXIT_CLEAN


def _add(args: argparse.Namespace, io: IO, home: Home) -> int:
    (wanted,) = args.words
    done = home.add_new(
        wanted,
        name=args.name or "",
        does=args.does or "",
        description=args.description or "",
        triggers=_listed(args.triggers),
        params_required=_listed(args.params),
        params_optional=_listed(args.optional),
        example=args.example or "",
        category=args.category or "",
        source=args.source or "manual",
        dry_run=io.dry_run,
    )
    io.print_done(done)
    if not io.dry_run:
        io.say(f"added '{wanted}'")
    return EXIT_CLEAN


def _search(args: argparse.Namespace, io: IO, home: Home) -> int:
    from pathlib import Path

    found = home.search_cards(args.words[0], here=str(Path.cwd()), limit=args.limit or 5)
    if found.reason:
        io.warn(f"found by triggers alone: {found.reason}")
    return _print_views(found.cards, io, home, "nothing found")


def _verify(args: argparse.Namespace, io: IO, home: Home) -> int:
    from pathlib import Path

    del args
    checked = home.verify(here=Path.cwd(), dry_run=io.dry_run)
    if io.json:
        io.print_json(
            (), checked.problems, activated=list(checked.activated), deactivated=list(checked.deactivated),
            counted=list(checked.counted), untouched=checked.untouched, plan=checked.done.n, diff=checked.done.diff,
        )  # fmt: skip
        return EXIT_CLEAN
    io.print_diff(checked.done.diff)
    for sign, names in (("+", checked.activated), ("-", checked.deactivated)):
        for name in names:
            io.print(f"{sign} {name}")
    io.warn_problems(checked.problems)
    counts = f"{len(checked.activated)} activated, {len(checked.deactivated)} deactivated"
    io.say(f"{counts}, {len(checked.counted)} counted, {checked.untouched} that only you can judge")
    return EXIT_CLEAN


def _scan(args: argparse.Namespace, io: IO, home: Home) -> int:
    from pathlib import Path

    from mneme import render

    found = home.scan(here=Path.cwd(), ask=args.ask or (), apply=args.apply and not io.dry_run)
    views = [home.view(card) for card in found.new]
    if io.json:
        io.print_json(views, found.problems, known=found.known, plan=found.done.n, diff=found.done.diff)
        return EXIT_CLEAN
    for view in views:
        card = view.card
        io.print(f"+ {card.id}  {render.one_line(card.category)}  {render.one_line(card.action_verb)}")
    io.warn_problems(found.problems)
    done = "added" if found.done.n else "new"
    io.say(f"{len(views)} {done}, {found.known} known already")
    if views and not found.done.n:
        io.say("add them with: mneme cards scan --apply")
    return EXIT_CLEAN


def _correct(args: argparse.Namespace, io: IO, home: Home) -> int:
    request, wanted = args.words
    card = home.get_card(wanted) if io.dry_run else home.correct(request, wanted)
    if io.json:
        io.print_json([home.view(card)])
    io.say(f"a request like this one is told '{card.id}' first")
    return EXIT_CLEAN


def _workflows(args: argparse.Namespace, io: IO, home: Home) -> int:
    from mneme import render

    del args
    found = home.workflows()
    if io.json:
        io.print_json((), home.problems, workflows=[{"key": one.key} | one.as_json() for one in found])
        return EXIT_CLEAN if found else EXIT_PROBLEMS
    for one in found:
        io.print(
            f"{one.key}  {one.count:>3}x  {render.one_line(one.situation)}  [{render.one_line(' -> '.join(one.path))}]"
        )
    io.warn_problems(home.problems)
    if not found:
        io.say("nothing has been taken down yet; mneme install claude-code")
    return EXIT_CLEAN if found else EXIT_PROBLEMS


def _reflect(args: argparse.Namespace, io: IO, home: Home) -> int:
    from mneme import render

    del args
    done = home.reflect(dry_run=io.dry_run)
    if io.json:
        io.print_json((), lessons=[one.as_json() for one in done.reflections])
    else:
        for one in done.reflections:
            io.print(render.one_line(one.lesson))
        io.say(f"{len(done.reflections)} new lessons")
    return EXIT_CLEAN


def _print_views(views: Sequence[CardView], io: IO, home: Home, nothing: str) -> int:
    from mneme import render

    if io.json:
        io.print_json(views, home.problems)
        return EXIT_CLEAN if views else EXIT_PROBLEMS
    width = max((len(view.card.id) for view in views), default=0)
    for view in views:
        card = view.card
        state = "active" if card.active else "off"
        score = "" if view.score is None else f"{view.score:.2f} {'told' if view.told else '    '}  "
        used = f"  {card.success_count} ok, {card.failure_count} failed" if card.last_used else ""
        does = render.one_line(card.action_verb)
        io.print(f"{score}{card.id:<{width}}  {state:<6}  {render.one_line(card.category)}  {does}{used}")
    io.warn_problems(home.problems)
    if not views:
        io.say(nothing)
    return EXIT_CLEAN if views else EXIT_PROBLEMS


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


_ACTIONS = {
    "list": _list,
    "show": _show,
    "add": _add,
    "search": _search,
    "verify": _verify,
    "scan": _scan,
    "correct": _correct,
    "workflows": _workflows,
    "reflect": _reflect,
}
