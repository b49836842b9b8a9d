"""Facts are read without loss, added and superseded by span edits, and never rewritten."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mneme.errors import BadInputError, NotFoundError, RefusedError
from mneme.formats.fact import (
    CATEGORIES,
    KEYS,
    SOURCES,
    STATUSES,
    FactFile,
    append_fact,
    as_of,
    chains,
    confirm_fact,
    fact_record,
    heads,
    history,
    immutable_facts,
    next_fact_id,
    parse_facts,
    print_facts,
    summary_groups,
    supersede_fact,
)
from mneme.formats.record import LIVE, SUPERSEDED
from mneme.formats.span import Splice, apply_edits

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["id", "fact", "x", "facts"]), inner),
    max_leaves=20,
)
FACTS = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from(["a-001", "a-002", "a-003", "b"]), "fact": st.text(max_size=8)},
        optional={
            "status": st.sampled_from(["active", "superseded"]),
            "supersededBy": st.sampled_from(["a-001", "a-002", "a-003", "gone"]) | st.none(),
            "timestamp": st.sampled_from(["2026-01-01", "2026-01-02T10:00:00Z", "2026-02-01", ""]),
            "category": st.sampled_from(["status", "decision", "odd"]),
            "中文": st.lists(st.integers(), max_size=2),
        },
    ),
    max_size=6,
)


@st.composite
def files(draw: st.DrawFn) -> str:
    """Return the text of a well-formed file, in one of the ways such files are written."""
    facts = draw(FACTS)
    root = draw(st.sampled_from([facts, {"facts": facts}, {"version": 1, "records": facts}]))
    indent = draw(st.sampled_from([None, None, 0, 1, 2, 4, "\t"]))
    separators = draw(st.sampled_from([None, (",", ":"), (" , ", " : ")]))
    text = json.dumps(root, indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return draw(st.sampled_from(["", "\ufeff", "\n "])) + text + draw(st.sampled_from(["", "\n", "\r\n"]))


SAMPLE = """[
  {
    "id": "acme-001",
    "fact": "Uses SQLite",
    "category": "decision",
    "timestamp": "2026-01-05",
    "source": "conversation",
    "status": "active",
    "supersededBy": null,
    "mood": {"odd": [1, 2]}
  },
  {"id": "acme-002", "fact": "据点在南锡", "category": "status", "timestamp": "2026-02-01", "source": "observation", "status": "active"}
]
"""


def apply(file: FactFile, edits: Splice | tuple[Splice, ...]) -> FactFile:
    """Return the file after edits."""
    spans = [edits] if isinstance(edits[0], int) else list(edits)
    return parse_facts(apply_edits(file.text, spans), file.path)  # type: ignore[arg-type]


@given(st.text(st.characters()) | JSON.map(json.dumps) | files())
def test_print_gives_back_any_text(text: str) -> None:
    """Reading and printing is the identity, whatever the text."""
    assert print_facts(parse_facts(text)) == text


@given(files())
def test_facts_are_what_a_json_reader_sees(text: str) -> None:
    """Every key and value is that of the standard library, and every span slices back to it."""
    root = json.loads(text.lstrip("\ufeff"))
    expected = root if isinstance(root, list) else next(value for value in root.values() if isinstance(value, list))
    file = parse_facts(text)
    assert not file.problems
    assert [{member.key: member.value for member in fact.members} for fact in file.facts] == expected
    for fact in file.facts:
        assert json.loads(text[fact.start : fact.end]) == {member.key: member.value for member in fact.members}
        assert text[: fact.start].replace("\r\n", "\n").count("\n") == fact.line - 1
        for member in fact.members:
            assert json.loads(text[member.start : member.end]) == member.value
            assert json.loads(text[member.key_start : member.key_end]) == member.key


@given(files(), st.text())
def test_appending_leaves_every_other_byte(text: str, words: str) -> None:
    """A new fact is last, the text before and behind it is what it was, and the file is still JSON."""
    file = parse_facts(text)
    edit = append_fact(file, {"id": "new-001", "fact": words, "status": "active"})
    after = apply(file, edit)
    json.loads(after.text.lstrip("\ufeff"))
    assert not after.problems
    assert after.facts[-1].fact == words
    assert [fact.members[1].value for fact in after.facts[:-1]] == [fact.members[1].value for fact in file.facts]
    if file.facts:
        assert edit[0] == edit[1]


@given(files(), st.data())
def test_superseding_and_confirming_change_their_keys_alone(text: str, data: st.DataObject) -> None:
    """Only status, pointer and confirmation change; order, words and unknown keys stay."""
    file = parse_facts(text)
    assume(file.facts)
    number = data.draw(st.integers(0, len(file.facts) - 1))
    fact = file.get(file.facts[number].id)
    number = file.facts.index(fact)
    after = apply(file, supersede_fact(file, fact.id, "z-009"))
    after = apply(after, confirm_fact(after, fact.id, "2026-03-01"))
    changed = after.facts[number]
    assert (changed.status, changed.superseded_by, changed.confirmed) == (SUPERSEDED, "z-009", "2026-03-01")
    ours = {"status", "supersededBy", "confirmed"}
    for old, new in zip(file.facts, after.facts, strict=True):
        kept = ours if new is changed else set()
        assert {m.key: m.value for m in new.members if m.key not in kept} == {
            m.key: m.value for m in old.members if m.key not in kept
        }


@given(files())
def test_our_edits_change_nothing_that_is_immutable(text: str) -> None:
    """Superseding, confirming and appending keep what every fact says; another word does not go unseen."""
    file = parse_facts(text)
    before = immutable_facts(text)
    assert len(before) == len(file.facts)
    after = apply(file, append_fact(file, {"id": "new-001", "fact": "x"}))
    for fact_id in {fact.id for fact in file.facts}:
        after = apply(after, supersede_fact(after, fact_id, "new-001"))
        after = apply(after, confirm_fact(after, fact_id, "2026-03-01"))
    assert {name: said for name, said in immutable_facts(after.text).items() if name != "new-001"} == before


def test_a_changed_or_lost_fact_is_seen() -> None:
    """Other words, another source, and a fact that is gone, each show; so does one of two with the same id."""
    before = immutable_facts('[{"id": "a", "fact": "x", "source": "s"}, {"id": "a", "fact": "y"}, {"fact": "z"}]')
    assert [name for name in before if name.startswith("a")] == ["a", "a (2)"]
    assert len(before) == 3
    for changed in ('[{"id": "a", "fact": "x2", "source": "s"}]', '[{"id": "a", "fact": "x", "source": "t"}]', "[]"):
        assert immutable_facts(changed).get("a") != before["a"]


def test_edits_are_written_as_the_file_is() -> None:
    """The new fact takes the last one's form; what is changed keeps its place, what is new comes last."""
    file = parse_facts(SAMPLE, "brain/areas/acme/items.json")
    file = apply(file, supersede_fact(file, "acme-001", "acme-003"))
    file = apply(file, confirm_fact(file, "acme-001", "2026-03-01"))
    file = apply(file, append_fact(file, {"id": "acme-003", "fact": "Uses Postgres: 是"}))
    assert file.text == (
        SAMPLE.replace(
            '"status": "active",\n    "supersededBy": null', '"status": "superseded",\n    "supersededBy": "acme-003"'
        )
        .replace('{"odd": [1, 2]}', '{"odd": [1, 2]},\n    "confirmed": "2026-03-01"')
        .replace('"active"}\n', '"active"},\n  {"id": "acme-003", "fact": "Uses Postgres: 是"}\n')
    )
    assert [fact.line for fact in file.facts] == [2, 13, 14]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", '[\n  {\n    "id": "a"\n  }\n]\n'),
        ("[]\n", '[\n  {\n    "id": "a"\n  }\n]\n'),
        ('{"facts": [ ]}', '{"facts": [\n  {\n    "id": "a"\n  }\n]}'),
        ('["odd"]', '["odd",{\n    "id": "a"\n  }]'),
        ("[{}]", '[{},{"id": "a"}]'),
    ],
)  # fmt: skip
def test_the_first_fact_of_a_file(text: str, expected: str) -> None:
    """An empty file or list gets the published form."""
    file = parse_facts(text)
    after = apply(file, append_fact(file, {"id": "a"}))
    assert json.loads(after.text) == json.loads(expected)
    if not text.startswith("["):
        assert after.text == expected


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('[\n {"id": "a",}\n]', 2, "not JSON at column 13: a comma before a closing bracket"),
        ('[{"id": "a"}\n {"id": "b"}]', 2, "not JSON at column 2: expected ',' or ']'"),
        ('[{"id": NaN}]', 1, "not JSON at column 9: 'NaN' is not a JSON value"),
        ('[{"id": "a}]', 1, "not JSON at column 9: unterminated string starting at"),
        ("[{id: 1}]", 1, "not JSON at column 3: a key must be in double quotes"),
        ("[] x", 1, "not JSON at column 4: text after the end of the value"),
        ("<<<<<<< HEAD", 1, "not JSON at column 1: expecting value"),
        ("[" * 100_000, 1, "not JSON at column 2: nested too deeply"),
        ('[{"id": "a"}, {"x": "\\ud800\t"}]', 1, "not JSON at column 28: invalid control character at"),
    ],
)
def test_invalid_json_is_one_problem(text: str, line: int, message: str) -> None:
    """A text that is not JSON says where it stops being so, once, and is not edited."""
    file = parse_facts(text, "items.json")
    assert [(problem.rule, problem.line, problem.message) for problem in file.problems] == [
        ("invalid-json", line, message)
    ]
    with pytest.raises(RefusedError):
        append_fact(file, {"id": "z"})


