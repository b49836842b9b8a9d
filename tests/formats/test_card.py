"""Cards in YAML: what is read, what is refused, and that a rewrite keeps everything it does not change."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mneme.errors import RefusedError
from mneme.files import edited, text_edits
from mneme.formats.card import FIELDS, Card, check_card, edit_add, edit_card, parse_cards, pattern_of, print_card
from mneme.formats.category import CATEGORIES, NAMES, categories_with

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mneme.formats.card import CardFile

HAND_WRITTEN = """\
# my tools
- id: shout   # keep this one
  name: "Shout: loud"
  category: comms
  action_verb: shout
  triggers: [shout, 'say it loud', "/gr(i|o)tar/"]
  description: >-
    Says it
    loudly.
  source: manual
  team: {of: mine}   # not ours
  active: yes  # still there

  # between
- {id: mutter, name: Mutter, category: comms, action_verb: mutter, triggers: [2024, on], description: d, source: os}
# the end
"""


def parsed(text: str) -> CardFile:
    """Return a text as cards."""
    return parse_cards(text, "capabilities.yaml", NAMES)


def applied(file: CardFile, edits: Iterable[tuple[int, int, str]]) -> str:
    """Return a file's text after edits."""
    content = file.text.encode("utf-8", "surrogateescape")
    return edited(content, text_edits(file.text, edits)).decode("utf-8", "surrogateescape")


def card(**values: object) -> Card:
    """Return a card."""
    sample = Card("shout", "Shout", "comms", "shout", ("shout",), "Says it loudly.")
    return replace(sample, **values)  # type: ignore[arg-type]


def test_a_hand_written_file_is_read() -> None:
    """Block and flow mappings, folded texts, quoted words, numbers as words, and keys that are not ours."""
    file = parsed(HAND_WRITTEN)
    assert file.problems == ()
    first, second = file.cards
    assert first.triggers == ("shout", "say it loud", "/gr(i|o)tar/")
    assert (first.description, first.active, first.line, first.end_line) == ("Says it loudly.", True, 2, 12)
    assert second.triggers == ("2024", "on")


def test_a_rewrite_touches_what_changes_and_nothing_else() -> None:
    """Comments, quotes, unknown keys and blank lines are there afterwards, byte for byte."""
    file = parsed(HAND_WRITTEN)
    edits = [
        *edit_card(file, 0, {"active": False, "success_count": 3}),
        *edit_card(file, 1, {"last_used": "2026-01-31"}),
    ]
    after = applied(file, [*edits, *edit_add(file, [card(id="yell")])])
    expected = HAND_WRITTEN.replace(
        "active: yes  # still there\n", "active: false  # still there\n  success_count: 3\n"
    )
    expected = expected.replace("source: os}", 'source: os, last_used: "2026-01-31"}') + print_card(card(id="yell"))
    assert after == expected
    assert [one.id for one in parsed(after).cards] == ["shout", "mutter", "yell"]


def test_a_value_that_is_so_already_is_left_alone() -> None:
    """Nothing is written for nothing."""
    file = parsed(HAND_WRITTEN)
    assert list(edit_card(file, 0, {"active": True, "success_count": 0})) == []
    assert list(edit_add(file, [])) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("# only words\n", 0),
        ("[]\n", 0),
        ("---\n", 0),
        ("\ufeff" + HAND_WRITTEN, 2),
        (HAND_WRITTEN.replace("\n", "\r\n"), 2),
        (HAND_WRITTEN.rstrip("\n"), 2),
        ("".join(f"   {line}\n" for line in HAND_WRITTEN.splitlines()), 2),
        ("[{id: a, name: A, category: vcs, action_verb: x, triggers: [a], description: d, source: os}]", 1),
    ],
)
def test_a_card_can_be_added_to_any_layout(text: str, count: int) -> None:
    """An empty file, one without a last line end, an indented list, a list in brackets."""
    file = parsed(text)
    assert (len(file.cards), file.problems) == (count, ())
    after = parsed(applied(file, edit_add(file, [card(id="yell"), card(id="call")])))
    assert [one.id for one in after.cards][count:] == ["yell", "call"]
    assert after.cards[:count] == file.cards
    assert after.cards[-1] == card(id="call")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("id", "Telegram", "'Telegram' is no id"),
        ("id", "9x", "'9x' is no id"),
        ("id", "a-b", "'a-b' is no id"),
        ("triggers", "[]", "'triggers' needs at least one word"),
        ("triggers", "['/(/']", "is no regular expression"),
        ("triggers", "shout", "'triggers' takes a list of texts"),
        ("category", "foo", "there is no category 'foo'"),
        ("decay_score", "1.5", "'decay_score' lies between 0 and 1"),
        ("decay_score", "nan", "'decay_score' lies between 0 and 1"),
        ("success_count", "-1", "'success_count' is a count"),
        ("source", "dream", "there is no source 'dream'"),
        ("active", "maybe", "'active' is true or false"),
        ("last_used", "yesterday", "'yesterday' is not a date"),
        ("description", "''", "'description' is empty"),
        ("name", "[a]", "'name' takes a single value"),
    ],
)
def test_a_value_that_no_card_has_is_told(key: str, value: str, said: str) -> None:
    """The fault names its line, and the other cards are read all the same."""
    lines = {line.partition(":")[0]: line for line in print_card(card(id="bad")).replace("- ", "  ", 1).splitlines()}
    lines[f"  {key}"] = f"  {key}: {value}"
    text = "- " + "\n".join(lines.values())[2:] + "\n" + print_card(card(id="good"))
    file = parsed(text)
    assert [one.id for one in file.cards] == ["good"]
    (problem,) = file.problems
    assert said in problem.message
    assert problem.line == list(lines).index(f"  {key}") + 1


