"""Who may ask the resident engine over HTTP: whoever has the token, which lies in a file that its owner alone may read."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from mneme.files.outside import kept_secret
from mneme.workspace import token_file

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["access_token", "token_file"]

_TOKEN_BYTES = 32


def access_token() -> tuple[Path, str]:
    """Return where the token lies and what it is; the first one to ask makes it."""
    place = token_file()
    return place, kept_secret(place, secrets.token_urlsafe(_TOKEN_BYTES))
