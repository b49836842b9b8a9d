"""Which of the four classes a memory belongs to, and how surely: user, feedback, project, reference.

Told by its kind where the kind says so, else by its words, as `remember` asks about them. Rules and not a model.
"""

from __future__ import annotations

from mneme.check.kind import guess_kinds
from mneme.formats.record import HIGH, LOW, MED
from mneme.profiles.profile import CLASSES

USER, FEEDBACK, PROJECT, REFERENCE = CLASSES
_OF_KIND = {
    "user": USER,
    "preference": USER,
    "goal": USER,
    "feedback": FEEDBACK,
    "lesson": FEEDBACK,
    "gotcha": FEEDBACK,
    "project": PROJECT,
    "decision": PROJECT,
    "status": PROJECT,
    "task": PROJECT,
    "todo": PROJECT,
    "event": PROJECT,
    "reference": REFERENCE,
    "infrastructure": REFERENCE,
    "howto": REFERENCE,
}
_CLEAR, _MARGIN = 3, 2


def class_of(text: str, kind: str = "") -> tuple[str, str]:
    """Return the class of a memory and how sure that is; a kind that is known decides, the words say how surely."""
    weights: dict[str, int] = {}
    for guess in guess_kinds(text):
        if name := _OF_KIND.get(guess.kind):
            weights[name] = weights.get(name, 0) + guess.weight
    ranked = sorted(weights.items(), key=lambda one: -one[1])
    known = _OF_KIND.get(kind)
    if known:
        return known, HIGH if not ranked or ranked[0][0] == known else MED
    if not ranked or not ranked[0][1]:
        return REFERENCE, LOW
    (best, weight), second = ranked[0], ranked[1][1] if len(ranked) > 1 else 0
    return best, HIGH if weight >= _CLEAR and weight - second >= _MARGIN else MED
