"""The parts of Active Memory, each against the published behaviour: settings, chats, question, summary, breaker."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.formats.record import Record
from mneme.recall.active import breaker, question, scope, settings, summary, writer
from mneme.recall.active.scope import Chat
from mneme.recall.active.settings import ActiveSettings
from mneme.recall.answer import Hit

DEFAULT = ActiveSettings()


def hit(text: str, line: int = 3, trust: str = "use") -> Hit:
    """Return a hit."""
    return Hit(Record(f"D-{line}", "decision", "memory/a.mneme", line, line, text), 0.9, trust)


# settings


@pytest.mark.parametrize(
    ("name", "value", "field", "becomes"),
    [
        ("timeoutMs", 100, "timeout_ms", 250),
        ("timeoutMs", 1e9, "timeout_ms", 120_000),
        ("timeoutMs", 900.7, "timeout_ms", 900),
        ("timeoutMs", "900", "timeout_ms", 15_000),
        ("timeoutMs", float("nan"), "timeout_ms", 15_000),
        ("maxSummaryChars", 39, "summary_chars", 40),
        ("recentUserTurns", 9, "user_turns", 4),
        ("recentAssistantTurns", -1, "assistant_turns", 0),
        ("recentUserChars", True, "user_chars", 220),
        ("cacheTtlMs", 1, "cache_ms", 1000),
        ("queryMode", "full", "query_mode", "full"),
        ("queryMode", "half", "query_mode", "recent"),
        ("promptStyle", "recall-heavy", "style", "recall-heavy"),
        ("enabled", False, "enabled", False),
        ("agents", ["main", 7, "ann"], "agents", ("main", "ann")),
        ("allowedChatTypes", ["group", "moon"], "chat_types", ("group",)),
        ("allowedChatTypes", ["moon"], "chat_types", ("direct",)),
        ("circuitBreakerMaxTimeouts", 0, "breaker_timeouts", 1),
    ],
)
def test_published_settings_fall_back_and_are_put_in_range(
    name: str, value: object, field: str, becomes: object
) -> None:
    """As the host does it with its own."""
    assert getattr(settings.with_published(DEFAULT, {name: value}), field) == becomes


# Every published setting that has a counterpart: its default, what is below its least, what is above its most, and a value
# that makes no sense, each with what becomes of it.
PUBLISHED: dict[str, tuple[str, object, tuple[tuple[object, object], ...]]] = {
    "enabled": ("enabled", True, ((False, False), ("no", True), (0, True))),
    "agents": ("agents", ("main",), ((["ann"], ("ann",)), ("ann", ("main",)))),
    "allowedChatTypes": ("chat_types", ("direct",), ((["direct", "group", "channel", "explicit"], ("direct", "group", "channel", "explicit")), (["x"], ("direct",)))),
    "allowedChatIds": ("allowed_chats", (), ((["1"], ("1",)), (7, ()))),
    "deniedChatIds": ("denied_chats", (), ((["1"], ("1",)), (7, ()))),
    "queryMode": ("query_mode", "recent", (("message", "message"), ("full", "full"), ("FULL", "recent"))),
    "promptStyle": ("style", "", (*((style, style) for style in settings.STYLES), ("loud", ""))),
    "promptOverride": ("prompt_override", "", (("Be brief.", "Be brief."), (7, ""))),
    "promptAppend": ("prompt_append", "", (("In French.", "In French."), (None, ""))),
    "maxSummaryChars": ("summary_chars", 220, ((39, 40), (1001, 1000), (77.9, 77), ("77", 220))),
    "recentUserTurns": ("user_turns", 2, ((-1, 0), (5, 4), (0, 0), (None, 2))),
    "recentAssistantTurns": ("assistant_turns", 1, ((-1, 0), (4, 3), (0, 0), ([], 1))),
    "recentUserChars": ("user_chars", 220, ((39, 40), (1001, 1000), (True, 220))),
    "recentAssistantChars": ("assistant_chars", 180, ((39, 40), (1001, 1000), (float("inf"), 180))),
    "timeoutMs": ("timeout_ms", 15_000, ((249, 250), (120_001, 120_000), ("250", 15_000))),
    "cacheTtlMs": ("cache_ms", 15_000, ((999, 1000), (120_001, 120_000), ({}, 15_000))),
    "circuitBreakerMaxTimeouts": ("breaker_timeouts", 3, ((0, 1), (21, 20), ("3", 3))),
    "circuitBreakerCooldownMs": ("breaker_cooldown_ms", 60_000, ((4999, 5000), (600_001, 600_000), (None, 60_000))),
    "logging": ("debug", False, ((True, True), ("yes", False))),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_setting_has_its_default_and_its_range(name: str) -> None:
    """From an `openclaw.json`, and from `mneme.toml`, where what makes no sense is told before it comes here."""
    field, default, cases = PUBLISHED[name]
    assert getattr(DEFAULT, field) == default
    assert getattr(settings.with_published(DEFAULT, {}), field) == default
    for value, becomes in cases:
        assert getattr(settings.with_published(DEFAULT, {name: value}), field) == becomes, value
        if isinstance(value, int) and field in settings.RANGES and not isinstance(value, bool):
            assert getattr(settings.from_table({field: value}), field) == becomes, value


def test_no_setting_is_without_a_row() -> None:
    """One that is added is held by a row above, and told in its page."""
    assert {field for field, _, _ in PUBLISHED.values()} == {one.name for one in fields(ActiveSettings)}
    page = (Path(__file__).parents[3] / "docs/active-memory.md").read_text("utf-8")
    assert [name for name, (field, _, _) in PUBLISHED.items() if f"| `{field}` | `{name}` |" not in page] == []


def test_the_plugin_is_found_in_a_configuration_of_the_host() -> None:
    """Its own switch counts as well; a document of another shape says nothing."""
    entry = {"enabled": False, "config": {"queryMode": "full"}}
    document = {"plugins": {"entries": {"active-memory": entry}}}
    assert settings.published_config(document) == {"queryMode": "full", "enabled": False}
    for other in (None, [], {"plugins": 1}, {"plugins": {"entries": {"active-memory": []}}}):
        assert settings.published_config(other) == {}


@pytest.mark.parametrize(("mode", "style"), [("message", "strict"), ("recent", "balanced"), ("full", "contextual")])
def test_the_style_goes_with_the_mode_unless_it_is_set(mode: str, style: str) -> None:
    """Three modes, three styles."""
    assert replace(DEFAULT, query_mode=mode).prompt_style == style
    assert replace(DEFAULT, query_mode=mode, style="precision-heavy").prompt_style == "precision-heavy"


# chats


@pytest.mark.parametrize(
    ("chat", "kind"),
    [
        (Chat(key="agent:main:telegram:group:-100123", provider="telegram", channel="t"), "group"),
        (Chat(key="agent:main:slack:channel:C1", provider="slack", channel="s"), "channel"),
        (Chat(key="agent:main:telegram:direct:12345", provider="telegram", channel="t"), "direct"),
        (Chat(key="agent:main:main", provider="telegram", channel="t"), "direct"),
        (Chat(key="agent:main:home", main_key="home", provider="telegram", channel="t"), "direct"),
        (Chat(key="agent:main:other", provider="telegram", channel="t"), ""),
        (Chat(session="s"), "direct"),
        (Chat(session="s", kind="group"), "group"),
    ],
)
def test_the_type_of_a_chat_is_read_off_its_key(chat: Chat, kind: str) -> None:
    """What the host tells wins; a host without chats is a direct one."""
    assert scope.chat_type(chat) == kind


@pytest.mark.parametrize(
    ("key", "agent", "kind", "chat"),
    [
        ("agent:main:telegram:group:-100123", "main", "group", "-100123"),
        ("agent:ann:telegram:direct:12345:thread:99", "ann", "direct", "12345"),
        ("agent:main:slack:channel:C1", "main", "channel", "C1"),
        ("agent:main:main", "main", "direct", ""),
        ("agent:main:cron:nightly", "main", "", ""),
        ("hook:1", "main", "", ""),
    ],
)
def test_a_sessions_key_says_whose_chat_it_is(key: str, agent: str, kind: str, chat: str) -> None:
    """The agent, the type and the chat's own id."""
    found = scope.chat_of_key(key)
    assert (found.agent, scope.chat_type(found), found.chat, found.session) == (agent, kind, chat, key)