def test_facts_above_a_fault_are_read() -> None:
    """One bad fact does not hide the good ones before it."""
    assert [fact.id for fact in parse_facts('[{"id": "a"}, {"id": ').facts] == ["a"]


def test_odd_values_do_no_harm() -> None:
    """Huge numbers, lone surrogates, doubled keys and elements that are no facts are read or reported."""
    digits = "9" * 5000
    file = parse_facts(f'[{{"id": 7, "fact": "\\ud800", "n": {digits}, "id": "b"}}, 3, null]')
    assert (file.facts[0].id, file.facts[0].fact) == ("b", "\ud800")
    assert str(file.facts[0].find("n").value) == digits  # type: ignore[union-attr]
    assert [problem.message for problem in file.problems] == [
        "key 'id' of a fact is given twice",
        "element of the list is not an object",
        "element of the list is not an object",
    ]
    assert [problem.rule for problem in parse_facts('{"a": 1}').problems] == ["broken-facts"]


def test_doubled_keys_byte_order_marks_and_escapes_survive_edits() -> None:
    """The last of a doubled key is the one that is changed, a mark stays first, and an ASCII file stays ASCII."""
    file = parse_facts('[{"id": "a", "status": "x", "status": "active"}]')
    assert apply(file, supersede_fact(file, "a", "b")).text == (
        '[{"id": "a", "status": "x", "status": "superseded", "supersededBy": "b"}]'
    )
    assert apply(parse_facts("\ufeff"), append_fact(parse_facts("\ufeff"), {"id": "a"})).text.startswith("\ufeff[")
    file = parse_facts('[{"id":"a","fact":"\\u4e2d"}]')
    assert apply(file, append_fact(file, {"id": "b", "fact": "文"})).text == (
        '[{"id":"a","fact":"\\u4e2d"},{"id":"b","fact":"\\u6587"}]'
    )


