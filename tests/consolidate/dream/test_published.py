"""OpenClaw's own settings of dreaming: read as it reads them, and kept to where a workspace counts as it does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.consolidate.dream.nights import Place, after

from mneme.consolidate.dream.published import Published, parse_dreaming, published_dreaming

if TYPE_CHECKING:
    from pathlib import Path


def test_d16_numbers_may_be_texts_and_nothing_is_the_default() -> None:
    """Every number of the deep phase from its text; an empty table is the published defaults."""
    deep = {"limit": "5", "minScore": "0.9", "minRecallCount": "4", "minUniqueQueries": "2", "recencyHalfLifeDays": "21", "maxAgeDays": "30"}  # fmt: skip
    said = parse_dreaming({"phases": {"deep": deep}})
    assert (said.limit, said.min_score, said.min_recalls, said.min_queries) == (5, 0.9, 4, 2)
    assert (said.half_life_days, said.max_age_days) == (21, 30)
    plain = parse_dreaming({})
    assert plain == Published()
    assert (plain.enabled, plain.frequency, plain.limit, plain.min_score) == (False, "0 3 * * *", 10, 0.8)
    assert (plain.half_life_days, plain.max_age_days, plain.storage) == (14, 30, "separate")


@pytest.mark.parametrize(
    ("deep", "name", "value"),
    [
        ({"limit": " "}, "limit", 10),
        ({"limit": -1}, "limit", 10),
        ({"limit": 0}, "limit", 0),
        ({"limit": 2.9}, "limit", 2),
        ({"minScore": 1.2}, "min_score", 0.8),
        ({"minScore": "much"}, "min_score", 0.8),
        ({"minScore": 0}, "min_score", 0),
        ({"maxAgeDays": 0}, "max_age_days", 30),
        ({"minRecallCount": [3]}, "min_recalls", 3),
    ],
)
def test_what_makes_no_sense_is_the_default(deep: dict[str, Any], name: str, value: float) -> None:
    """Blanks, negatives and scores out of range; nothing promoted is a limit that somebody may want."""
    assert getattr(parse_dreaming({"phases": {"deep": deep}}), name) == value


def test_switches_modes_and_zones() -> None:
    """A switch may be a word; a mode that there is none of is the default; the zone may be that of the agents."""
    said = parse_dreaming(
        {"enabled": " TRUE ", "storage": {"mode": "Inline"}, "frequency": " ", "timezone": "Asia/Tokyo"}
    )
    assert (said.enabled, said.storage, said.frequency, said.timezone) == (True, "inline", "0 3 * * *", "Asia/Tokyo")
    document = {
        "agents": {"defaults": {"userTimezone": "Europe/Paris"}},
        "plugins": {"entries": {"memory-core": {"config": {"dreaming": {"storage": {"mode": "x"}}}}}},
    }
    found = published_dreaming(document)
    assert found is not None
    assert (found.timezone, found.storage, found.enabled) == ("Europe/Paris", "separate", False)
    for other in (None, [], {"plugins": 1}, {"plugins": {"entries": {"memory-core": {"config": []}}}}):
        assert published_dreaming(other) is None


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Return a workspace that counts as OpenClaw does, with a configuration of OpenClaw's beside it."""
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", str(tmp_path / "openclaw.json"))
    place = Place(tmp_path / "ws")
    place.write("mneme.toml", 'profile = "openclaw"\n[dream]\nscoring = "openclaw"\nmin_recalls = 4\n')
    place.write("memory/2026-04-01.md", "# 2026-04-01\n\n- Move backups to S3 Glacier every night.\n")
    return place


def configure(place: Place, dreaming: dict[str, Any], workspace: str = "") -> None:
    """Write the configuration of an OpenClaw whose agents have a workspace, ours unless said."""
    tree = {
        "agents": {"defaults": {"workspace": workspace or str(place.root)}},
        "plugins": {"entries": {"memory-core": {"config": {"dreaming": dreaming}}}},
    }
    (place.root.parent / "openclaw.json").write_text(json.dumps(tree))


def test_its_thresholds_hold_where_ours_are_not_set(place: Place) -> None:
    """Of its own workspace; what `mneme.toml` says goes before, and another workspace is none of its business."""
    deep = {"limit": "2", "minScore": "0.55", "minRecallCount": 9, "recencyHalfLifeDays": 21}
    configure(place, {"phases": {"deep": deep}})
    with place.open(after(0)) as memory:
        rules = memory.dream_status().rules
    assert (rules["limit"], rules["min_score"], rules["min_recalls"], rules["half_life_days"]) == (2, 0.55, 4, 21.0)
    configure(place, {"phases": {"deep": deep}}, "/elsewhere")
    with place.open(after(0)) as memory:
        assert memory.dream_status().rules["limit"] == 10


def test_where_it_is_set_to_dream_ours_stays_off(place: Place) -> None:
    """Before it ever has; until somebody says otherwise, or turns it off there."""
    configure(place, {"enabled": True})
    night = place.dream(after(0))
    assert (night.status, "set to dream" in night.message) == ("elsewhere", True)
    configure(place, {"enabled": True}, "/elsewhere")
    assert place.dream(after(0), dry_run=True).status == "dreamt"
    configure(place, {"enabled": True})
    place.open(after(0)).dream_switch(on=True)
    assert place.dream(after(0)).status == "dreamt"