@pytest.mark.parametrize(
    ("said", "chat", "off", "why"),
    [
        ({}, Chat(session="s"), False, ""),
        ({"enabled": False}, Chat(session="s"), False, "it is off"),
        ({}, Chat(session="s"), True, "it is off in this session"),
        ({}, Chat(session="s", agent="helper"), False, "agent 'helper' is not among its agents"),
        ({}, Chat(session="s", trigger="heartbeat"), False, "the turn was not a user's but came from 'heartbeat'"),
        ({}, Chat(), False, "the session has no name"),
        (
            {},
            Chat(key="agent:main:telegram:group:1", provider="telegram", channel="t"),
            False,
            "the chat is a group chat",
        ),
        (
            {"chat_types": ("direct", "group")},
            Chat(key="agent:main:telegram:group:1", provider="telegram", channel="t"),
            False,
            "",
        ),
        ({"denied_chats": ("c",), "allowed_chats": ("c",)}, Chat(session="s", chat="c"), False, "the chat is denied"),
        ({"allowed_chats": ("c",)}, Chat(session="s"), False, "the chat is not among those allowed"),
    ],
)
def test_each_refusal_has_its_reason(said: dict[str, Any], chat: Chat, off: bool, why: str) -> None:  # noqa: FBT001 - a table
    """Deny wins over allow; an unknown chat is none of those allowed."""
    assert scope.refusal(replace(DEFAULT, **said), chat, switched_off=off) == why


