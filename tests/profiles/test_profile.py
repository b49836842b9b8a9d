"""Profiles: each layout's homes, places, tiers and audience, and what settings change of them."""

from __future__ import annotations

from dataclasses import fields
from datetime import date
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.errors import BadInputError
from mneme.formats.record import TIERS
from mneme.profiles import CELLS, DAY, FACTS, FILE, FOLDER, KINDS, PROFILES, Profile, entity_of, profile_of
from mneme.profiles.tables import TABLES, V4_ERRORS
from mneme.settings import Settings, parse_settings

DAY_OF = date(2026, 3, 1)


def made(text: str) -> Profile:
    """Return the profile of the text of a `mneme.toml`."""
    return profile_of(parse_settings(text))


def named(name: str) -> Profile:
    """Return a profile as it stands."""
    return made(f'profile = "{name}"')


PATHS = st.lists(
    st.sampled_from(
        [
            *(
                "memory",
                "agents",
                "MEMORY.md",
                "USER.md",
                "2026-03-01.md",
                "2026年3月1日.md",
                "working-buffer.md",
                "x.md",
            ),
            *(
                "archive",
                "episodic",
                "user",
                "brain",
                "areas",
                "items.json",
                "sessions",
                "a.jsonl",
                "..",
                ".",
                "日记",
                "é",
            ),
        ]
    ),
    min_size=1,
    max_size=5,
).map("/".join)


def test_every_profile_is_one() -> None:
    """The settings, the tables and the default agree on which profiles there are."""
    assert set(TABLES) == set(PROFILES)
    assert profile_of(Settings()).name == "default"
    assert [named(name).name for name in PROFILES] == list(PROFILES)


@pytest.mark.parametrize(
    ("profile", "kind", "path", "form"),
    [
        ("default", "decision", "cells", CELLS),
        ("default", "fact", "cells", CELLS),
        ("default", "user", "memory/user/", FOLDER),
        ("default", "infrastructure", "memory/semantic/infrastructure.md", FILE),
        ("default", "task", "todos.md", FILE),
        ("default", "entity", "brain/areas/{entity}/items.json", FACTS),
        ("cells", "todo", "cells", CELLS),
        ("v4", "decision", "memory/semantic/decisions.md", FILE),
        ("v4", "preference", "memory/semantic/preferences.md", FILE),
        ("v4", "infrastructure", "memory/semantic/infrastructure.md", FILE),
        ("v4", "project", "memory/semantic/projects.md", FILE),
        ("v4", "howto", "memory/procedural/{topic}.md", FILE),
        ("v4", "lesson", "memory/procedural/lessons-learned.md", FILE),
        ("v4", "event", "memory/episodic/{date}.md", DAY),
        ("never-forget", "user", "memory/user/", FOLDER),
        ("never-forget", "feedback", "memory/feedback/", FOLDER),
        ("never-forget", "project", "memory/project/", FOLDER),
        ("never-forget", "reference", "memory/reference/", FOLDER),
        ("never-forget", "status", "knowledge/project-tracker.md", FILE),
        ("never-forget", "task", "todos.md", FILE),
        ("never-forget", "event", "memory/{date}.md", DAY),
        ("protocol", "entity", "brain/areas/{entity}/items.json", FACTS),
        ("protocol", "preference", "MEMORY.md", FILE),
        ("openclaw", "lesson", "MEMORY.md", FILE),
    ],
)
def test_each_kind_has_one_home(profile: str, kind: str, path: str, form: str) -> None:
    """The owner table of each layout."""
    home = named(profile).home_of(kind)
    assert (home.path, home.form) == (path, form)


def test_a_home_s_fields_are_filled() -> None:
    """The day, the topic with its default, and the entity; cells may go to any cell file."""
    v4, protocol = named("v4"), named("protocol")
    assert v4.home_of("event").place(day=DAY_OF) == "memory/episodic/2026-03-01.md"
    assert v4.home_of("howto").place(topic="docker") == "memory/procedural/docker.md"
    assert v4.home_of("howto").place() == "memory/procedural/how-to.md"
    assert protocol.home_of("entity").place(entity="acme") == "brain/areas/acme/items.json"
    assert named("cells").home_of("goal").place() == ""
    assert made('[homes]\ngoal = "memory/goals.mneme"').home_of("goal").place() == "memory/goals.mneme"


def test_a_kind_without_a_home_is_told() -> None:
    """Which kinds there are, and how to give this one a home; a slip names the nearest."""
    with pytest.raises(BadInputError, match="the profile 'v4' has no home for the kind 'task'") as caught:
        named("v4").home_of("task")
    assert caught.value.hint == 'edit mneme.toml: [homes] task = "PATH"'
    with pytest.raises(BadInputError, match="there is no kind 'decison'; there are ") as caught:
        named("v4").home_of("decison")
    assert caught.value.hint == "mneme remember ... --kind decision"
    assert named("v4").find_home("task") is None


