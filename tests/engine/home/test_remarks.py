"""What wants no tool is told none, by the default embedder: remarks that it has never seen, and requests beside them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.engine.home.homes import Clock

from mneme.engine.home import open_home
from mneme.formats.card import Card, print_card
from mneme.memory.skills.pieces import load_remarks
from mneme.recall import calibration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.engine.home import Home

HELD_OUT = json.loads((Path(__file__).parents[3] / "bench" / "no_tool.json").read_text("utf-8"))
# What each of these does is talked about without anybody wanting it done.
TOOLS = {
    "text_summary": ("nlp", "summarise a text", "Shortens a text to a few sentences."),
    "code_explain": ("code_search", "explain source code", "Explains line by line what a function does."),
    "translate_text": ("nlp", "translate a text", "Translates a text between languages."),
    "grammar_check": ("nlp", "check grammar", "Finds mistakes of grammar and style in a paragraph."),
    "cat_facts": ("web_api", "tell a fact about cats", "Returns a random fact about cats and other animals."),
    "recipe_find": ("web_api", "find a recipe", "Finds recipes for what is in the fridge."),
    "number_theory": (
        "math_scientific",
        "say what kind of number it is",
        "Says whether a number is even, odd or prime.",
    ),
    "calendar_add": ("comms", "add an event to the calendar", "Puts a meeting into the calendar at a day and time."),
}
REQUESTS = {
    "put lunch with Ana into my calendar on Friday at noon": "calendar_add",
    "what could I cook with what is left in the fridge?": "recipe_find",
    "translate this text into Japanese": "translate_text",
    "check the grammar of my essay": "grammar_check",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Give a home with the default embedder and tools that are near to what people just say."""
    root = tmp_path_factory.mktemp("home")
    cards = (Card(name, name, kind, does, (does,), said, (), (), "") for name, (kind, does, said) in TOOLS.items())
    (root / "capabilities.yaml").write_text(
        "".join(print_card(replace(card, source="manual")) for card in cards), "utf-8"
    )
    one = open_home(now=Clock(), root=root, keep=True)
    yield one
    one.close()


def told(home: Home, prompt: str) -> list[str]:
    """Return the cards that a prompt is told."""
    return [view.card.id for view in home.search_cards(prompt).cards if view.told]


def test_no_more_than_three_of_a_hundred_remarks_are_told_a_card(home: Home) -> None:
    """None of them is one that the product ships."""
    remarks = [text for texts in HELD_OUT.values() for text in texts]
    assert not set(remarks) & set(load_remarks())
    strays = [text for text in remarks if told(home, text)]
    assert len(strays) <= 0.03 * len(remarks), strays


@pytest.mark.parametrize(("prompt", "wanted"), REQUESTS.items())
def test_a_request_is_not_taken_for_a_remark(home: Home, prompt: str, wanted: str) -> None:
    """Its card comes first, and loses next to nothing because none might be wanted."""
    first = home.search_cards(prompt).cards[0]
    assert first.card.id == wanted
    assert dict(first.why).get("may want none", 0.0) > -0.3


def test_what_a_score_is_made_of_says_that_nothing_may_be_wanted(home: Home) -> None:
    """The terms still sum to the score."""
    first = home.search_cards("what does that mean?").cards[0]
    terms = dict(first.why)
    assert terms["may want none"] < -1.0
    scale = calibration.load_scales()[calibration.DEFAULT]
    assert first.score == pytest.approx(scale.score(math.fsum(terms.values())))
