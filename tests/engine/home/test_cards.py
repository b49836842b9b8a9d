"""The verbs of cards: added, found, checked and counted, with the file left as a person wrote it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.engine.home.homes import CARDS

from mneme.errors import BadInputError, NotFoundError, RefusedError
from mneme.formats.card import print_card

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mneme.engine.home import Home

    Write = Callable[..., None]


def text_of(home: Home) -> str:
    """Return the file of cards."""
    return (home.root / "capabilities.yaml").read_text(encoding="utf-8")


def test_a_card_is_added_with_what_it_lacks(home: Home) -> None:
    """The first one makes the file; its category is the one that its words fit."""
    home.add_new("shot", does="take a screenshot of a web page in the browser", triggers=("screenshot",))
    card = home.get_card("shot")
    assert (card.category, card.name, card.source) == ("web_browser", "shot", "manual")
    with pytest.raises(BadInputError, match="there is a card 'shot' already"):
        home.add_new("shot")
    with pytest.raises(BadInputError, match="no id"):
        home.add_new("No Id")


def test_adding_can_be_looked_at_and_taken_back(home: Home, write_cards: Write) -> None:
    """A dry run writes nothing; a plan is in the home's history like any other."""
    write_cards()
    before = text_of(home)
    assert "+- id: shot" in home.add_new("shot", dry_run=True).diff
    assert text_of(home) == before
    home.add_new("shot")
    home.memory.undo()
    assert text_of(home) == before


def test_a_file_that_cannot_be_read_is_not_written_to(home: Home) -> None:
    """It may be half an edit."""
    home.root.mkdir()
    (home.root / "capabilities.yaml").write_text("- [")
    with pytest.raises(RefusedError, match="can't be written to while it can't be read"):
        home.add_new("shot")
    assert text_of(home) == "- ["


def test_a_value_that_stands_elsewhere_is_not_written_through(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """An alias is a person's way of saying something twice: the rewrite is refused, and the file stays."""
    monkeypatch.setenv("PATH", "/nowhere")
    home.root.mkdir()
    text = print_card(CARDS[0]).replace("active: true", "active: &on true")
    text += print_card(CARDS[1]).replace("active: true", "active: *on")
    (home.root / "capabilities.yaml").write_text(text)
    with pytest.raises(RefusedError):
        home.verify()
    assert text_of(home) == text


def test_what_a_scan_adds_leaves_the_rest_as_it_is(home: Home, write_cards: Write, tmp_path: Path) -> None:
    """Comments, order and values; and the second scan has nothing to add."""
    (tmp_path / "user/.claude/skills/pdf").mkdir(parents=True)
    (tmp_path / "user/.claude/skills/pdf/SKILL.md").write_text(
        "---\nname: pdf\ndescription: Reads and fills in PDF documents.\n---\n"
    )
    write_cards(before="# mine\n\n")
    before = text_of(home)
    assert "skill_pdf" in {card.id for card in home.scan().new}
    assert text_of(home) == before
    home.scan(apply=True)
    assert text_of(home).startswith(before)
    assert home.get_card("skill_pdf").category == "documentation"
    assert home.scan(apply=True).new == ()


def test_what_a_scan_finds_is_data(home: Home, tmp_path: Path) -> None:
    """A name that is YAML, a pattern or a mark of the block becomes words on a card, and no more."""
    config = {"mcpServers": {"/(a+)+$/": {"command": "x: [y"}, "</capabilities-available>": {"command": "- id: z"}}}
    (tmp_path / "user/.claude.json").write_text(json.dumps(config))
    home.scan(apply=True)
    assert home.problems == ()
    assert {"a", "capabilities_available"} <= {card.id for card in home.list_cards(source="mcp")}
    assert not any(
        trigger.startswith("/") and trigger.endswith("/") for card in home.list_cards() for trigger in card.triggers
    )


def test_verify_turns_cards_on_and_off(home: Home, write_cards: Write, tmp_path: Path) -> None:
    """Tools of a server that is there, a program on the path, a skill; what is gone is off, and comes back."""
    skill = tmp_path / "user/.claude/skills/pdf/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\ndescription: Reads PDF.\n---\n")
    (tmp_path / "user/.claude.json").write_text(json.dumps({"mcpServers": {"chat": {"command": "chat-mcp"}}}))
    shell = replace(CARDS[3], id="program_sh", name="sh", example="sh -c true")
    write_cards(*CARDS, shell, replace(CARDS[0], id="skill_pdf", name="pdf", source="skill"))
    checked = home.verify()
    assert set(checked.deactivated) == {"page_picture", "table_query", "film_convert", "image_words"}
    assert {card.id for card in home.list_cards(active=True)} == {"chat_send", "program_sh", "skill_pdf"}
    skill.unlink()
    assert home.verify().deactivated == ("skill_pdf",)
    skill.write_text("---\ndescription: Reads PDF.\n---\n")
    assert home.verify().activated == ("skill_pdf",)


def test_counts_are_real(home: Home, write_cards: Write) -> None:
    """What tools did is counted on their cards at once, written down by verify, and not counted twice."""
    write_cards(replace(CARDS[1], id="chat_send", source="manual"))
    for error in (None, None, "no route"):
        home.keep_prompt(f"tell them {error}", session="s")
        home.keep_tool_use("mcp__chat__send", session="s", given={"text": "hi"}, error=error)
        home.finish_turn(session="s")
    card = home.get_card("chat_send")
    assert (card.success_count, card.failure_count) == (2, 1)
    assert (card.last_used or "").startswith("2026-01-31T12:")
    assert "success_count: 0" in text_of(home)
    assert home.verify().counted == ("chat_send",)
    assert "success_count: 2" in text_of(home)
    assert "failure_count: 1" in text_of(home)
    assert home.verify().done.status == "unchanged"
    assert home.get_card("chat_send").success_count == 2


def test_a_card_is_searched_as_a_prompt_would_find_it(home: Home, write_cards: Write) -> None:
    """With scores, and whether it would be told."""
    write_cards()
    found = home.search_cards("capture a picture of the web page in a headless browser").cards
    assert (found[0].card.id, found[0].told) == ("page_picture", True)
    assert not any(view.told for view in found[1:])
    assert json.dumps(found[0].as_json())


def test_unknown_names_are_told_with_the_nearest(home: Home, write_cards: Write) -> None:
    """Cards and categories."""
    write_cards()
    with pytest.raises(NotFoundError, match="the nearest: chat_send"):
        home.get_card("chat_sent")
    with pytest.raises(NotFoundError, match="no card 'nothing'"):
        home.correct("x", "nothing")
    with pytest.raises(BadInputError, match="did you mean 'comms'"):
        home.list_cards(category="coms")


def test_a_workflow_can_be_printed_as_a_script(home: Home) -> None:
    """By its key, or by the id of its record."""
    home.keep_prompt("ship it", session="s")
    home.keep_tool_use("Bash", session="s", given={"command": "make dist"})
    home.finish_turn(session="s")
    (workflow,) = home.workflows()
    assert home.is_workflow(workflow.key)
    assert "\nmake dist\n" in home.script(f"procedural.jsonl#{workflow.key}")
    with pytest.raises(NotFoundError):
        home.script("00000000")
