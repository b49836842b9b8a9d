"""Addresses that memory names, asked whether they still answer: only with --online, and only for their heads.

Gone is what answers 404 or 410, and a host that no name server knows. A refusal, a fault of the server or a slow answer
proves nothing. Nothing is downloaded, no redirection is followed, and no more than a few are asked at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme.check.found import find, worded
from mneme.check.rule import with_severities
from mneme.formats.note import parse_note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from http.client import HTTPMessage
    from typing import IO
    from urllib.request import Request

    from mneme.errors import Problem

TIMEOUT_SECONDS = 8.0
AT_A_TIME = 8
MOST_ADDRESSES = 500
_GONE = {404: "404, not found", 410: "410, gone"}
_SCHEMES = ("http://", "https://")


def check_online(
    paths: Iterable[str], read: Callable[[str], str | None], severities: Mapping[str, str]
) -> list[Problem]:
    """Return the addresses of some notes that are gone, at each line that names one."""
    places: dict[str, list[tuple[str, int]]] = {}
    for path, address, line in _addresses(paths, read):
        places.setdefault(address, []).append((path, line))
    wanted = list(places)[:MOST_ADDRESSES]
    answers = _ask_all(wanted)
    found = [
        worded(path, find("gone-url", line, value=address, other=answers[address]))
        for address in wanted
        if answers[address]
        for path, line in places[address]
    ]
    return sorted(with_severities(found, severities))


def _addresses(paths: Iterable[str], read: Callable[[str], str | None]) -> Iterator[tuple[str, str, int]]:
    for path in paths:
        text = read(path)
        if text and "://" in text:
            for link in parse_note(text, path).links:
                if link.target.startswith(_SCHEMES):
                    yield path, link.target.partition("#")[0], link.line


def _ask_all(addresses: list[str]) -> dict[str, str]:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        return dict(zip(addresses, pool.map(why_gone, addresses), strict=True))


def why_gone(address: str) -> str:
    """Return what an address answers when it is gone, or nothing."""
    import socket
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class _NoRedirection(HTTPRedirectHandler):
        def redirect_request(
            self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
        ) -> None:
            """Follow nowhere: what redirects is there."""

    try:
        request = Request(address, method="HEAD", headers={"User-Agent": "mneme-check"})  # noqa: S310 - http alone
        with build_opener(_NoRedirection).open(request, timeout=TIMEOUT_SECONDS):
            return ""
    except HTTPError as error:
        with error:
            return _GONE.get(error.code, "")
    except URLError as error:
        unknown = isinstance(error.reason, socket.gaierror) and error.reason.errno == socket.EAI_NONAME
        return "nothing: there is no such host" if unknown else ""
    except (OSError, ValueError, HTTPException):
        return ""
