"""Making a workspace where there is none, and adopting a folder of memory as it stands.

`init` adds the files of a profile that are missing and trusts the folder; `adopt` adds its settings and nothing else,
and says what it found. Neither changes a byte of a file that is there, and both can be undone.
"""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mneme import files
from mneme.engine.memory import Memory
from mneme.engine.survey import Survey, survey_memory
from mneme.errors import BadInputError, NotFoundError
from mneme.profiles import (
    PROFILES,
    SUFFIXES,
    Detection,
    MemoryFiles,
    Template,
    detect,
    odd_places,
    profile_of,
    select_memory,
    settings_text,
    templates_of,
)
from mneme.settings import FILE_NAME, Settings, parse_settings
from mneme.workspace import CELL_SUFFIXES, Workspace, given_folder, open_workspace, set_trust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from mneme.engine.results import Done

_KEPT_FOLDER = "/.gitkeep"


@dataclass(frozen=True, slots=True)
class Layout:
    """How a folder is laid out: its profile, why, what its `mneme.toml` would say, and what memory is in it."""

    profile: str
    why: str
    text: str
    places: dict[str, str]
    detection: Detection
    workspace: Workspace
    found: MemoryFiles


@dataclass(frozen=True, slots=True)
class Adoption:
    """What `adopt` did: the layout it saw, what it found, and the plan that added the settings."""

    root: Path
    layout: Layout
    survey: Survey
    done: Done
    trusted: bool

    def as_json(self) -> dict[str, object]:
        """Return the report's JSON form, problems excepted."""
        layout = self.layout
        return {
            "workspace": str(self.root),
            "profile": layout.profile,
            "why": layout.why,
            "scores": dict(layout.detection.scores),
            "marks": [[reason.profile, reason.path, reason.points] for reason in layout.detection.reasons],
            "places": layout.places,
            "found": self.survey.as_json(),
            "trusted": self.trusted,
            "plan": self.done.n,
            "paths": list(self.done.paths),
            "diff": self.done.diff,
        }


def init_workspace(
    asked: str | None, *, now: Callable[[], datetime], profile: str | None = None, dry_run: bool = False
) -> tuple[Path, Done]:
    """Make a workspace in the folder that is meant, adding only what its profile misses, and trust it."""
    root = _folder(asked, "init")
    memory = Memory(open_workspace(root), now)
    layout = _layout(memory.workspace, profile)
    with memory.writing("init", dry_run=dry_run):
        wanted = _missing(layout)
        changes = tuple(files.plan_create(one.path, one.content(now()), "a new workspace") for one in wanted)
        made = Memory(layout.workspace, now)  # with the settings that are being made, a commit among them
        done = made.apply(files.Plan("init", changes, layout.profile), dry_run=dry_run)
    if not dry_run:
        set_trust(root, trusted=True)
    return root, done


def adopt_workspace(
    asked: str | None,
    *,
    now: Callable[[], datetime],
    profile: str | None = None,
    trust: bool = False,
    dry_run: bool = False,
) -> Adoption:
    """Make a workspace of a folder of memory, adding its settings and nothing else, and say what is in it."""
    root = _folder(asked, "adopt")
    if not root.is_dir():
        message = f"there is no folder '{root}'"
        raise NotFoundError(message, f"mneme init --workspace {asked}")
    memory = Memory(open_workspace(root), now)
    layout = _layout(memory.workspace, profile)
    adopted = Memory(layout.workspace, now)
    survey = survey_memory(adopted, layout.found)
    with memory.writing("adopt", dry_run=dry_run):
        missing = not os.path.lexists(root / FILE_NAME)
        changes = (files.plan_create(FILE_NAME, layout.text.encode(), "a folder of memory"),) if missing else ()
        done = adopted.apply(files.Plan("adopt", changes, layout.profile), dry_run=dry_run)
    if trust and not dry_run:
        set_trust(root, trusted=True)
    return Adoption(root, layout, survey, done, trusted=memory.workspace.trusted or trust)


def _folder(asked: str | None, verb: str) -> Path:
    root = given_folder(asked) if asked else Path.cwd()
    if root.exists() and not root.is_dir():
        message = f"'{root}' is not a folder"
        raise BadInputError(message, f"mneme {verb} {'--workspace DIR' if verb == 'init' else 'DIR'}")
    return root


def _layout(workspace: Workspace, asked: str | None) -> Layout:
    """Return the layout of a folder: what its settings say, else what was asked for, else what its marks tell."""
    _check_name(asked)
    paths = list(workspace.walk(SUFFIXES))
    seen = detect(select_memory(paths, workspace.profile), _existence(workspace.root))
    if os.path.lexists(workspace.root / FILE_NAME):
        said = workspace.profile.name
        if asked not in (None, said):
            message = f"'{FILE_NAME}' says that the profile is '{said}'"
            raise BadInputError(message, f'edit {FILE_NAME}: profile = "{asked}"')
        found = select_memory(paths, workspace.profile)
        return Layout(said, f"{FILE_NAME} says so", "", {}, seen, workspace, found)
    name = asked or seen.profile
    usual = profile_of(Settings({"profile": name}))
    places = odd_places(usual, select_memory(paths, usual))
    text = settings_text(name, places)
    settled = replace(workspace, settings=parse_settings(text))
    settled.closed.extend(workspace.closed)
    found = select_memory(paths, settled.profile)
    return Layout(name, "you said so" if asked else seen.why, text, places, seen, settled, found)


def _check_name(asked: str | None) -> None:
    if asked is None or asked in PROFILES:
        return
    near = difflib.get_close_matches(asked, PROFILES, n=1)
    message = f"there is no profile '{asked}'; there are {', '.join(PROFILES)}"
    raise BadInputError(message, f"mneme init --profile {near[0] if near else 'default'}")


def _existence(root: Path) -> Callable[[str], bool]:
    def exists(path: str) -> bool:
        try:
            return (root / path).is_dir() if path.endswith("/") else (root / path).is_file()
        except OSError:
            return False

    return exists


def _missing(layout: Layout) -> Iterator[Template]:
    """Yield what a profile begins with and the folder has not: a file that lies elsewhere is there."""
    root, name = layout.workspace.root, layout.profile
    usual, places = profile_of(Settings({"profile": name})).places, layout.workspace.profile.places
    moved = {getattr(usual, one): getattr(places, one) for one in places.__slots__}
    for template in templates_of(name):
        path = moved.get(template.path, template.path)
        text = layout.text if path == FILE_NAME else template.text
        folder = path.removesuffix(_KEPT_FOLDER)
        has_cells = path.endswith(CELL_SUFFIXES) and bool(layout.found.cells)
        if not has_cells and not os.path.lexists(root / path) and not (folder != path and (root / folder).is_dir()):
            yield Template(path, text)
