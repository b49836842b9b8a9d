"""JSON that knows where it stands: values with the spans they were written at.

Reads two levels of containers by hand and leaves every value inside them to the standard library's scanner, so that
it is exact, quick and adds no dependency. A text that is not JSON gives a fault with its line and column; no text,
however deep or odd, raises or takes more than one pass.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

OBJECT, SCALAR = "object", "scalar"

_SPACE = re.compile(r"[ \t\n\r]*+")
_MAX_DIGITS = 4000


class BrokenJsonError(ValueError):
    """A text is not JSON: what is wrong and at which offset."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


@dataclass(frozen=True, slots=True)
class Member:
    """One key of an object with its value; `key_start` to `end` is the pair as written."""

    key: str
    key_start: int
    key_end: int
    value: object = field(hash=False)
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Node:
    """An element of a list, or the root: its members if it is an object, else its value."""

    kind: str
    value: object
    members: tuple[Member, ...]
    start: int
    end: int


def _integer(digits: str) -> object:
    # Python refuses to turn longer ones into an int; a Decimal holds them as they are.
    return int(digits) if len(digits) < _MAX_DIGITS else Decimal(digits)


def _constant(name: str) -> NoReturn:
    raise BrokenJsonError(f"'{name}' is not a JSON value", 0)


_DECODER = json.JSONDecoder(parse_int=_integer, parse_constant=_constant)

_PAIRS = json.JSONDecoder(object_pairs_hook=list, parse_int=_integer, parse_constant=_constant)


def skip_space(text: str, at: int) -> int:
    """Return the offset of the next character that is not white space."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def scan_value(text: str, at: int) -> tuple[object, int]:
    """Read the value that begins at an offset; return it and where it ends."""
    try:
        return _DECODER.raw_decode(text, at)
    except BrokenJsonError as fault:
        raise BrokenJsonError(fault.message, at) from None
    except json.JSONDecodeError as error:
        raise BrokenJsonError(error.msg[:1].lower() + error.msg[1:], error.pos) from None
    except RecursionError:
        raise BrokenJsonError("nested too deeply", at) from None
    except (ValueError, ArithmeticError) as error:
        raise BrokenJsonError(str(error), at) from None


def scan_node(text: str, at: int) -> Node:
    """Read one element: an object with its members, or any other value."""
    if text[at : at + 1] == "{":
        members, end = scan_object(text, at)
        return Node(OBJECT, None, members, at, end)
    value, end = scan_value(text, at)
    return Node(SCALAR, value, (), at, end)


def scan_pairs(text: str, at: int) -> tuple[Sequence[tuple[str, object]] | None, int]:
    """Read one element as the library reads it: an object's keys with their values, or None, and where it ends.

    A fault is found again by hand, which tells it more exactly.
    """
    if text[at : at + 1] == "{":
        try:
            return _PAIRS.raw_decode(text, at)
        except (ValueError, RecursionError, ArithmeticError):
            members, end = scan_object(text, at)
            return [(member.key, member.value) for member in members], end
    return None, scan_value(text, at)[1]


def scan_object(text: str, at: int) -> tuple[tuple[Member, ...], int]:
    """Read an object that begins at an offset; return its members and where it ends."""
    members: list[Member] = []

    def scan_member(text: str, at: int) -> int:
        if text[at : at + 1] != '"':
            raise BrokenJsonError("a key must be in double quotes", at)
        key, key_end = scan_value(text, at)
        colon = skip_space(text, key_end)
        if text[colon : colon + 1] != ":":
            raise BrokenJsonError("a key must be followed by ':'", colon)
        start = skip_space(text, colon + 1)
        value, end = scan_value(text, start)
        members.append(Member(str(key), at, key_end, value, start, end))
        return end

    end = scan_list(text, at, "}", scan_member)
    return tuple(members), end


def scan_list(text: str, at: int, closing: str, scan_element: Callable[[str, int], int]) -> int:
    """Read what stands between a bracket and its closing one, parted by commas; return the offset behind it.

    `scan_element` is given each element's offset and returns its end; elements read before a fault are kept by it.
    """
    at = skip_space(text, at + 1)
    if text[at : at + 1] == closing:
        return at + 1
    while True:
        at = skip_space(text, scan_element(text, at))
        mark = text[at : at + 1]
        if mark == closing:
            return at + 1
        if mark != ",":
            raise BrokenJsonError(f"expected ',' or '{closing}'", at)
        at = skip_space(text, at + 1)
        if text[at : at + 1] == closing:
            raise BrokenJsonError("a comma before a closing bracket", at)
