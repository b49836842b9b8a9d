"""The shape an answer must have: the part of JSON Schema that questions to a model need, and what breaks it.

Known: `type`, `properties`, `required`, `items`, `enum`, `maxItems`, `minLength`, `maxLength`, `minimum`, `maximum`. An
object may hold no key that was not asked for: what a model adds of its own accord is dropped nowhere, it is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


def shape_faults(value: object, schema: Mapping[str, Any], at: str = "answer") -> Iterator[str]:
    """Yield what is wrong with a value, each with its place."""
    wanted = schema.get("type")
    if wanted and not _is(value, str(wanted)):
        yield f"{at} is no {wanted}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at} is none of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, dict):
        yield from _object_faults(value, schema, at)
    elif isinstance(value, list):
        if len(value) > schema.get("maxItems", len(value)):
            yield f"{at} has {len(value)} items; {schema['maxItems']} are the most"
        for place, item in enumerate(value):
            yield from shape_faults(item, schema.get("items", {}), f"{at}[{place}]")
    elif isinstance(value, str):
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
            yield f"{at} has {len(value)} characters"
    elif isinstance(value, int | float) and not (schema.get("minimum", value) <= value <= schema.get("maximum", value)):
        yield f"{at} is out of range"


def _is(value: object, wanted: str) -> bool:
    if isinstance(value, bool):
        return wanted == "boolean"
    return isinstance(value, _TYPES[wanted])


def _object_faults(value: Mapping[str, object], schema: Mapping[str, Any], at: str) -> Iterator[str]:
    known: Mapping[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at} lacks '{name}'"
    for name, item in value.items():
        if name in known:
            yield from shape_faults(item, known[name], f"{at}.{name}")
        else:
            yield f"{at} has '{name}', which was not asked for"
