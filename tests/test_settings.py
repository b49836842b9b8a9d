"""Settings: one table, and one clear error for whatever does not fit it."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.errors import BadInputError
from mneme.keys import SETTINGS
from mneme.settings import Settings, _says_nothing, find_setting, parse_settings, set_value


def fault(text: str) -> tuple[str, str]:
    """Return the message and hint of the error a text gives."""
    with pytest.raises(BadInputError) as caught:
        parse_settings(text)
    return caught.value.message, caught.value.hint


def test_nothing_said_is_the_default() -> None:
    """Without a file, or with an empty one, every key has the value of the table."""
    assert parse_settings("") == Settings()
    for setting in SETTINGS:
        if not setting.key.endswith("*"):
            assert Settings()[setting.key] == setting.default


def test_values_are_read() -> None:
    """Tables, dotted keys and inline tables say the same."""
    wanted = parse_settings('[cells]\ndefault = "m.mneme"\nstale_after_days = 7\n')
    assert (wanted["cells.default"], wanted["cells.stale_after_days"], wanted["cells.gist_columns"]) == (
        "m.mneme",
        7,
        200,
    )
    assert parse_settings('cells.default = "m.mneme"\ncells.stale_after_days = 7\n') == wanted
    assert parse_settings('cells = {default = "m.mneme", stale_after_days = 7}') == wanted
    assert hash(parse_settings('cells = {stale_after_days = 7, default = "m.mneme"}')) == hash(wanted)


def test_values_of_every_kind() -> None:
    """Texts, numbers, lists of texts, true and false."""
    found = parse_settings('commit = true\n[files]\nignore = ["drafts/*"]\n[audience]\nshared = []\n')
    assert (found["commit"], found["files.ignore"], found["audience.shared"]) == (True, ["drafts/*"], [])


def test_free_tables() -> None:
    """Names of the reader's choosing, each with a value that is checked; other tables do not leak in."""
    found = parse_settings('[rules]\nduplicate-id = "warn"\n"odd name" = "ignore"\n[cells]\ngist_columns = 100\n')
    assert found.table("rules") == {"duplicate-id": "warn", "odd name": "ignore"}
    assert Settings().table("rules") == {}
    assert find_setting("rules.anything") is find_setting("rules.*")
    assert find_setting("nothing.here") is None


def test_an_unknown_key_names_the_nearest() -> None:
    """File, line, key, and what was probably meant."""
    assert fault('# a comment\n[cells]\ndefault = "x"\nstale_after_day = 3\n') == (
        "mneme.toml:4: there is no setting 'cells.stale_after_day'",
        "the nearest is 'cells.stale_after_days'; edit mneme.toml",
    )
    assert fault("comit = true") == (
        "mneme.toml:1: there is no setting 'comit'",
        "the nearest is 'commit'; edit mneme.toml",
    )
    assert fault("zzzzzzzz = 1") == ("mneme.toml:1: there is no setting 'zzzzzzzz'", "edit mneme.toml")


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("cells.default = 3", "'cells.default' takes a text, not 3"),
        ("cells.stale_after_days = '3'", "'cells.stale_after_days' takes a whole number of at least 0, not '3'"),
        ("cells.stale_after_days = 3.5", "'cells.stale_after_days' takes a whole number of at least 0, not 3.5"),
        ("cells.stale_after_days = true", "'cells.stale_after_days' takes a whole number of at least 0, not True"),
        ("cells.stale_after_days = -1", "'cells.stale_after_days' takes a whole number of at least 0, not -1"),
        ("cells.gist_columns = 19", "'cells.gist_columns' takes a whole number of at least 20, not 19"),
        ("files.ignore = 'x'", "'files.ignore' takes a list of texts, not 'x'"),
        ("files.ignore = ['x', 3]", "'files.ignore' takes a list of texts, not ['x', 3]"),
        ("commit = 1", "'commit' takes true or false, not 1"),
        ("commit = {a = 1}", "'commit' takes true or false, not {'a': 1}"),
        ("rules.duplicate-id = 'eror'", "'rules.duplicate-id' takes one of error, warn, info, ignore, not 'eror'"),
        ("rules.duplicate-id = 3", "'rules.duplicate-id' takes one of error, warn, info, ignore, not 3"),
        ("rules.a.b = 'warn'", "there is no setting 'rules.a.b'"),
        ("cells = 3", "there is no setting 'cells'"),
        ("cells.default.x = 'a'", "'cells.default' takes a text, not {'x': 'a'}"),
        ("[nonsense]", "there is no setting 'nonsense'"),
        ("[cell]\ndefault = 'x'", "there is no setting 'cell.default'"),
        ("[[cells]]\ndefault = 'x'", "there is no setting 'cells'"),
    ],
)
def test_a_value_that_does_not_fit(line: str, wanted: str) -> None:
    """What the key takes, and what was given instead, at its line."""
    message, hint = fault(f"# first line\n\n{line}\n")
    assert message == f"mneme.toml:{4 if line.startswith('[cell]') else 3}: {wanted}"
    assert hint.endswith("edit mneme.toml")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[rules]\n\n"odd name" = "x"\n', 3),
        ("\n[cells]\n  gist_columns = 1\n", 3),
        ("\n[ cells ]\ngist_columns=1\n", 3),
        ("[files]\nignore = [\n  'a',\n  3,\n]\n", 2),
        ("[cells]\ngist_columns = 100\n[rules]\ngist_columns = 'x'\n", 4),
        ("\ncells = { gist_columns = 1 }\n", 2),
        ("\n\n[cells] # about cells\ngist_columns = 1\n", 4),
        ("'commit' = 3\n", 1),
        ("# cells.gist_columns = 1\n\ncells.gist_columns = 2\n", 3),
    ],
)
def test_the_line_is_the_key_s_own(text: str, line: int) -> None:
    """However the key is spelled and wherever it stands."""
    assert fault(text)[0].startswith(f"mneme.toml:{line}: ")


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("\n\n[cells\n", "mneme.toml:3: expected ']'"),
        ("a = \n", "mneme.toml:1: invalid value"),
        ("commit = true\ncommit = false\n", "mneme.toml:2: cannot overwrite a value"),
        ('x = "abc', "mneme.toml:1: "),
    ],
)
def test_a_file_that_is_no_toml(text: str, start: str) -> None:
    """The line, and the reason in lower case without brackets."""
    message, hint = fault(text)
    assert message.startswith(start)
    assert "(at" not in message
    assert hint == "edit mneme.toml"


