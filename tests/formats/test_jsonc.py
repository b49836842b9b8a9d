"""Settings of other programs are changed in place and given back to the byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.formats.jsonc import (
    BrokenSettingsError,
    parse_settings,
    print_settings,
    with_item,
    with_member,
    with_value,
    without,
)

OURS = {"hooks": [{"type": "command", "command": "x -y"}]}
TEXTS = (
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\r\n}\r\n",
    '{"a": 1}',
    '{\n  "a": 1\n}\n',
    '{\r\n  "a": 1\r\n}\r\n',
    '{\n\t"a": {\n\t\t"b": []\n\t}\n}',
    '{"hooks": {}}',
    '{"hooks": {"Stop": []}}',
    '{\n  "hooks": {\n  }\n}\n',
    '{\n  "hooks": {\n    "Stop": [\n    ]\n  }\n}\n',
    '{\n  "hooks": {\n    "Stop": [\n      {"hooks": []}\n    ]\n  }\n}\n',
    '{\n  "hooks": {\n    "Stop": [{"hooks": []}]\n  }\n}\n',
    '{\n  // why\n  "a": 1 // behind\n}\n',
    '{\n  "a": 1, // behind\n  /* above */ "b": 2 /* after */\n}\n',
    '{\n  "a": 1,\n}\n',
    '{\n  "hooks": {\n    "Stop": [\n      {"hooks": []}, // theirs\n    ],\n  },\n}\n',
    "// first\n{\n  a: 'it''s',\n}\n// last\n".replace("''", "\\'"),
    '\ufeff{"a": 1}\n',
    '{"a": 1, "a": 2, "hooks": {"Other": [1, 2]}}',
)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("path", [("hooks", "Stop"), ("hooks", "New"), ("hooks",), ("a b", "c", "d")])
def test_what_is_put_in_comes_out_without_a_trace(text: str, path: tuple[str, ...]) -> None:
    """Whatever the file looks like, it is what it was; in between it holds ours at the end, and all of theirs."""
    before = parse_settings(text).plain()
    found = parse_settings(text).find(path)
    if found is not None and found.kind != "array":
        with pytest.raises(BrokenSettingsError):
            with_item(text, path, OURS)
        return
    put = with_item(text, path, OURS)
    items = parse_settings(put).find(path)
    assert items is not None
    assert items.plain()[-1] == OURS
    assert before.items() >= {}.items()
    assert all(parse_settings(put).plain()[key] == value for key, value in before.items() if key != path[0])
    assert without(put, (*path, len(items.children) - 1)) == text


@pytest.mark.parametrize("text", TEXTS)
def test_several_come_out_in_any_order(text: str) -> None:
    """Three events put in one after the other leave nothing, taken out from the last to the first."""
    put = text
    for name in ("One", "Two", "Three"):
        put = with_item(put, ("hooks", name), OURS)
    for name in ("Three", "Two", "One"):
        put = without(put, ("hooks", name, 0)) or ""
    assert put == text
    for name in ("One", "Two", "Three"):
        put = with_item(put, ("hooks", name), OURS)
    for name in ("One", "Three", "Two"):
        put = without(put, ("hooks", name, 0)) or ""
    assert parse_settings(put).plain() == parse_settings(text).plain()


def test_a_file_that_was_made_goes_again() -> None:
    """One that was there and empty stays."""
    made = print_settings({"hooks": {"Stop": [OURS]}})
    assert without(made, ("hooks", "Stop", 0)) is None
    assert without(with_item("{}", ("hooks", "Stop"), OURS), ("hooks", "Stop", 0)) == "{}"


def test_a_comment_stays_where_it_is() -> None:
    """Behind the value that it is about."""
    text = '{\n  "a": 1 // about a\n}\n'
    assert with_member(text, ("b",), 2) == '{\n  "a": 1, // about a\n  "b": 2\n}\n'
    assert without('{\n  "a": 1, // about a\n  "b": 2\n}\n', ("b",)) == text


def test_a_value_is_replaced_in_its_place() -> None:
    """And nothing is touched where it is the same already."""
    text = '{\n  "a": {"b": 1}, // c\n  "d": [1, 2]\n}\n'
    assert with_member(text, ("a", "b"), 1) == text
    assert with_member(text, ("a", "b"), 2) == text.replace('"b": 1', '"b": 2')
    assert with_value(text, ("d", 0), {"x": 1}) == text.replace("[1,", '[{"x": 1},')


@pytest.mark.parametrize(
    "text", ["", "{", "[1", '{"a" 1}', '{"a": }', "{} {}", '{"a": "b', "{,}", "nonsense", "[" * 5000, "/*"]
)
def test_what_is_no_json_is_told_with_its_line(text: str) -> None:
    """And nothing else is raised."""
    with pytest.raises(BrokenSettingsError) as told:
        parse_settings(text)
    assert told.value.line == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 1, 2, "\t"]))
def test_any_json_is_read_as_the_library_reads_it(value: object, indent: int | str | None) -> None:
    """However it is laid out."""
    text = json.dumps(value, indent=indent)
    assert parse_settings(text).plain() == json.loads(text)


@given(st.dictionaries(st.sampled_from(["hooks", "a", "b"]), JSON, max_size=3), st.sampled_from([None, 2, "\t"]))
def test_any_settings_come_back_to_the_byte(value: dict[str, object], indent: int | str | None) -> None:
    """Unless ours has no place in them, which is told."""
    text = json.dumps(value, indent=indent) + "\n"
    try:
        put = with_item(text, ("hooks", "Stop"), OURS)
    except BrokenSettingsError:
        return
    items = parse_settings(put).find(("hooks", "Stop"))
    assert items is not None
    assert without(put, ("hooks", "Stop", len(items.children) - 1)) == text
