"""The harness is tried on a writer that is right, and on ones that are each wrong in one way: it has to see which."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from .matrices import (
    FULL,
    fault_matrix,
    find_wrecks,
    kill_matrix,
    missing_sync_matrix,
    power_matrix,
    recrash_matrix,
    relapse_matrix,
)
from .sample_writer import FAULTS
from .scenarios import Scenario, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from .matrices import Report
    from .runs import Prepared

failing_sync = partial(fault_matrix, errors={"EIO"}, calls={"fsync"})
CAUGHT_BY: dict[str, Callable[[Prepared], Report]] = {
    "no-file-sync": power_matrix,
    "no-folder-sync": power_matrix,
    "no-journal-sync": power_matrix,
    "no-record-sync": power_matrix,
    "no-retire-sync": power_matrix,
    "no-journal": kill_matrix,
    "in-place": kill_matrix,
    "leaves-temp": power_matrix,
    "wrong-order": power_matrix,
    "traceback": failing_sync,
    "swallows": failing_sync,
    "half-back": failing_sync,
    "trusts-journal": partial(relapse_matrix, kills=None if FULL else 9, count=None if FULL else 12),
    "trusts-cache": partial(relapse_matrix, kills=None if FULL else 9, count=None if FULL else 12),
}


def test_every_fault_has_its_matrix() -> None:
    """The table names all faults that the sample writer knows."""
    assert CAUGHT_BY.keys() == FAULTS.keys()


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_wrong_writer_is_caught(fault: str, prepared: Callable[[Scenario], Prepared]) -> None:
    """Each way of being wrong shows in the matrix that is there for it."""
    report = CAUGHT_BY[fault](prepared(sample(fault)))
    assert report.failures, f"nobody noticed: {FAULTS[fault]} ({report})"
    assert "does not repeat itself" not in report.kinds()


def test_a_right_writer_passes(prepared: Callable[[Scenario], Prepared]) -> None:
    """A writer that does everything right raises no alarm anywhere."""
    ready = prepared(sample())
    reports = [
        kill_matrix(ready, None if FULL else 12),
        power_matrix(ready),
        fault_matrix(ready, None if FULL else 24),
        recrash_matrix(ready, None if FULL else 4, None if FULL else 4),
        relapse_matrix(ready, None if FULL else 4, None if FULL else 8),
    ]
    assert not [report.kinds() for report in reports if report.failures]


def test_every_sync_of_the_right_writer_is_needed(prepared: Callable[[Scenario], Prepared]) -> None:
    """The sample writer has no sync too many: taking any one out shows."""
    needless = [call for call, fault in missing_sync_matrix(prepared(sample())).items() if not fault]
    assert not needless


def test_a_real_kill_leaves_what_the_recording_says(prepared: Callable[[Scenario], Prepared]) -> None:
    """The states worked out from the recording are as many as real kills leave."""
    ready = prepared(sample())
    assert kill_matrix(ready).states == len(find_wrecks(ready))
