"""The store as we left it: read without a second look at each field, and only what changed is printed anew.

A store that is, byte for byte, what a night of ours printed holds nothing that needs to be put in order. Of its entries
those that a night leaves alone keep the very text that they have, so that a night costs what it changed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mneme.consolidate.dream.entry import Entries, Entry, print_head, print_one

if TYPE_CHECKING:
    from collections.abc import Mapping

_BETWEEN, _END = "\n    },\n", "\n    }\n  }\n}\n"


def parse_kept(content: bytes) -> Entries:
    """Read a store that `print_kept` has printed."""
    text = content.decode("utf-8")
    tree = json.loads(text)
    found = {key: _entry(value) for key, value in tree["entries"].items()}
    _, _, body = text.partition('"entries": {\n')
    blocks = body.removesuffix(_END).split(_BETWEEN) if found else []
    printed = {key: (entry, block) for (key, entry), block in zip(found.items(), blocks, strict=True)}
    return Entries(found, tree["updatedAt"], printed=printed)


def print_kept(entries: Entries) -> bytes:
    """Return the store's file; what is still as it was read is not laid out again."""
    blocks = []
    for key, entry in entries.by_key.items():
        known = entries.printed.get(key)
        blocks.append(known[1] if known is not None and known[0] is entry else print_one(key, entry))
    body = f"{_BETWEEN.join(blocks)}{_END}" if blocks else "}\n}\n"
    return f"{print_head(entries.updated_at, empty=not blocks)}{body}".encode("utf-8", "backslashreplace")


def _entry(value: Mapping[str, Any]) -> Entry:
    return Entry(
        value["key"],
        value["path"],
        value["startLine"],
        value["endLine"],
        value["snippet"],
        value["recallCount"],
        value["dailyCount"],
        value["groundedCount"],
        float(value["totalScore"]),
        float(value["maxScore"]),
        value["firstRecalledAt"],
        value["lastRecalledAt"],
        tuple(value["queryHashes"]),
        tuple(value["recallDays"]),
        tuple(value["conceptTags"]),
        value.get("claimHash", ""),
        value.get("promotedAt", ""),
    )
