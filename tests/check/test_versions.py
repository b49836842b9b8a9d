"""Versions that a project asks for, and texts that name others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mneme.check.versions import find_outdated, project_versions

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder that says what it asks for."""
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nrequires-python = ">=3.11"\ndependencies = ["django~=5.1", "numpy"]\n'
    )
    (tmp_path / "package.json").write_text('{"engines": {"node": ">=20"}, "dependencies": {"react": "^18.2.0"}}')
    (tmp_path / "go.mod").write_text("module a\n\ngo 1.22\n")
    (tmp_path / "Dockerfile").write_text("FROM docker.io/library/postgres:16.2-alpine\n")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It runs on Python 3.9", ["Python"]),
        ("It runs on Python 3.12 and Node 22", []),
        ("The site uses Django 4.2", ["Django"]),
        ("The site uses Django 5.2", []),
        ("react@17.0.2 is pinned", ["react"]),
        ("Postgres 15 is the database", ["Postgres"]),
        ("Postgres 16 is the database", []),
        ("It used to run on Python 3.9", []),
        ("Chapter 3.9 of the book; port 8080; numpy 1.2", []),
    ],
)
def test_what_the_project_does_not_allow_is_told(project: Path, text: str, names: list[str]) -> None:
    """Bounds are kept to, the past may be told, and names that the project does not ask for mean nothing."""
    assert [one.name for one in find_outdated(text, project_versions(project))] == names


def test_files_that_cannot_be_read_ask_for_nothing(tmp_path: Path) -> None:
    """Broken or missing ones alike."""
    (tmp_path / "pyproject.toml").write_text("[project\n")
    (tmp_path / "package.json").write_text("[]")
    assert project_versions(tmp_path) == {}
