"""What the resident service needs from below: the seat that only one of it can hold."""

from mneme.files.seat import find_holder, taken_seat

__all__ = ["find_holder", "taken_seat"]
