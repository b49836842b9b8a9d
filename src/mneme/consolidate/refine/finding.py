"""A finding: one thing that a verification has to say, in the section where it is said."""

from __future__ import annotations

from dataclasses import dataclass

CONFLICTS, UNSUPPORTED, OUTDATED = "Conflicts", "Unsupported promotions", "Outdated"
DUPLICATES, LINKS, SUGGESTED = "Duplicates", "Missing links", "Suggested promotions"
SECTIONS = (CONFLICTS, UNSUPPORTED, OUTDATED, DUPLICATES, LINKS, SUGGESTED)


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """What was found, where, and which command would answer it; `by` names the model where one said it."""

    section: str
    path: str
    line: int
    text: str
    advice: str = ""
    by: str = ""

    @property
    def anchor(self) -> str:
        """Return where it stands."""
        return f"{self.path}:{self.line}" if self.line else self.path

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        return {
            "section": self.section,
            "anchor": self.anchor,
            "text": self.text,
            "advice": self.advice,
            "by": self.by,
        }


@dataclass(frozen=True, slots=True)
class Classed:
    """A new memory with the class it belongs to, how sure that is, and the class it has."""

    id: str
    path: str
    line: int
    text: str
    kind: str
    conf: str
    has: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        return {"id": self.id, "text": self.text, "class": self.kind, "confidence": self.conf, "has": self.has}
