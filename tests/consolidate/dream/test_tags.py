"""The words that a snippet is about, in the order that both programs give them."""

from __future__ import annotations

import pytest

from mneme.consolidate.dream.tags import CJK, LATIN, concept_tags, script_of
from mneme.consolidate.dream.taint import day_of, is_short_term, is_tainted


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("Move backups to S3 Glacier.", "backup, backups, glacier"),
        ("Move backups to S3 Glacier and sync QMD router notes.", "backup, backups, glacier, qmd, router, sync"),
        ("The gateway should stay loopback-only on port 18789.", "gateway, loopback-only, the, stay, loopback, only"),
        ("Gateway host uses qmd vector search for router notes.", "gateway, qmd, router, host, uses, vector"),
        ("Configuration du routeur et sauvegarde Glacier.", "glacier, sauvegarde, routeur, configuration"),
        ("障害対応ルーター設定とバックアップ確認。", "バックアップ, ルーター, 障害対応, 障害, 対応, 設定, 確認"),
        ("Move backups to S3 Glacier.; Keep retention at 365 days.", "backup, backups, glacier, keep, retention, days"),
    ],
)
def test_tags(text: str, tags: str) -> None:
    """Known words, then joined ones, then the rest."""
    assert ", ".join(concept_tags("memory/2026-04-01.md", text)) == tags


def test_scripts() -> None:
    """Tags know what they are written in."""
    assert [script_of(tag) for tag in ("routeur", "ルーター", "s3备份")] == [LATIN, CJK, "mixed"]


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("memory/2026-04-03.md", True),
        ("2026-04-03.md", True),
        ("memory/.dreams/session-corpus/2026-04-03.txt", True),
        ("memory/daily notes/2026-04-03.md", True),
        ("memory/日记/2026-04-03.md", True),
        ("memory/nested/deep/2026-04-03.md", True),
        ("notes/2026-04-03.md", False),
        ("MEMORY.md", False),
        ("memory/network.md", False),
        ("memory/dreaming/light/2026-04-03.md", False),
        ("../../vault/memory/dreaming/deep/2026-04-03.md", False),
        ("notes/daily/2026-04-03.md", False),
    ],
)
def test_short_term_paths(path: str, short: bool) -> None:  # noqa: FBT001 - a table of cases
    """Only a day's note, or a day of what was said, is short-term memory."""
    assert is_short_term(path) is short
    assert day_of(path) == ("2026-04-03" if "2026" in path else "")


STAGED = (
    "Candidate: x confidence: 0.76 evidence: memory/.dreams/session-corpus/2026-04-01.txt:1-1 recalls: 3 status: staged"
)


@pytest.mark.parametrize(
    ("text", "tainted"),
    [
        (f"@@ -1,1 - {STAGED}", True),
        (f"([ {STAGED}", True),
        ("[main/dreaming-narrative-light.jsonl#L1] User: Write a dream diary entry from these memory fragments:", True),
        ("<!-- openclaw-memory-promotion:k --> - x", True),
        ("Candidate: move backups weekly. confidence: 0.76 evidence: memory/2026-04-08.md:1-1", False),
        ("Ann asked: write a dream diary entry from these memory fragments", False),
    ],
)
def test_taint(text: str, tainted: bool) -> None:  # noqa: FBT001 - a table of cases
    """What dreaming wrote is told from what only looks like it."""
    assert is_tainted(text) is tainted
