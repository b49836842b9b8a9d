"""Which layout a folder has: by its marks, with their points; a tie is the default."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.profiles import PROFILES, Detection, detect, odd_places, profile_of, select_memory, templates_of
from mneme.settings import Settings, parse_settings

DEFAULT = profile_of(Settings())


def detected(*paths: str) -> Detection:
    """Detect the layout of a folder that holds these files."""
    folders = {f"{folder}/" for path in paths for folder in map(str, PurePosixPath(path).parents) if folder != "."}
    return detect(select_memory(paths, DEFAULT), lambda path: path in folders or path in paths)


def places_of(profile: str, *paths: str) -> dict[str, str]:
    """Return what lies elsewhere than a profile has it."""
    layout = profile_of(parse_settings(f'profile = "{profile}"'))
    return odd_places(layout, select_memory(paths, layout))


@pytest.mark.parametrize("profile", PROFILES)
def test_what_a_profile_begins_with_is_known_again(profile: str) -> None:
    """The files of a new workspace, its settings lost, are told to be of its profile."""
    paths = [template.path for template in templates_of(profile)]
    assert detected(*(path for path in paths if path != "mneme.toml")).profile == profile


@pytest.mark.parametrize(
    ("paths", "profile"),
    [
        (("memory/episodic/2026-03-01.md", "memory/semantic/x.md", "MEMORY.md"), "v4"),
        (("memory/user/a.md", "memory/feedback/b.md", "todos.md", "SOUL.md", "MEMORY.md"), "never-forget"),
        (("brain/areas/acme/items.json", "MEMORY.md", "memory/2026-03-01.md"), "protocol"),
        (("life/areas/people/ann/items.json", "life/areas/people/ann/summary.md", "MEMORY.md"), "protocol"),
        (("MEMORY.md", "SOUL.md", "memory/2026-03-01-x.md"), "openclaw"),
        (("config/MEMORY.md", "config/SOUL.md", "memory/2026-03-01.md"), "openclaw"),
        (("team.mneme",), "cells"),
        (("team.mneme", "memory/x.mneme", "MEMORY.md"), "default"),
        (("README.md", "src/main.md"), "default"),
        ((), "default"),
    ],
)
def test_marks_tell_the_layout(paths: tuple[str, ...], profile: str) -> None:
    """Typical folders of each layout, and folders of none."""
    assert detected(*paths).profile == profile


def test_it_says_why() -> None:
    """The marks that counted, with their points; and every score is the sum of its marks."""
    found = detected("memory/episodic/2026-03-01.md", "memory/semantic/decisions.md")
    assert found.why == "memory/episodic/ (3), memory/semantic/ (3), memory/semantic/decisions.md (1)"
    assert found.scores["v4"] == 7
    assert detected().why == "nothing here is peculiar to one layout"


def test_a_tie_is_the_default() -> None:
    """And it is said who tied."""
    found = detected("team.mneme", "todos.md", "knowledge/x.md")
    assert (found.profile, found.why) == ("default", "never-forget and cells have 3 points each")


def test_odd_places_become_settings() -> None:
    """Where the memory, the days and the entities lie, when it is not where the profile has them."""
    assert places_of("openclaw", "config/MEMORY.md", "config/USER.md", "memory/2026-03-01.md") == {
        "memory": "config/MEMORY.md",
        "user": "config/USER.md",
    }
    assert places_of("openclaw", "MEMORY.md", "journal/2026-03-01.md", "journal/2026-03-02.md", "x/2026-03-01.md") == {
        "day": "journal/{date}.md"
    }
    assert places_of("protocol", "life/areas/people/a/items.json", "life/areas/companies/b/items.json") == {
        "entities": "life/areas/"
    }
    assert places_of("default", "crm/bob/items.json", "crm/bob/summary.md") == {"entities": "crm/"}
    assert places_of("v4", "2026-03-01.md") == {"day": "{date}.md"}


def test_usual_places_are_no_settings() -> None:
    """Nor are those of which there are several, or that lie in the archive."""
    assert places_of("openclaw", "MEMORY.md", "memory/2026-03-01.md", "journal/2026-03-02.md") == {}
    assert places_of("openclaw", "a/MEMORY.md", "b/MEMORY.md") == {}
    assert places_of("v4", "memory/archive/2026/03/2026-03-01.md") == {}
    assert places_of("protocol", "brain/areas/a/items.json", "life/areas/b/items.json") == {}


@given(
    st.lists(
        st.sampled_from(
            [
                *("MEMORY.md", "SOUL.md", "todos.md", "x.mneme", "memory/episodic/2026-03-01.md", "memory/user/a.md"),
                *("brain/areas/a/items.json", "memory/semantic/x.md", "memory/memory-types.md", "memory/2026-03-01.md"),
            ]
        ),
        unique=True,
    )
)
def test_the_highest_score_wins_and_a_tie_is_the_default(paths: list[str]) -> None:
    """Whatever is mixed; and the order in which files are met does not matter."""
    found = detected(*paths)
    best = max(found.scores.values())
    winners = [name for name, score in found.scores.items() if score == best]
    assert found.profile == (winners[0] if best and len(winners) == 1 else "default")
    assert found == detected(*reversed(paths))
