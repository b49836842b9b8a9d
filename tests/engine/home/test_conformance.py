"""The published behaviour of capability memory, case by case, through the door that hosts use.

Where the published implementation and its own promise differ, the promise is held to. Cases about how it fuses two
rankings by their ranks (A11 to A13) have no counterpart: here one ranking gives odds, and `test_recall` holds those.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.engine.home.homes import CARDS, Clock, HashingEmbedder

from mneme.engine.home import Home, open_home
from mneme.engine.hooks import Call, Desk
from mneme.formats.card import parse_cards, print_card
from mneme.formats.category import NAMES
from mneme.recall.calibration import Scale
from mneme.recall.capability import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., None]

ASK = "capture a picture of the web page in a headless browser"


@pytest.fixture
def desk(home: Home, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Give a function that hands an event to the hooks' desk, with no embedder at hand, and returns what a host reads."""
    warned: list[str] = []

    def answer(payload: object, event: str = "UserPromptSubmit", **env: str) -> str:
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        given = {**os.environ, "MNEME_HOME": str(home.root), **env}
        said = Desk(Clock(), warned.append, lexical=True).answer(
            Call("plain", event, str(home.root.parent), given, raw)
        )
        return said.decode()

    monkeypatch.setenv("MNEME_HOME", str(home.root))
    return answer


def rows(home: Home, name: str) -> list[dict[str, object]]:
    """Return the rows of a file of the home."""
    place = home.root / name
    return [json.loads(line) for line in place.read_text().splitlines()] if place.exists() else []


@pytest.mark.parametrize(
    "raw", [b"not json", b"[]", b"null", b"{}", b'{"prompt":""}', b'{"prompt":"  "}', b'{"prompt":7}', b"\xff\xfe"]
)
def test_a01_what_is_no_prompt_is_answered_by_nothing(desk: Callable[..., str], write_cards: Write, raw: bytes) -> None:
    """Whatever a host sends."""
    write_cards()
    assert desk(raw, MNEME_FALLBACK="1") == ""


def test_a02_without_a_home_nothing_is_said_and_no_file_made(desk: Callable[..., str], home: Home) -> None:
    """The prompt is kept for the turn, as machine state and nothing else; without a session not even that."""
    assert desk({"prompt": ASK}) == ""
    assert not home.root.exists()
    assert desk({"prompt": ASK, "session_id": "s"}) == ""
    assert [place.name for place in home.root.iterdir()] == [".mneme.d"]


def test_a03_without_an_embedder_nothing_is_said(desk: Callable[..., str], write_cards: Write) -> None:
    """Unless the user has asked for triggers."""
    write_cards()
    assert desk({"prompt": "manda mensagem no telegram", "session_id": "s"}) == ""


def test_a04_triggers_speak_where_they_were_asked_to(desk: Callable[..., str], write_cards: Write, home: Home) -> None:
    """The card is told with how it was found, and the log says so."""
    write_cards()
    block = desk({"prompt": "manda mensagem no telegram", "session_id": "s"}, MNEME_FALLBACK="1")
    assert "[chat_send]" in block
    assert "fallback" in block
    (row,) = rows(home, ".mneme.d/recall.jsonl")
    assert (row["fallback"], list(row["ids"])) == (True, ["chat_send"])  # type: ignore[call-overload]


def test_a05_a06_five_at_most_in_order_and_none_that_is_off(desk: Callable[..., str], write_cards: Write) -> None:
    """An inactive card is hidden here too."""
    write_cards(*(replace(CARDS[1], id=f"chat_{n}", active=n != 0) for n in range(8)))
    block = desk({"prompt": "telegram", "session_id": "s"}, MNEME_FALLBACK="1")
    assert [line[3:9] for line in block.split("\n") if line.startswith("- [")] == [f"chat_{n}" for n in range(1, 6)]


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("id: chat_send", "id: Telegram"),
        ("id: chat_send", "id: 9x"),
        ("id: chat_send", "id: a-b"),
        ("category: comms", "category: foo"),
        ("decay_score: 1.0", "decay_score: 1.5"),
        ("success_count: 0", "success_count: -1"),
    ],
)
def test_a07_what_no_card_may_hold_is_refused(home: Home, write_cards: Write, was: str, now: str) -> None:
    """The card is left out and told; the others are there."""
    write_cards()
    place = home.root / "capabilities.yaml"
    before, card, after = place.read_text().partition(print_card(CARDS[1]))
    place.write_text(before + card.replace(was, now) + after)
    assert [one.id for one in home.list_cards()] == sorted(card.id for card in CARDS if card.id != "chat_send")
    assert [problem.rule for problem in home.problems] == ["card-fault"]


