"""What a command line or a tool's input leaves behind: everything but its secrets."""

from __future__ import annotations

import pytest

from mneme.check.mask import LONGEST_TEXT, MASK, mask_text, mask_value

TOKEN = "ghp_" + "a1B2c3D4e5" * 4


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"git push https://me:{TOKEN}@git.example/x", f"git push https://me:{MASK}@git.example/x"),
        ("psql --password hunter2 -h db", f"psql --password {MASK} -h db"),
        ("tool --api-key=abc --verbose", f"tool --api-key={MASK} --verbose"),
        ("GITHUB_TOKEN=abc make", f"GITHUB_TOKEN={MASK} make"),
        ("curl -H 'Authorization: Bearer abc.def.ghi' x", f"curl -H 'Authorization: Bearer {MASK}' x"),
        ("curl -u ann:pw x", f"curl -u ann:{MASK} x"),
        ("--password 'two words' --next", f"--password {MASK} --next"),
        ("DB_PASSWORD: hunter2", f"DB_PASSWORD: {MASK}"),
    ],
)
def test_a_secret_is_masked_and_the_rest_stays(text: str, masked: str) -> None:
    """Flags, variables, headers, addresses."""
    assert mask_text(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "make test",
        "TOKEN=$TOKEN make",
        "tool --api-key ${KEY}",
        "--password <yours>",
        "read the token file",
        "grep -n key src",
        "a=b c:d",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    """A variable's name is what makes a script run again."""
    assert mask_text(text) == text


def test_a_value_is_masked_by_what_its_key_is_called() -> None:
    """At any depth, bounded in length and depth; numbers and truth stay."""
    given = {
        "api_key": "x",
        "password": "$PASS",
        "n": 3,
        "on": True,
        "deep": [{"secret": "y", "note": TOKEN}],
        "long": "z" * 9000,
    }
    masked = mask_value(given)
    assert masked["api_key"] == MASK
    assert masked["password"] == given["password"]
    assert (masked["n"], masked["on"]) == (3, True)
    assert masked["deep"] == [{"secret": MASK, "note": MASK}]
    assert len(masked["long"]) == LONGEST_TEXT + 1
    nested: object = "x"
    for _ in range(5000):
        nested = [nested]
    assert len(str(mask_value(nested))) < 50
