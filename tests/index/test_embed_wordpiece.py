"""WordPiece as the models were trained to read it: the expected numbers are the reference tokenizer's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.index.embed.choice import MODEL_FOLDER
from mneme.index.embed.wordpiece import WordPiece

PIECES = WordPiece((MODEL_FOLDER / "vocab.txt").read_text("utf-8").splitlines())

# Made once with the published tokenizer of all-MiniLM-L6-v2.
REFERENCE = {
    "": [101, 102],
    "hello, world!": [101, 7592, 1010, 2088, 999, 102],
    "Crème brûlée à la carte — naïve façade": [
        101,
        13675,
        21382,
        7987,
        9307,
        2063,
        1037,
        2474,
        11122,
        2063,
        1517,
        15743,
        8508,
        102,
    ],
    "用户喜欢在编辑器里使用深色主题": [
        101,
        100,
        100,
        100,
        100,
        100,
        100,
        100,
        100,
        1962,
        100,
        100,
        100,
        100,
        1747,
        100,
        102,
    ],
    "Tab\there\x00 and\x07 bell\u200b zero-width\ufffd": [101, 21628, 2182, 1998, 4330, 5717, 1011, 9381, 102],
    "ΑΣ Σίσυφος": [101, 1155, 29733, 1173, 18199, 29733, 29735, 29736, 15297, 102],
    "İstanbul'da": [101, 9960, 1005, 4830, 102],
    "東京タワーに行く": [101, 1879, 1755, 1709, 30262, 30265, 30194, 1945, 1653, 102],
    "한국어 문장": [
        101,
        1469,
        30006,
        30021,
        29991,
        30014,
        30020,
        29999,
        30008,
        1459,
        30014,
        30021,
        30000,
        30006,
        30025,
        102,
    ],
    "don't stop-believing (1984) $5.00 100%": [
        101,
        2123,
        1005,
        1056,
        2644,
        1011,
        8929,
        1006,
        3118,
        1007,
        1002,
        1019,
        1012,
        4002,
        2531,
        1003,
        102,
    ],
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ok": [
        101,
        100,
        7929,
        102,
    ],
    "😀 emoji 👍🏽 flags 🇫🇷": [101, 100, 7861, 29147, 2072, 100, 9245, 100, 102],
    "snake_case camelCase HTTPServer2 /usr/local/bin": [
        101,
        7488,
        1035,
        2553,
        19130,
        18382,
        16770,
        2121,
        6299,
        2475,
        1013,
        2149,
        2099,
        1013,
        2334,
        1013,
        8026,
        102,
    ],
    "\u2028line\u2029sep\xa0nbsp": [101, 2240, 19802, 1050, 5910, 2361, 102],
    "ﬁ ligature Ⅷ ½ ™ €": [101, 1984, 8018, 11244, 100, 1092, 1580, 1574, 102],
    "豈更 compat": [101, 100, 100, 4012, 4502, 2102, 102],
}


@pytest.mark.parametrize("text", REFERENCE)
def test_reads_as_the_reference_does(text: str) -> None:
    """Accents, Han, control characters, punctuation and long words become the reference's numbers."""
    assert PIECES.numbers(text, 256) == REFERENCE[text]


def test_special_tokens_in_a_text_are_text() -> None:
    """A note that spells a special token cannot end the sentence for the model."""
    numbers = PIECES.numbers("a [SEP] b [PAD]", 256)
    assert numbers.count(102) == 1
    assert 0 not in numbers


@given(st.text(max_size=200), st.integers(2, 40))
def test_any_text_is_bounded_by_its_marks(text: str, most: int) -> None:
    """Whatever the text, the numbers begin and end with the model's marks and are never too many."""
    numbers = PIECES.numbers(text, most)
    assert numbers[0] == 101
    assert numbers[-1] == 102
    assert 2 <= len(numbers) <= most


@given(st.text(max_size=60))
def test_a_second_reading_is_the_first(text: str) -> None:
    """Remembered words change nothing."""
    assert PIECES.numbers(text, 256) == PIECES.numbers(text, 256)


def test_a_megabyte_is_cut_short() -> None:
    """A text is read as far as its numbers count, and no further."""
    assert len(PIECES.numbers("word " * 200_000, 256)) == 256
