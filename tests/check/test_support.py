"""A claim is supported by words that have its numbers, its names, and most of the rest of it."""

from __future__ import annotations

import pytest

from mneme.check.support import has_quote, is_supported

SOURCE = "Then Bob said we move the invoices to port 8443 on Hetzner, since the old box was slow."


@pytest.mark.parametrize(
    ("claim", "supported"),
    [
        ("The invoices move to port 8443 on Hetzner", True),
        ("The invoices move to port 8080 on Hetzner", False),
        ("The invoices move to port 8443 on Azure", False),
        ("The backups are encrypted with age", False),
        ("Invoices moved on 2026-01-05 to port 8443", True),
        ("", False),
    ],
)
def test_numbers_names_and_words_must_stand_there(claim: str, *, supported: bool) -> None:
    """A date written out may stand for `yesterday`; everything else is looked for."""
    assert is_supported(claim, SOURCE) is supported


def test_chinese_is_held_to_the_same() -> None:
    """Character by character."""
    assert is_supported("用户喜欢简短的回答", "我喜欢简短的回答。")
    assert not is_supported("用户住在上海", "我喜欢简短的回答。")


def test_a_quote_stands_in_its_line_as_it_is() -> None:
    """White space and quotation marks aside."""
    assert has_quote("we move  the invoices", SOURCE)
    assert not has_quote("we moved the invoices", SOURCE)
    assert not has_quote("", SOURCE)
