"""The runtime of the default embedder counts what it does and sends it home, unless it is told not to."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("onnxruntime")


@pytest.mark.parametrize("ours", [True, False])
def test_the_runtime_keeps_no_count_to_send(tmp_path: Path, ours: bool) -> None:  # noqa: FBT001
    """It leaves no number for this machine and no queue of events; by itself it would, where it is of that version."""
    quiet = "from mneme.workspace import keep_runtime_quiet; keep_runtime_quiet(); " if ours else ""
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", f"{quiet}import onnxruntime"], env=env, check=True)
    left = [place.name for place in tmp_path.rglob("*") if place.is_file()]
    assert not left or not ours