def test_what_an_edit_refuses() -> None:
    """An id that is taken or missing, and a fact that would supersede itself, are refused."""
    file = parse_facts(SAMPLE)
    with pytest.raises(RefusedError):
        append_fact(file, {"id": "acme-001"})
    with pytest.raises(BadInputError):
        append_fact(file, {"fact": "x"})
    with pytest.raises(RefusedError):
        supersede_fact(file, "acme-001", "acme-001")
    with pytest.raises(NotFoundError):
        confirm_fact(file, "acme-009", "2026-01-01")


CHAIN = json.dumps(
    [
        {"id": "a-001", "fact": "one", "category": "status", "timestamp": "2026-01-01", "status": "superseded", "supersededBy": "a-003"},
        {"id": "a-002", "fact": "other", "category": "decision", "timestamp": "2026-01-02", "status": "active"},
        {"id": "a-003", "fact": "two", "category": "status", "timestamp": "2026-02-01", "status": "active", "confirmed": "2026-03-01"},
        {"id": "a-004", "fact": "lost", "category": "zeal", "timestamp": "2026-01-01", "status": "superseded", "supersededBy": "gone"},
    ]
)  # fmt: skip


def test_chains_heads_and_the_past() -> None:
    """What holds now, what held on a day, and what belongs to one story."""
    facts = parse_facts(CHAIN).facts
    assert [fact.id for fact in heads(facts)] == ["a-002", "a-003"]
    assert [fact.id for fact in as_of(facts, "2026-01-31")] == ["a-001", "a-002"]
    assert [fact.id for fact in as_of(facts, "2026-02-01")] == ["a-002", "a-003"]
    assert as_of(facts, "2025-12-31") == ()
    assert [[fact.id for fact in group] for group in chains(facts)] == [["a-001", "a-003"], ["a-002"], ["a-004"]]
    assert [fact.id for fact in history(facts, "a-003")] == ["a-001", "a-003"]
    assert history(facts, "zzz") == ()
    assert [(name, [fact.id for fact in group]) for name, group in summary_groups(facts)] == [
        ("status", ["a-003"]),
        ("decision", ["a-002"]),
    ]


