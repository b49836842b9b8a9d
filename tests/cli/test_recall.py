"""What `mneme recall` says beside its hits: why meaning had no part in them, unless that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mneme.cli.frame import run_command

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("settings", "words", "told"),
    [
        ('kind = "none"', [], "by words alone: no embedder is set"),
        ('kind = "none"', ["--words"], ""),
        ('kind = "onnx"\nfolder = "/nowhere"', [], "by words alone: "),
    ],
)
def test_without_an_embedder_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], settings: str, words: list[str], told: str
) -> None:
    """Whoever asks by meaning and is answered by words is told so, and why."""
    (tmp_path / "mneme.toml").write_text(f"[embedder]\n{settings}\n", "utf-8")
    (tmp_path / "MEMORY.md").write_text("- The harbour office opens at nine\n", "utf-8")
    assert run_command(["--workspace", str(tmp_path), "recall", "harbour office", *words]) == 0
    said = capsys.readouterr().err
    assert told in said
    assert bool(told) == ("by words alone" in said)
