"""Golden transcripts: what the documents show is what the command prints."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

import pytest
from transcripts import ROOT, find_transcripts, run_transcript

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("path", find_transcripts(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_shows_what_is_printed(path: Path, tmp_path: Path) -> None:
    """Every console block is run again; `make golden` writes the new output, to be read as a diff."""
    text = path.read_text(encoding="utf-8")
    now = run_transcript(text, tmp_path)
    difference = unified_diff(text.splitlines(), now.splitlines(), "shown", "printed", lineterm="")
    assert now == text, "\n" + "\n".join(difference)


def test_a_transcript_that_is_wrong_is_found(tmp_path: Path) -> None:
    """The twin: output, exit code, files and continued lines come out as they really are."""
    text = "```file a/b.txt\nx\n```\ntext\n```console\n$ cat a/b.txt; pwd; false\ny\n$ printf '%s' \\\n> one\n```\n"
    expected = "```file a/b.txt\nx\n```\ntext\n```console\n$ cat a/b.txt; pwd; false\nx\n/memory\n[1]\n$ printf '%s' \\\n> one\none\n```\n"
    assert run_transcript(text, tmp_path) == expected


def test_a_transcript_lives_on_one_day_in_a_home_of_its_own(tmp_path: Path) -> None:
    """The machine's settings do not show, so a transcript is the same everywhere."""
    text = '```console\n$ env | grep -c MNEME; ls -A "$HOME"; mneme nothing\n```\n'
    expected = text.removesuffix("```\n") + "0\nmneme: unknown verb 'nothing'\n  hint: mneme --help\n[2]\n```\n"
    assert run_transcript(text, tmp_path) == expected