# question

BEFORE = [("user", "one\n  two"), ("assistant", "three"), ("user", "four"), ("assistant", "five"), ("user", "six")]


def test_a_question_has_as_much_of_the_conversation_as_its_mode_says() -> None:
    """Two turns of the user and one of the assistant by default, in the order in which they were said."""
    modes = {
        mode: question.build_question(replace(DEFAULT, query_mode=mode), " now ", BEFORE)
        for mode in settings.QUERY_MODES
    }
    assert modes["message"] == "now"
    assert (
        modes["recent"]
        == "Recent conversation tail:\nuser: four\nassistant: five\nuser: six\n\nLatest user message:\nnow"
    )
    assert modes["full"].startswith("Full conversation context:\nuser: one\n  two\nassistant: three\n")
    assert question.build_question(DEFAULT, "now") == "now"


def test_turns_are_cut_and_a_huge_message_stays_bounded() -> None:
    """However large the envelope of a host is."""
    told = question.build_question(replace(DEFAULT, user_chars=40), "now", [("user", "x" * 99)])
    assert f"user: {'x' * 40}\n" in told
    assert len(question.build_question(DEFAULT, "y" * 600_000, BEFORE)) < 25_200
    assert len(question.search_words(DEFAULT, "y" * 600_000, BEFORE)) <= 480


def test_only_the_assistants_own_status_lines_are_taken_out() -> None:
    """A user who begins with the same words has said so; a block that was put there is taken out of both."""
    line = "Active Memory: status=ok elapsed=12ms query=recent\nthe answer"
    put = f"{question.HEADER}\n<{question.TAG}>\nold\n</{question.TAG}>\nnew"
    assert question.own_words("assistant", line) == "the answer"
    assert question.own_words("user", line) == line
    assert question.own_words("user", put) == question.own_words("assistant", put) == "new"
    assert question.own_words("user", f"what is <{question.TAG}>?") == f"what is <{question.TAG}>?"


def test_a_short_message_is_searched_for_with_the_one_before_it() -> None:
    """One that stands on its own is not pulled away from what it says."""
    assert question.search_words(DEFAULT, "and the other?", BEFORE) == "and the other? six"
    assert (
        question.search_words(DEFAULT, "which database does our cache use now", BEFORE)
        == "which database does our cache use now"
    )


# summary


@pytest.mark.parametrize("text", ["NONE", "none.", " no_reply ", "[]", "No relevant memories.", "", "n/a"])
def test_nothing_is_nothing(text: str) -> None:
    """Whatever a model calls it."""
    assert summary.is_nothing(text)
    assert summary.block(text) == ""


def test_a_summary_ends_where_a_word_ends() -> None:
    """Back to the word before, where one was split."""
    assert summary.cut("alpha beta gamma delta epsilon zetalongword", 40) == "alpha beta gamma delta epsilon"
    assert summary.cut("alpha beta", 10) == "alpha beta"


def test_quotes_name_their_sources_and_fit() -> None:
    """As many as there is room for, each with what it may be used for where that is not everything."""
    hits = [
        hit("The cache uses SQLite", 3),
        hit("JSON lost writes", 9, "verify first"),
        hit("Another thing altogether", 12),
    ]
    assert summary.quotes(hits, 110) == (
        '"The cache uses SQLite" [memory/a.mneme:3]; "JSON lost writes" [memory/a.mneme:9, verify first]'
    )


@given(st.lists(st.text(min_size=1), max_size=4), st.integers(40, 1000))
def test_quotes_never_grow_past_the_limit(texts: list[str], longest: int) -> None:
    """Whatever is quoted."""
    assert len(summary.quotes([hit(text) for text in texts], longest)) <= longest


def test_a_block_is_data_that_nothing_in_it_can_end() -> None:
    """Escaped, between tags, under the line that says what it is."""
    said = summary.block("</active_memory_plugin> & <b>")
    assert (
        said
        == f"{question.HEADER}\n<active_memory_plugin>\n&lt;/active_memory_plugin&gt; &amp; &lt;b&gt;\n</active_memory_plugin>"
    )


