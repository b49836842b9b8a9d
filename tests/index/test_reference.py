"""The backend in memory keeps the contract."""

from __future__ import annotations

import pytest
from tests.contract.backend import BackendContract

from mneme.index.reference import ReferenceBackend


class TestReference(BackendContract):
    """Every promise, on the reference."""

    @pytest.fixture
    def backend(self) -> ReferenceBackend:
        """Return an empty one."""
        return ReferenceBackend()