def test_another_name_of_the_file() -> None:
    """The error names the file that was read."""
    with pytest.raises(BadInputError, match=r"there/mneme\.toml:1: there is no setting 'x'"):
        parse_settings("x = 1", "there/mneme.toml")


def test_a_mark_at_the_start_of_the_file() -> None:
    """A byte order mark that an editor put there is no fault."""
    assert parse_settings("\ufeffcommit = true\n")["commit"] is True


def test_settings_do_not_change() -> None:
    """Another value makes other settings; a list that was handed out is not the table's own."""
    one = Settings()
    assert one.with_value("commit", value=True)["commit"] is True
    assert one["commit"] is False
    assert one != Settings({"commit": True})
    assert one != {}
    one["files.ignore"].append("x")
    assert Settings()["files.ignore"] == []


def test_every_row_of_the_table_is_sound() -> None:
    """Defaults fit their own rows, every row is explained, and no key is there twice."""
    keys = [setting.key for setting in SETTINGS]
    assert len(keys) == len(set(keys))
    for setting in SETTINGS:
        assert type(setting.default) is setting.kind
        assert setting.doc
        assert setting.least is None or setting.default >= setting.least


@pytest.mark.parametrize(
    ("text", "key", "value", "after"),
    [
        ("", "commit", True, "commit = true\n"),
        ("commit = false # no\n", "commit", True, "commit = true # no\n"),
        ("", "active.enabled", False, "[active]\nenabled = false\n"),
        ("commit = true", "active.enabled", False, "commit = true\n\n[active]\nenabled = false\n"),
        (
            '[active]\nstyle = "strict"\n\n[rules]\n',
            "active.enabled",
            False,
            '[active]\nenabled = false\nstyle = "strict"\n\n[rules]\n',
        ),
        (
            "[ active ] # x\nenabled   =  true   # y\n",
            "active.enabled",
            False,
            "[ active ] # x\nenabled   =  false   # y\n",
        ),
        ("[active]\n", "active.agents", ["a", 'b"c'], '[active]\nagents = ["a", "b\\"c"]\n'),
    ],
)
def test_one_value_is_set_and_the_rest_stays(text: str, key: str, value: object, after: str) -> None:
    """Comments, spaces and other tables among it."""
    start, end, new = set_value(text, key, value)
    assert text[:start] + new + text[end:] == after
    assert parse_settings(after).find(key) == value


def test_what_cannot_be_set_is_told_with_what_to_write() -> None:
    """A value over several lines is edited by hand."""
    with pytest.raises(BadInputError) as told:
        set_value('[active]\nagents = [\n  "a",\n]\n', "active.agents", ["b"])
    assert told.value.hint == 'edit mneme.toml: [active] agents = ["b"]'


@given(st.text(alphabet=st.sampled_from("#ab= \t\r\n\x0c\x00\x7f\u2028\ufeff\"'["), max_size=30))
def test_a_file_of_comments_reads_as_the_parser_reads_it(text: str) -> None:
    """What is taken for nothing without being parsed is nothing to a parser of TOML too."""
    if _says_nothing(text):
        assert tomllib.loads(text.removeprefix("\ufeff")) == {}
