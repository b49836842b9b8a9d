"""What the resident service needs from below: the seat that only one of it can hold, and where it says that it listens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme import files
from mneme.files.seat import find_holder, taken_seat

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ADDRESS_NAME", "find_address", "find_holder", "taken_seat", "tell_address"]

# In the folder of the seat: where MCP clients are answered, while they are.
ADDRESS_NAME = "http"


def tell_address(folder: Path, address: str) -> None:
    """Tell whoever looks into the folder of the seat where MCP clients are answered."""
    files.write_derived(folder / ADDRESS_NAME, address.encode())


def find_address(folder: Path) -> str:
    """Return what was told, or the empty text."""
    return (files.find_file(folder / ADDRESS_NAME) or b"").decode("ascii", "replace")