def test_a08_two_cards_of_one_id_are_told_by_name(home: Home, write_cards: Write) -> None:
    """The first counts."""
    write_cards(CARDS[0], replace(CARDS[0], name="Twin"))
    assert "page_picture" in home.problems[0].message
    assert [card.name for card in home.list_cards()] == ["Page picture"]


def test_a09_an_empty_file_has_no_cards(home: Home) -> None:
    """And is no fault."""
    home.root.mkdir()
    (home.root / "capabilities.yaml").write_text("")
    assert (list(home.list_cards()), home.problems, home.capability_block(ASK)) == ([], (), "")


def test_a10_a_key_that_is_not_ours_is_kept(home: Home) -> None:
    """It is accepted, and a rewrite leaves it where it is."""
    text = print_card(CARDS[0]) + "  team: ours  # theirs\n"
    home.root.mkdir()
    (home.root / "capabilities.yaml").write_text(text)
    home.add_card(CARDS[1])
    assert (home.root / "capabilities.yaml").read_text() == text + print_card(CARDS[1])


def test_a11_the_scale_has_its_threshold_where_it_says() -> None:
    """0.65 is the calibrated point, for odds and for likeness, and both keep the order."""
    scale = Scale(odds=-1.1, alike=0.6)
    assert scale.score(-1.1) == pytest.approx(0.65)
    assert scale.likeness(0.6) == pytest.approx(0.65)
    assert scale.likeness(1.0) == 1.0
    assert scale.score(-1.2) < 0.65 < scale.score(-1.0)


def test_a14_cards_of_other_categories_stay_out(home: Home, write_cards: Write) -> None:
    """Even where every score is enough."""
    from mneme.engine.home.recall import find

    more = (replace(CARDS[3], id=f"film_{n}") for n in range(6))
    write_cards(*CARDS, *more)
    found = find(
        home, "drive a web browser: open a page, click and take a picture", limits=Limits(categories=1, least=0.0)
    )
    assert found is not None
    assert found.categories == ("web_browser",)
    assert {one.piece.topic for one in found.cards} == {"web_browser"}


@pytest.mark.parametrize("prompt", ["what is in the box", "of the and to", "qual é o que para", "zzz qqq"])
def test_a15_a16_words_that_say_nothing_bring_nothing(home: Home, write_cards: Write, prompt: str) -> None:
    """Neither a vector of nothing nor a stop-word that a card shares."""
    write_cards()
    assert home.capability_block(prompt) == ""


def test_a17_a_correction_is_taken_where_the_request_is_like_it(home: Home, write_cards: Write) -> None:
    """Its card becomes the first, a little above the best; a request that is not like it changes nothing."""
    write_cards(*CARDS, replace(CARDS[0], id="page_shot", description="Takes a screenshot of a page in a browser."))
    before = [view.card.id for view in home.search_cards(ASK).cards]
    home.correct(ASK, before[1])
    after = home.search_cards(ASK).cards
    assert [view.card.id for view in after[:2]] == [before[1], before[0]]
    assert after[0].score == pytest.approx(min(1.0, (after[1].score or 0) + 0.001))
    other = "convert audio and video of a film"
    assert home.search_cards(other).cards[0].card.id == "film_convert"