@pytest.mark.parametrize(
    ("text", "extra"),
    [
        ("The user moved the cache to SQLite.", ""),
        ("The cache moved to Postgres.", "Postgres"),
        ("The cache holds 500 rows.", "500"),
        ("They adore sailing around islands during summer.", "adore"),
        ("缓存用了数据库", "\u7f13\u5b58"),
    ],
)
def test_a_summary_that_says_more_than_its_sources_is_caught(text: str, extra: str) -> None:
    """A number, a name, or too many words that no source has."""
    assert summary.unsupported(text, ["the local cache was moved to sqlite", "user decision"]) == extra


# the model


def run_writer(*answers: dict[str, Any]) -> tuple[tuple[str, str], list[str], list[str]]:
    """Return what a writer with these answers comes to, and what it searched for and read."""
    searched: list[str] = []
    read: list[str] = []
    left = list(answers)

    def search(words: str) -> list[Hit]:
        searched.append(words)
        return [hit("Backups go to Glacier", 20)]

    def get(source: str) -> str:
        read.append(source)
        return "Backups go to Glacier every Friday"

    done = writer.write_summary(
        DEFAULT, "where do backups go?", [hit("The cache uses SQLite")], lambda *_: left.pop(0), search, get
    )
    return done, searched, read


def test_a_model_may_look_and_read_and_then_says_what_it_found() -> None:
    """Nothing but the two tools; what it says is held against what it was shown."""
    done, searched, read = run_writer(
        {"do": "memory_search", "query": "backups"},
        {"do": "memory_get", "source": "memory/a.mneme:20"},
        {"do": "note", "text": "Backups go to Glacier every Friday."},
    )
    assert done == ("Backups go to Glacier every Friday.", "")
    assert (searched, read) == (["backups"], ["memory/a.mneme:20"])


def test_a_note_that_invents_is_dropped_with_the_reason() -> None:
    """And NONE is nothing."""
    assert run_writer({"do": "note", "text": "Backups go to Dropbox."})[0] == (
        "",
        "the summary said 'Dropbox', which no source says",
    )
    assert run_writer({"do": "note", "text": "NONE"})[0] == ("", "")
    assert run_writer(*[{"do": "memory_search", "query": "x"}] * 4)[0][1] == "it went on looking and said nothing"


# the pause


def test_the_same_question_in_the_same_session_is_answered_once() -> None:
    """For as long as it is young; what was late is never kept."""
    keeper = breaker.Keeper()
    good, late = breaker.Outcome("ok", "x", 5, "recent"), breaker.Outcome("timeout", "", 250, "recent")
    keeper.keep("s", "q", good, 1000)
    keeper.keep("s", "late", late, 1000)
    assert keeper.find("s", "q", 15_999, 15_000) == good
    assert keeper.find("s", "q", 16_000, 15_000) is None
    assert keeper.find("t", "q", 1001, 15_000) is None
    assert keeper.find("s", "late", 1001, 15_000) is None
    for number in range(breaker.MOST_KEPT + 5):
        keeper.keep("s", str(number), good, 2000 + number)
    assert len(keeper.answers) == breaker.MOST_KEPT
    assert keeper.find("s", "q", 1001, 15_000) is None


def test_too_many_late_answers_in_a_row_make_a_pause() -> None:
    """Then one is let through, and a good one begins again."""
    keeper = breaker.Keeper()
    late = breaker.Outcome("timeout")
    for moment in (0, 10, 20):
        assert not keeper.is_open("main", moment, 3, 60_000)
        keeper.told("main", late, moment)
    assert keeper.is_open("main", 21, 3, 60_000)
    assert not keeper.is_open("ann", 21, 3, 60_000)
    assert not keeper.is_open("main", 60_020, 3, 60_000)
    keeper.told("main", breaker.Outcome("empty"), 60_021)
    assert not keeper.is_open("main", 60_022, 3, 60_000)


def test_the_debug_line_is_one_short_line() -> None:
    """What was found and how, whatever a fault has in it."""
    outcome = breaker.Outcome(
        "unavailable", "", 2590, "recent", because="a\nfault\r" + "x" * 900, hits=3, meaning="none\tthere"
    )
    assert outcome.debug_line.startswith(
        "🔎 Active Memory Debug: backend=mneme effectiveMode=words fallback=none there searchMs=2590 hits=3 | a fault x"
    )
    assert len(outcome.debug_line) < 340
    assert "\n" not in outcome.debug_line


def test_the_status_line_is_the_published_one() -> None:
    """With the summary's length where there is one."""
    assert (
        breaker.Outcome("ok", "x" * 48, 842, "recent").line
        == "🧩 Active Memory: status=ok elapsed=842ms query=recent summary=48 chars"
    )
    assert (
        breaker.Outcome("timeout", "", 15_000, "message").line
        == "🧩 Active Memory: status=timeout elapsed=15s query=message"
    )
    assert breaker.Outcome("empty", "", 13_420, "full", cached=True).line.endswith("elapsed=13.4s query=full cached")
