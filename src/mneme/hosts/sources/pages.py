"""A Markdown file that a host reads, such as a skill or a command: its name, what it says it is for, its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.check.mask import mask_text

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_PAGE_BYTES = 1 << 20
LONGEST_DESCRIPTION = 600


def read_page(place: Path) -> dict[str, str]:
    """Return the frontmatter of a page as texts, and as `description` its first line where it has none."""
    from mneme.formats.front import parse_front
    from mneme.formats.span import split_lines

    try:
        if place.stat().st_size > LARGEST_PAGE_BYTES:
            return {}
        text = place.read_text("utf-8", "replace")
    except OSError:
        return {}
    front, _ = parse_front(split_lines(text))
    said = {key.name: key.value for key in front.keys} if front else {}
    values = {name: value if isinstance(value, str) else ", ".join(value) for name, value in said.items()}
    if not values.get("description", "").strip():
        body = text[front.end :] if front else text
        values["description"] = _first_line(body)
    values["description"] = mask_text(" ".join(values["description"].split()), LONGEST_DESCRIPTION)
    return values


def _first_line(body: str) -> str:
    lines = (line.strip() for line in body.split("\n"))
    return next((line for line in lines if line and not line.startswith(("#", "---", "<!--"))), "")