@pytest.mark.parametrize("profile", PROFILES)
def test_what_is_written_to_a_home_is_read_as_its_kind(profile: str) -> None:
    """A file at a home has that kind, or that of the first kind which shares the home."""
    layout = named(profile)
    for kind, home in layout.homes.items():
        if home.form in (FILE, FOLDER) and home.path != layout.places.memory:
            path = home.place(topic="some-topic") + ("a.md" if home.form == FOLDER else "")
            first = next(other for other, one in layout.homes.items() if one.path == home.path)
            assert layout.kind_of(path) == ("task" if first == "todo" else first), (kind, path)


@pytest.mark.parametrize(
    ("path", "kind", "tier"),
    [
        ("MEMORY.md", "memory", "hot"),
        ("USER.md", "user-file", "hot"),
        ("SOUL.md", "identity", "warm"),
        ("IDENTITY.md", "identity", "warm"),
        ("HEARTBEAT.md", "reminder", "warm"),
        ("todos.md", "task", "warm"),
        ("DREAMS.md", "dream", "cold"),
        ("memory/2026-03-01.md", "day", "cold"),
        ("memory/2026-03-01-router.md", "day", "cold"),
        ("memory/router-2026-03-01.md", "day", "cold"),
        ("memory/日记/2026年3月1日.md", "day", "cold"),
        ("日记/2026年3月1日 路由器.md", "day", "cold"),
        ("memory/2026/03/01.md", "day", "cold"),
        ("journal/2026-03-01.md", "day", "cold"),
        ("memory/archive/2026/03/2026-03-01.md", "day", "cold"),
        ("memory/archive/old.md", "note", "cold"),
        ("memory/working-buffer.md", "buffer", "buffer"),
        ("memory/user/name.md", "user", "warm"),
        ("memory/reference/api-2026-03-01.md", "reference", "warm"),
        ("memory/user/INDEX.md", "index", "warm"),
        ("memory/semantic/infrastructure.md", "infrastructure", "warm"),
        ("memory/procedural/lessons-learned.md", "lesson", "warm"),
        ("memory/procedural/docker.md", "howto", "warm"),
        ("memory/palace/timeline.md", "palace", "cold"),
        ("memory/dreaming/verify/2026-03-01.md", "report", "cold"),
        ("memory/dreaming/light/2026-03-01.md", "note", "cold"),
        ("brain/areas/acme/summary.md", "entity", "warm"),
        ("brain/areas/acme/items.json", "entity", "warm"),
        ("knowledge/project-tracker.md", "status", "warm"),
        ("agents/ann/MEMORY.md", "memory", "warm"),
        ("agents/ann/memory/2026-03-01.md", "day", "cold"),
        ("agents/ann/memory/user/name.md", "user", "warm"),
        ("research/2026-03-01-router.md", "note", "warm"),
        ("memory/2026-02-30.md", "note", "warm"),
        ("memory/anything.md", "note", "warm"),
        ("memory/project.mneme", "note", "warm"),
    ],
)
def test_kind_and_tier_come_from_the_place(path: str, kind: str, tier: str) -> None:
    """Every place of the default layout, nested ones, and names in other scripts."""
    layout = named("default")
    assert (layout.kind_of(path), layout.tier_of(path)) == (kind, tier)


def test_v4_has_its_own_tiers() -> None:
    """MEMORY.md alone is hot; semantic and procedural are warm, episodic and archive cold."""
    v4 = named("v4")
    wanted = {
        "MEMORY.md": "hot",
        "USER.md": "warm",
        "memory/semantic/decisions.md": "warm",
        "memory/procedural/x.md": "warm",
        "memory/episodic/2026-03-01.md": "cold",
        "memory/archive/2026/01/2026-01-01.md": "cold",
        "memory/working-buffer.md": "buffer",
    }
    assert {path: v4.tier_of(path) for path in wanted} == wanted
    assert v4.is_tagged("memory/semantic/decisions.md")
    assert not v4.is_tagged("memory/episodic/2026-03-01.md")
    assert not named("never-forget").is_tagged("memory/semantic/decisions.md")


