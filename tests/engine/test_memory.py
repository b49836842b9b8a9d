"""The table of verbs: every name leads to a function, and the typed view of the class names the same ones."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module

import pytest

from mneme.engine import memory as module
from mneme.engine.memory import VERBS, Memory


def _typed_names() -> dict[str, str]:
    """Return the verbs that the class shows to a type checker, each with its module."""
    tree = ast.parse(inspect.getsource(module))
    body = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Memory").body
    block = next(node for node in body if isinstance(node, ast.If))
    assigned = [node for node in block.body if isinstance(node, ast.Assign)]
    return {node.targets[0].id: node.value.value.id.removeprefix("in_") for node in assigned}


def test_the_table_and_the_typed_class_agree() -> None:
    """A verb that is in one of the two is in the other, in the same module."""
    assert _typed_names() == VERBS
    assert list(VERBS) == sorted(VERBS)


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_is_a_function_of_a_memory(name: str) -> None:
    """Each verb can be imported, and takes the memory first."""
    inner = import_module(f"mneme.engine.{VERBS[name]}")
    function = getattr(inner, "list_records" if name == "list" else name)
    assert next(iter(inspect.signature(function).parameters)) == "memory"


def test_an_unknown_verb_is_no_attribute() -> None:
    """A name that is not in the table is refused as any other attribute would be."""
    with pytest.raises(AttributeError, match="no attribute 'remeber'"):
        _ = Memory.remeber
