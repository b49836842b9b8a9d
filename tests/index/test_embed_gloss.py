"""Chinese in English words: what is cut, what is replaced, and what stays."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from mneme.index.embed.choice import MODEL_FOLDER
from mneme.index.embed.gloss import HAN, Glosses

GLOSSES = Glosses(MODEL_FOLDER / "glosses.txt")


def test_words_give_way_to_their_first_meaning() -> None:
    """A Chinese sentence becomes English words in its own order, names and numbers kept."""
    english = GLOSSES.in_english("项目的数据库从 MySQL 迁移到了 PostgreSQL 16")
    assert "database" in english
    assert "migrate" in english
    assert english.endswith("PostgreSQL 16")
    assert not HAN.search(english)


def test_traditional_and_simplified_mean_the_same() -> None:
    """Either way of writing reaches the same words."""
    assert GLOSSES.in_english("數據庫") == GLOSSES.in_english("数据库") == "database"


def test_the_fewest_words_are_cut() -> None:
    """A run is cut into whole words, not into characters."""
    assert GLOSSES.words("测试失败的原因") == ["测试", "失败", "的", "原因"]


@given(st.text(max_size=80).filter(lambda text: not HAN.search(text)))
def test_text_without_han_is_untouched(text: str) -> None:
    """Other scripts pass as they are."""
    assert GLOSSES.in_english(text) == text


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=1, max_size=60))
def test_cutting_loses_no_character(run: str) -> None:
    """The words of a run are the run."""
    assert "".join(GLOSSES.words(run)) == run


def test_a_long_run_is_read_in_bounded_time() -> None:
    """A hundred thousand characters without a stop are cut short."""
    began = time.perf_counter()
    GLOSSES.in_english("数" * 100_000)
    assert time.perf_counter() - began < 2
