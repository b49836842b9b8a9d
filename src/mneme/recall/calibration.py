"""Raw scores -> the scale that thresholds are given on, for each embedder: 0.65 stands where nine of ten are right.

The numbers lie in `calibration.json`, which `bench/capabilities.py --fit` writes from development sets of tools and prompts. An
embedder that is not in it is read by the numbers of the default one: the ranking counts cosines in deviations, so its
odds mean much the same for all, and only how alike two prompts are is told on the embedder's own scale. Whether a prompt
wants any card at all is weighed for embedders alone that it was fitted for: by how much nearer it is to a card than to
what people say that no tool is needed for. That point is set by hand: fitted to large sets it silenced small homes.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mneme.index.rank import both

CALIBRATION_FILE = Path(__file__).with_name("calibration.json")
THRESHOLD = 0.65
DEFAULT, WORDS = "minilm-l6-v2", "words"
_LOG_ODDS_OF_THRESHOLD = math.log(THRESHOLD / (1.0 - THRESHOLD))


@dataclass(frozen=True, slots=True)
class Scale:
    """Where 0.65 stands: at which log-odds of a card, and at which cosine of two prompts.

    `wants` is how the log-odds that a prompt wants a card grow with its lead: by how much they rise, and where even.
    """

    odds: float = 0.0
    alike: float = THRESHOLD
    wants: tuple[float, float] | None = None

    def wish(self, lead: float) -> float | None:
        """Return the log-odds that a prompt wants a card which is so much nearer to one than to any remark."""
        return None if self.wants is None else self.wants[0] * (lead - self.wants[1])

    def doubt(self, log_odds: float, wish: float | None) -> float:
        """Return by how much a card's log-odds fall because the prompt may want none."""
        if wish is None:
            return 0.0
        shifted = log_odds - self.odds + _LOG_ODDS_OF_THRESHOLD
        return both(shifted, wish) - shifted

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
    return {
        name: Scale(one["odds"], one["alike"], (one["wants"][0], one["wants"][1]) if "wants" in one else None)
        for name, one in read["scales"].items()
    }


def scale_of(embedder: str) -> Scale:
    """Return the scale of an embedder; one that was not calibrated keeps the seed's own cosine for likeness."""
    scales = load_scales()
    found = scales.get(embedder.partition("/")[0])
    return found or Scale(scales[DEFAULT].odds, THRESHOLD)
