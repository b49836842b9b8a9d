"""Raw scores -> the scale that thresholds are given on, for each embedder: 0.65 stands where nine of ten are right.

The numbers lie in `calibration.json`, which `bench/capabilities.py --fit` writes from development sets of tools and prompts. An
embedder that is not in it is read by the numbers of the default one: the ranking counts cosines in deviations, so its
odds mean much the same for all, and only how alike two prompts are is told on the embedder's own scale.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

CALIBRATION_FILE = Path(__file__).with_name("calibration.json")
THRESHOLD = 0.65
DEFAULT, WORDS = "minilm-l6-v2", "words"
_LOG_ODDS_OF_THRESHOLD = math.log(THRESHOLD / (1.0 - THRESHOLD))


@dataclass(frozen=True, slots=True)
class Scale:
    """Where 0.65 stands: at which log-odds of a card, and at which cosine of two prompts."""

    odds: float = 0.0
    alike: float = THRESHOLD

    def score(self, log_odds: float) -> float:
        """Return a card's log-odds on the scale, between 0 and 1."""
        shifted = log_odds - self.odds + _LOG_ODDS_OF_THRESHOLD
        return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, shifted))))

    def likeness(self, cosine: float) -> float:
        """Return how alike two prompts are on the scale: 1 stays 1, and the cosine `alike` becomes 0.65."""
        return 1.0 - (1.0 - cosine) * (1.0 - THRESHOLD) / (1.0 - self.alike)


@cache
def load_scales(path: Path = CALIBRATION_FILE) -> dict[str, Scale]:
    """Return the scale of each embedder that was calibrated, by the name of its model."""
    read = json.loads(path.read_text("utf-8"))
    return {name: Scale(one["odds"], one["alike"]) for name, one in read["scales"].items()}


def scale_of(embedder: str) -> Scale:
    """Return the scale of an embedder; one that was not calibrated keeps the seed's own cosine for likeness."""
    scales = load_scales()
    found = scales.get(embedder.partition("/")[0])
    return found or Scale(scales[DEFAULT].odds, THRESHOLD)