def test_a_missing_value_and_a_second_card_of_one_id_are_told() -> None:
    """Both are named; the first card of an id counts."""
    text = print_card(card()) + print_card(card(name="Other")) + "- {id: x}\n- words\n"
    file = parsed(text)
    assert [one.name for one in file.cards] == ["Shout"]
    said = [(problem.rule, problem.message) for problem in file.problems]
    assert said[0] == ("duplicate-card", "id 'shout' is already used at line 1")
    assert said[1] == ("card-fault", "the card has no 'name'")
    assert said[2] == ("card-fault", "a card is a mapping of names to values")


@pytest.mark.parametrize(
    "text",
    [
        "a: b: c",
        "- [",
        "cards: []\n",
        "- a\n---\n- b\n",
        "\t- x",
        "- *gone",
        "&a [*a, \x00]",
        "- " * 4000 + "a",
        "{" * 4000,
    ],
)
def test_what_is_not_a_list_of_cards_is_one_problem(text: str) -> None:
    """It is told, never raised, and such a file is not written to."""
    file = parsed(text)
    assert [problem.rule for problem in file.problems] == ["broken-yaml"]
    assert file.is_broken
    with pytest.raises(RefusedError):
        list(edit_add(file, [card()]))


def test_anchors_and_merges_are_read_but_an_alias_is_not_written_through() -> None:
    """What stands elsewhere is changed by hand alone."""
    text = print_card(card()).replace("- id", "- &one\n  id", 1)
    text = text.replace("active: true", "active: &on true") + "- <<: *one\n  id: other\n  active: *on\n"
    file = parsed(text)
    assert [one.id for one in file.cards] == ["shout", "other"]
    assert file.cards[1].name == "Shout"
    after = parsed(applied(file, edit_card(file, 1, {"success_count": 2})))
    assert [one.success_count for one in after.cards] == [0, 2]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
WORDS = TEXTS.filter(str.strip)


@settings(max_examples=60, deadline=None)
@given(
    st.builds(
        Card,
        id=st.just("one"),
        name=WORDS,
        category=st.sampled_from(sorted(NAMES)),
        action_verb=WORDS,
        triggers=st.lists(WORDS.filter(lambda text: pattern_of(text) is None), min_size=1, max_size=4).map(tuple),
        description=WORDS,
        params_required=st.lists(WORDS, max_size=3).map(tuple),
        example=TEXTS,
        schema_version=TEXTS,
        namespace=TEXTS,
        success_count=st.integers(0, 10**9),
        decay_score=st.floats(0, 1),
        active=st.booleans(),
    ),
    st.booleans(),
)
def test_what_is_printed_reads_back(made: Card, indented: bool) -> None:  # noqa: FBT001 - hypothesis gives it so
    """Whatever texts a card holds: colons, quotes, line ends, control characters."""
    file = parsed(print_card(made, 3 if indented else 0))
    assert file.problems == ()
    assert file.cards == (made,)


def test_a_card_that_was_made_is_checked_like_one_that_was_read() -> None:
    """The error says what is wrong."""
    assert check_card(card(), NAMES) == card()
    with pytest.raises(Exception, match="there is no category"):
        check_card(card(category="foo"), NAMES)
    with pytest.raises(Exception, match="at least one word"):
        check_card(card(triggers=(" ",)), NAMES)


def test_every_field_is_published() -> None:
    """The JSON has each, in the order of the file."""
    assert list(card().as_json()) == list(FIELDS)


def test_there_are_thirty_five_categories() -> None:
    """Each has a description in both languages and words that give it away; settings add more."""
    assert len(CATEGORIES) == len(NAMES) == 35
    assert all(one.english and one.portuguese and one.signals for one in CATEGORIES)
    more = categories_with({"gardening": "plants and soil", "db": "our warehouse"})
    assert len(more) == 36
    assert next(one for one in more if one.name == "db").description == "our warehouse"