def test_paths_of_days() -> None:
    """A day's note, where it goes in the archive, and the report of a day."""
    v4, default = named("v4"), named("default")
    assert (v4.day_path(DAY_OF), default.day_path("2026-03-01")) == (
        "memory/episodic/2026-03-01.md",
        "memory/2026-03-01.md",
    )
    assert v4.archive_path("memory/episodic/2026-03-01-x.md", DAY_OF) == "memory/archive/2026/03/2026-03-01-x.md"
    assert default.report_path(DAY_OF) == "memory/dreaming/verify/2026-03-01.md"
    assert default.find_day("memory/2026-03-01-x.md") is not None
    assert default.find_day("memory/dreaming/verify/2026-03-01.md") is None
    assert default.is_archived("memory/archive/2026/03/2026-03-01.md")
    assert entity_of("brain/areas/acme/items.json") == "acme"


def test_classified_memories() -> None:
    """Those in a class folder, nested ones too; an index and a manual are none."""
    layout = named("never-forget")
    assert layout.class_folders == {name: f"memory/{name}/" for name in ("user", "feedback", "project", "reference")}
    assert layout.is_classified("memory/user/name.md")
    assert layout.is_classified("agents/ann/memory/feedback/x.md")
    assert not layout.is_classified("memory/user/INDEX.md")
    assert not layout.is_classified("memory/x.md")
    assert not named("v4").is_classified("memory/user/name.md")


def test_v4_s_vocabulary_is_frozen() -> None:
    """Thirty-seven tags in five groups; other layouts but the default leave tags free."""
    v4 = named("v4")
    assert [(group, len(tags)) for group, tags in v4.tags.items()] == [
        ("infrastructure", 16),
        ("preferences", 5),
        ("projects", 4),
        ("procedural", 8),
        ("lessons", 4),
    ]
    assert len(v4.vocabulary) == len(list(chain(*v4.tags.values()))) == 37
    assert named("default").vocabulary == v4.vocabulary
    assert not named("never-forget").vocabulary


def test_what_only_some_profiles_do() -> None:
    """v4 commits and holds its nine checks for errors; protocol's day has sections; regions are chosen."""
    assert [name for name in PROFILES if named(name).commit] == ["v4"]
    assert set(named("v4").severities.items()) == {(rule, "error") for rule in V4_ERRORS}
    assert not named("default").severities
    assert named("protocol").day_sections[0] == "What happened"
    assert named("default").regions == {"index", "promoted", "summary", "palace"}
    assert named("v4").regions == set()


# Settings


def test_every_entry_is_a_setting() -> None:
    """Whatever a table says, `mneme.toml` may say otherwise, and nothing else changes."""
    layout = made(
        """
        profile = "v4"
        commit = false
        regions = ["index"]
        [homes]
        decision = "memory/choices.md"
        task = "todos"
        fact = "cells"
        [places]
        todos = "work/todos.md"
        day = "days/{date}.md"
        [budgets]
        memory_lines = 90
        [tags]
        projects = ["alpha", "beta"]
        lessons = []
        mine = ["gamma"]
        [rules]
        unknown-tag = "warn"
        [tiers]
        hot = ["memory/semantic/*"]
        cold = ["*"]
        """
    )
    plain = named("v4")
    assert (layout.commit, layout.regions) == (False, {"index"})
    assert layout.home_of("decision").path == "memory/choices.md"
    assert layout.home_of("task").path == "work/todos.md"
    assert layout.home_of("fact").form == CELLS
    assert layout.home_of("lesson") == plain.home_of("lesson")
    assert layout.day_path(DAY_OF) == layout.home_of("event").place(day=DAY_OF) == "days/2026-03-01.md"
    assert layout.kind_of("work/todos.md") == "task"
    assert layout.kind_of("memory/choices.md") == "decision"
    assert (layout.budgets.memory_lines, layout.budgets.memory_chars) == (90, 10_000)
    assert (layout.tags["projects"], layout.tags["mine"]) == (("alpha", "beta"), ("gamma",))
    assert "lessons" not in layout.tags
    assert {"alpha", "gamma", "docker"} <= layout.vocabulary
    assert "audit" not in layout.vocabulary
    assert layout.severities == plain.severities | {"unknown-tag": "warn"}
    assert layout.tier_of("memory/semantic/decisions.md") == "hot"
    assert layout.tier_of("memory/procedural/x.md") == "cold"