def test_a18_a19_three_workflows_and_two_lessons_at_most(home: Home, write_cards: Write) -> None:
    """The nearest of each."""
    write_cards()
    ask = "publish the quarterly newsletter to subscribers"
    for tool in ("One", "Two", "Three", "Four"):
        home.keep_prompt(ask, session="s")
        home.keep_tool_use(f"{tool}Broken", session="s", error=f"{tool} broke")
        home.keep_tool_use(tool, session="s")
        home.keep_tool_use("Read", session="s")
        home.finish_turn(session="s")
    lines = home.capability_block(ask).split("\n")
    assert len([line for line in lines if line.startswith("- worked before")]) == 3
    assert len([line for line in lines if line.startswith("- learned")]) == 2
    assert any(" -> Read" in line for line in lines)


def test_a20_the_block_is_cut_to_measure(home: Home, write_cards: Write) -> None:
    """Eight triggers, 200 characters of description, 140 of example, no line end after the mark."""
    words = tuple(f"screenshot{n}" for n in range(9))
    write_cards(replace(CARDS[0], triggers=words, description="web page " * 40, example="e" * 200), *CARDS[1:])
    lines = home.capability_block("capture the web page").split("\n")
    said = {line.strip().partition(": ")[0]: line.strip().partition(": ")[2] for line in lines if line.startswith("  ")}
    assert (lines[0], lines[-1]) == ("<capabilities-available>", "</capabilities-available>")
    assert said["triggers"].split(", ") == list(words[:8])
    assert len(said["description"]) <= 200
    assert len(said["example"]) <= 140


def test_a21_a24_a_payload_that_says_all_is_kept_at_once(home: Home) -> None:
    """A workflow of one tool, or a failure with its code; a situation of 500 characters."""
    home.keep_outcome("Bash", prompt="p" * 600, exit_code=0)
    home.keep_outcome("Bash", prompt="q", exit_code=1, error="no")
    home.keep_outcome("  ", prompt="q")
    assert [(len(str(row["situation"])), row["sequence"]) for row in rows(home, "procedural.jsonl")] == [
        (500, ["Bash"])
    ]
    assert [(row["tool"], row["exit_code"], row["error"]) for row in rows(home, "failures.log")] == [("Bash", 1, "no")]


def test_a23_what_names_no_tool_is_not_kept(desk: Callable[..., str], home: Home) -> None:
    """Nothing is written for it."""
    for payload in ({"session_id": "s"}, {"session_id": "s", "tool_name": ""}, {"session_id": "s", "tool_name": 7}, []):
        assert desk(payload, "PostToolUse") == ""
    assert rows(home, "procedural.jsonl") == []


def test_a25_a26_what_a_host_really_sends_is_joined_with_its_prompt(
    desk: Callable[..., str], home: Home, write_cards: Write
) -> None:
    """No tool event carries a prompt or a code: the session joins them, and the code is read from the error."""
    write_cards()
    about = {"session_id": "s", "prompt_id": "p1", "cwd": "/tmp", "transcript_path": "/t.jsonl"}  # noqa: S108 - a value
    desk({**about, "hook_event_name": "UserPromptSubmit", "prompt": "ship the release"})
    used = {**about, "tool_name": "Bash", "tool_use_id": "t", "duration_ms": 5}
    failed = {
        **used,
        "tool_input": {"command": "make dist"},
        "error": "Exit code 2\nmake: no rule",
        "is_interrupt": False,
    }
    desk({**failed, "hook_event_name": "PostToolUseFailure"}, "PostToolUseFailure")
    desk({**used, "tool_input": {"command": "make"}, "tool_response": {"stdout": "ok"}}, "PostToolUse")
    desk({**about, "hook_event_name": "Stop", "stop_hook_active": False}, "Stop")
    (workflow,) = rows(home, "procedural.jsonl")
    assert (workflow["situation"], workflow["sequence"], workflow["outcome"]) == (
        "ship the release",
        ["Bash", "Bash"],
        "success",
    )
    (failure,) = rows(home, "failures.log")
    assert (failure["prompt"], failure["exit_code"], failure["instead"]) == ("ship the release", 2, "make")