@given(files(), st.dates())
def test_chains_cover_every_fact_once(text: str, day: object) -> None:
    """Cycles, doubled ids and missing links lose no fact; what holds is never superseded."""
    facts = parse_facts(text).facts
    groups = chains(facts)
    assert sorted(fact.start for group in groups for fact in group) == [fact.start for fact in facts]
    assert set(heads(facts)) <= set(facts)
    assert all(fact.status != SUPERSEDED for fact in heads(facts))
    assert all(fact.date <= str(day) for fact in as_of(facts, str(day)))


def test_ids_count_on() -> None:
    """A new id is one more than the highest ever used by that entity."""
    assert next_fact_id("acme", ["acme-001", "acme-041", "acme-inc-99", "other-77"]) == "acme-042"
    assert next_fact_id("南锡", []) == "南锡-001"


def test_records_of_facts() -> None:
    """A fact's record has its id, state, dates and relations; one without an id is known by its words."""
    old, _, new, _ = (fact_record(fact, "acme", "brain/areas/acme/items.json") for fact in parse_facts(CHAIN).facts)
    assert (old.id, old.state, old.since, old.seen, old.text) == (
        "a-001",
        SUPERSEDED,
        "2026-01-01",
        "2026-01-01",
        "one",
    )
    assert [(link.relation, link.target) for link in old.links] == [("about", "acme"), ("superseded-by", "a-003")]
    assert (new.state, new.seen, new.kind) == (LIVE, "2026-03-01", "fact")
    (nameless,) = parse_facts('[{"fact": "x"}]').facts
    assert fact_record(nameless, "acme", "p").id == "p#2d711642"


def test_the_published_example_is_a_fact() -> None:
    """The fact on the format's page has the seven keys, in order, and their words."""
    page = Path(__file__).parents[2] / "docs" / "format-facts.md"
    example = page.read_text(encoding="utf-8").split("## 3. A fact", 1)[1].split("3.1", 1)[0]
    (fact,) = parse_facts(f"[{example}]").facts
    assert tuple(member.key for member in fact.members) == KEYS
    assert fact.category in CATEGORIES
    assert fact.source in SOURCES
    assert fact.status in STATUSES