def test_the_budgets() -> None:
    """The numbers of the seeds."""
    budgets = named("default").budgets
    assert {one.name: getattr(budgets, one.name) for one in fields(budgets)} == {
        "memory_lines": 60,
        "memory_chars": 10_000,
        "index_line_chars": 150,
        "buffer_lines": 80,
        "buffer_idle_hours": 2,
        "open_questions": 5,
        "day_ttl_days": 30,
        "verified_days": 30,
        "working_days": 7,
    }


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            'profile = "v5"',
            "mneme.toml:1: 'profile' takes one of default, openclaw, v4, never-forget, protocol, cells, not 'v5'",
            "edit mneme.toml",
        ),
        (
            '\n[homes]\ndecison = "cells"',
            "mneme.toml:3: there is no setting 'homes.decison'",
            "the nearest is 'homes.decision'; edit mneme.toml",
        ),
        (
            '[homes]\ngoal = "../goals.md"',
            "mneme.toml:2: 'homes.goal' takes a path inside the workspace, not '../goals.md'",
            "edit mneme.toml",
        ),
        (
            '[homes]\ngoal = "goals/{year}.md"',
            "mneme.toml:2: 'homes.goal' does not know the field '{year}'",
            "edit mneme.toml",
        ),
        (
            '[places]\nday = "memory/today.md"',
            "mneme.toml:2: 'places.day' needs the field '{date}'",
            "edit mneme.toml",
        ),
        (
            '[places]\narchive = "/tmp/archive"',
            "mneme.toml:2: 'places.archive' takes a path inside the workspace, not '/tmp/archive'",
            "edit mneme.toml",
        ),
        (
            'regions = ["index", "all"]',
            "mneme.toml:1: 'regions' takes some of index, promoted, summary, palace, not 'all'",
            "edit mneme.toml",
        ),
        (
            "[budgets]\nbuffer_line = 8",
            "mneme.toml:2: there is no setting 'budgets.buffer_line'",
            "the nearest is 'budgets.buffer_lines'; edit mneme.toml",
        ),
        (
            "[budgets]\nbuffer_lines = -1",
            "mneme.toml:2: 'budgets.buffer_lines' takes a whole number of at least 0, not -1",
            "edit mneme.toml",
        ),
        ("[tags]\nmine = 'x'", "mneme.toml:2: 'tags.mine' takes a list of texts, not 'x'", "edit mneme.toml"),
    ],
)
def test_a_setting_that_does_not_fit(text: str, message: str, hint: str) -> None:
    """File and line, what the key takes, and the nearest key."""
    with pytest.raises(BadInputError) as caught:
        made(text)
    assert (caught.value.message, caught.value.hint) == (message, hint)


# Audience


def test_everything_is_private_until_a_glob_says_shared() -> None:
    """And then what the glob covers is shared."""
    assert named("default").audience_of("memory/semantic/infrastructure.md") == "private"
    layout = made('[audience]\nshared = ["memory/semantic/*"]')
    assert layout.audience_of("memory/semantic/infrastructure.md") == "shared"
    assert layout.audience_of("memory/procedural/x.md") == "private"


@pytest.mark.parametrize(
    "path",
    [
        *("MEMORY.md", "memory.md", "agents/ann/MEMORY.md", "MEMORY-old.md", "USER.md", "config/user.md"),
        *("memory/2026-03-01.md", "memory/2026-03-01-x.md", "memory/日记/2026年3月1日.md", "journal/2026-03-01.md"),
        *("memory/archive/2026/03/2026-03-01.md", "memory/episodic/2026-03-01.md", "memory/working-buffer.md"),
        *("agents/ann/memory/working-buffer.md", "sessions/a.md", "logs/session.jsonl", "memory/../MEMORY.md"),
    ],
)
@pytest.mark.parametrize("profile", PROFILES)
def test_a_glob_never_shares_what_is_personal(path: str, profile: str) -> None:
    """MEMORY.md, USER.md, days' notes, the buffer and transcripts, under every profile and however they are spelt."""
    layout = made(f'profile = "{profile}"\n[audience]\nshared = ["*", "{path}", "MEMORY.md"]')
    assert layout.audience_of(path) == "private"


def test_a_moved_place_stays_private() -> None:
    """The files that settings call memory, user and buffer are as personal there."""
    text = '[places]\nmemory = "a.md"\nuser = "b.md"\nbuffer = "c.md"\nday = "d/{date}x.md"\n[audience]\nshared = ["*"]'
    layout = made(text)
    assert {layout.audience_of(path) for path in ("a.md", "b.md", "c.md", "d/2026-03-01x.md")} == {"private"}
    assert layout.audience_of("e.md") == "shared"


@given(path=PATHS, profile=st.sampled_from(PROFILES))
def test_every_path_has_an_answer(path: str, profile: str) -> None:
    """No path makes a lookup fail, and without a glob nothing is shared."""
    layout = named(profile)
    assert layout.tier_of(path) in TIERS
    assert layout.kind_of(path)
    assert layout.audience_of(path) == "private"
    assert isinstance(layout.is_day(path), bool)


def test_all_kinds_have_a_home_in_the_union() -> None:
    """The default profile takes whatever any layout takes."""
    assert set(named("default").homes) == set(KINDS)
