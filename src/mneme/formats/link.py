"""Links of a note: inline, by reference, wikilinks, autolinks and bare addresses.

Takes a text in which code and comments are blanked out, so that what is only shown as an example is no link. Each
link knows where it stands and where its target is written, so that a rename can rewrite the target alone. Whether
a target exists is for others to ask.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mneme.formats.span import Lines

INLINE, IMAGE, REFERENCE, WIKI, EMBED, ADDRESS = "inline", "image", "reference", "wiki", "embed", "address"

_WORDS = r"(?:[^\[\]\\\n]++|\\.|\n(?![ \t]*\n)|\[(?:[^\[\]\\\n]++|\\.)*+\])*+"
_DEST = r"(?:<(?P<angled>[^<>\n]*+)>|(?P<bare>(?:[^\s()<\\]|\\.)(?:[^\s()\\]++|\\.|\([^\s()]*+\))*+|(?=[ \t]*\))))"
_TITLE = r"""(?:[ \t\n]++(?:"[^"\n]*+"|'[^'\n]*+'|\([^()\n]*+\)))?"""
# An address ends at a space, a bracket or quote of any script, or a full-width mark.
_NOT_ADDRESS = r"\s<>\"`|\u3000-\u3003\u3008-\u3011\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uffef"
_LINK = re.compile(
    "|".join(
        (
            r"\\[\[\]<\\]",  # an escaped bracket begins nothing, and is passed over once
            r"\[\[(?P<wiki>[^\[\]|\n]++)(?:\|(?P<alias>[^\[\]\n]*+))?\]\]",
            rf"\[(?P<words>{_WORDS})\](?:\([ \t]*+{_DEST}{_TITLE}[ \t]*+\)|\[(?P<ref>[^\[\]\n]*+)\])?",
            r"<(?P<auto>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*+)>",
            rf"(?P<url>https?://[^{_NOT_ADDRESS}]++)",
        )
    )
)
_DEFINITION = re.compile(r"\n {0,3}\[(?P<label>[^\[\]\n]++)\]:[ \t]*+(?:<(?P<angled>[^<>\n]*+)>|(?P<bare>[^\s<]\S*+))")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]++:")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


@dataclass(frozen=True, slots=True)
class Link:
    """A link: its words, its target as written, and that target as a path and an anchor."""

    kind: str
    text: str
    target: str
    path: str
    anchor: str
    start: int
    end: int
    line: int
    target_start: int
    target_end: int

    @property
    def external(self) -> bool:
        """Return whether the target is an address with a scheme, not a file."""
        return _SCHEME.match(self.target) is not None


def parse_links(lines: Lines, prose: str) -> tuple[Link, ...]:
    """Read every link of a text in order; `prose` is its flat form with code and comments blanked out."""
    if "[" not in prose and "://" not in prose and "<" not in prose:
        return ()
    definitions = dict(_definitions(lines, prose)) if "]:" in prose else {}
    return tuple(_links(lines, prose, 0, len(prose), definitions))


def _definitions(lines: Lines, prose: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield each `[label]: target` with the span of its target, the first of a label last, so that it wins."""
    found = list(_DEFINITION.finditer("\n" + prose))
    for match in reversed(found):
        group = "bare" if match["angled"] is None else "angled"
        label = lines.text[match.start("label") - 1 : match.end("label") - 1]
        if not label.startswith("^"):
            yield _label(label), (match.start(group) - 1, match.end(group) - 1)


def _links(
    lines: Lines, prose: str, start: int, end: int, definitions: Mapping[str, tuple[int, int]]
) -> Iterator[Link]:
    for match in _LINK.finditer(prose, start, end):
        if match["wiki"] is not None:
            yield _wiki(lines, match)
        elif match["auto"] is not None or match["url"] is not None:
            yield _address(lines, match)
        elif match["words"] is not None:
            if "[" in match["words"]:
                yield from _links(lines, prose, match.start("words"), match.end("words"), definitions)
            link = _inline(lines, match) if _has_target(match) else _reference(lines, match, definitions)
            if link is not None:
                yield link


def _has_target(match: re.Match[str]) -> bool:
    return match["bare"] is not None or match["angled"] is not None


def _wiki(lines: Lines, match: re.Match[str]) -> Link:
    start, end = match.span("wiki")
    raw = lines.text[start:end]
    start += len(raw) - len(raw.lstrip())
    target = raw.strip()
    embedded = lines.flat[match.start() - 1 : match.start()] == "!"
    path, _, anchor = target.partition("#")
    words = match.span("alias") if match["alias"] else (start, start + len(target))
    return Link(
        EMBED if embedded else WIKI,
        lines.text[slice(*words)].strip(),
        target,
        path.strip(),
        anchor.strip(),
        match.start() - embedded,
        match.end(),
        lines.line_of(match.start()),
        start,
        start + len(target),
    )


def _address(lines: Lines, match: re.Match[str]) -> Link:
    group = "auto" if match["url"] is None else "url"
    start, end = match.span(group)
    if group == "url":
        end = start + len(_trim_address(match["url"]))
    target = lines.text[start:end]
    whole = match.span() if group == "auto" else (start, end)
    path, _, anchor = target.partition("#")
    return Link(ADDRESS, target, target, path, anchor, *whole, lines.line_of(start), start, end)


def _trim_address(url: str) -> str:
    """Drop the punctuation that ends a sentence, not an address; a closing bracket stays if it was opened."""
    end = len(url)
    spare = url.count(")") - url.count("(")
    while end and (url[end - 1] in ".,;:!?*_~']" or (url[end - 1] == ")" and spare > 0)):
        spare -= url[end - 1] == ")"
        end -= 1
    return url[:end]


def _inline(lines: Lines, match: re.Match[str]) -> Link:
    start, end = match.span("bare" if match["angled"] is None else "angled")
    return _to_file(lines, match, INLINE, (start, end))


def _reference(lines: Lines, match: re.Match[str], definitions: Mapping[str, tuple[int, int]]) -> Link | None:
    """Return the link of `[words][label]`, `[label][]` or `[label]`; None when the label is defined nowhere."""
    if not definitions:
        return None
    group = "ref" if match["ref"] else "words"
    span = definitions.get(_label(lines.text[slice(*match.span(group))]))
    is_definition = lines.flat[match.end() : match.end() + 1] == ":" and match["ref"] is None
    return None if span is None or is_definition else _to_file(lines, match, REFERENCE, span)


def _to_file(lines: Lines, match: re.Match[str], kind: str, span: tuple[int, int]) -> Link:
    image = lines.flat[match.start() - 1 : match.start()] == "!" and match.start() > 0
    target = lines.text[slice(*span)]
    plain = _ESCAPED.sub(r"\1", target) if "\\" in target else target
    path, _, anchor = plain.partition("#")
    return Link(
        IMAGE if image and kind == INLINE else kind,
        lines.text[slice(*match.span("words"))],
        target,
        unquote(path, errors="surrogateescape"),
        unquote(anchor, errors="surrogateescape"),
        match.start() - image,
        match.end(),
        lines.line_of(match.start()),
        *span,
    )


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()