def test_a27_reflecting_twice_adds_nothing(home: Home) -> None:
    """Failures of a log that somebody else wrote become lessons once."""
    home.root.mkdir()
    failures = [{"ts": "", "tool": "Bash", "prompt": f"do {n}", "exit_code": 1, "error": "boom"} for n in range(3)]
    text = "".join(json.dumps(one) + "\n" for one in [*failures, {"tool": "", "prompt": "x", "error": "e"}])
    (home.root / "failures.log").write_text(text + "torn")
    assert [len(home.reflect().reflections) for _ in range(2)] == [3, 0]


def test_a30_two_plugins_of_one_name_can_both_be_added(home: Home, tmp_path: Path) -> None:
    """The file loads afterwards, and adding again adds nothing."""
    user = tmp_path / "user"
    for market in ("x", "y"):
        place = tmp_path / market / ".claude-plugin"
        place.mkdir(parents=True)
        (place / "plugin.json").write_text('{"description": "Talks."}')
    plugins = {f"talk@{market}": [{"installPath": str(tmp_path / market)}] for market in ("x", "y")}
    (user / ".claude/plugins").mkdir(parents=True)
    (user / ".claude/plugins/installed_plugins.json").write_text(json.dumps({"plugins": plugins}))
    assert {"plugin_talk", "plugin_talk_y"} <= {card.id for card in home.scan(apply=True).new}
    assert home.problems == ()
    assert home.scan(apply=True).new == ()


def test_a31_what_is_not_there_is_turned_off(home: Home, write_cards: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any host there is no server; what a person wrote is a person's to judge."""
    monkeypatch.setenv("PATH", "/nowhere")
    write_cards(*CARDS, replace(CARDS[0], id="by_hand", source="manual"))
    checked = home.verify()
    assert set(checked.deactivated) == {card.id for card in CARDS}
    assert [card.id for card in home.list_cards(active=True)] == ["by_hand"]
    assert home.verify().done.status == "unchanged"


def test_a32_a33_a_torn_line_and_a_damaged_index_hide_nothing(home: Home, write_cards: Write) -> None:
    """The block is there all the same."""
    write_cards()
    (home.root / "procedural.jsonl").write_text("{torn\n")
    (home.root / "semantic.sqlite").write_bytes(os.urandom(8192))
    assert "[page_picture]" in home.capability_block(ASK)


def test_a34_the_log_can_be_turned_off_and_never_holds_a_prompt(
    home: Home, write_cards: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In no mode."""
    write_cards()
    monkeypatch.setenv("MNEME_TELEMETRY", "0")
    home.capability_block(ASK, session="a")
    assert not (home.root / ".mneme.d/recall.jsonl").exists()
    monkeypatch.setenv("MNEME_TELEMETRY", "1")
    home.capability_block(ASK, session="b")
    assert "headless" not in (home.root / ".mneme.d/recall.jsonl").read_text()


def test_a35_prompts_that_need_no_tool_are_left_alone(home: Home, write_cards: Write) -> None:
    """Small talk and questions of knowledge, in two languages, with the words-only embedder of these tests."""
    write_cards()
    prompts = [
        "thanks, that looks good", "go on", "who painted that ceiling?", "explain recursion to me", "obrigado, ficou ótimo",
        "qual é a capital da França?", "rename this variable", "what do you think?", "pode continuar", "is it raining?",
    ]  # fmt: skip
    assert [prompt for prompt in prompts if home.capability_block(prompt)] == []


def test_the_file_of_cards_is_the_truth(home: Home, write_cards: Write) -> None:
    """Everything derived may be deleted: the same block comes back."""
    write_cards()
    before = home.capability_block(ASK)
    for place in sorted(home.root.rglob("*"), reverse=True):
        if place.name != "capabilities.yaml":
            place.rmdir() if place.is_dir() else place.unlink()
    again = open_home(now=Clock(), root=home.root, embedder=HashingEmbedder())
    assert again.capability_block(ASK) == before
    assert parse_cards((home.root / "capabilities.yaml").read_text(), "", NAMES).problems == ()
