"""Circles in a directed graph, found in time that grows with its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def find_cycles(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return one circle for each knot of nodes that reach each other; a node's edge to itself is none.

    A circle lists its nodes in the order of the edges and begins with the smallest name.
    """
    ahead: dict[str, list[str]] = {}
    for start, end in edges:
        if start != end:
            ahead.setdefault(start, []).append(end)
    knots = _knots(ahead) if ahead else []
    return sorted(_circle(knot, ahead) for knot in knots if len(knot) > 1)


def _knots(ahead: dict[str, list[str]]) -> list[list[str]]:
    """Return the strongly connected parts of a graph (Tarjan's algorithm, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    open_nodes: set[str] = set()
    knots: list[list[str]] = []
    for root in ahead:
        if root in order:
            continue
        path: list[tuple[str, Iterator[str]]] = []
        _enter(root, ahead, order, low, stack, open_nodes, path)
        while path:
            node, following = path[-1]
            step = next((each for each in following if each not in order or each in open_nodes), None)
            if step is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    knots.append(_taken(stack, open_nodes, node))
            elif step in order:
                low[node] = min(low[node], order[step])
            else:
                _enter(step, ahead, order, low, stack, open_nodes, path)
    return knots


def _enter(
    node: str,
    ahead: dict[str, list[str]],
    order: dict[str, int],
    low: dict[str, int],
    stack: list[str],
    open_nodes: set[str],
    path: list[tuple[str, Iterator[str]]],
) -> None:
    order[node] = low[node] = len(order)
    stack.append(node)
    open_nodes.add(node)
    path.append((node, iter(ahead.get(node, ()))))


def _taken(stack: list[str], open_nodes: set[str], node: str) -> list[str]:
    at = len(stack) - 1
    while stack[at] != node:
        at -= 1
    knot = stack[at:]
    del stack[at:]
    open_nodes.difference_update(knot)
    return knot


def _circle(knot: list[str], ahead: dict[str, list[str]]) -> list[str]:
    """Return the shortest way from the smallest node of a knot back to itself."""
    first, inside = min(knot), set(knot)
    came_from: dict[str, str] = {}
    edge = [first]
    while edge:
        following = []
        for node in edge:
            for step in ahead.get(node, ()):
                if step == first:
                    return _way_back(node, first, came_from)
                if step in inside and step not in came_from:
                    came_from[step] = node
                    following.append(step)
        edge = following
    return sorted(knot)


def _way_back(node: str, first: str, came_from: dict[str, str]) -> list[str]:
    way = [node]
    while way[-1] != first:
        way.append(came_from[way[-1]])
    return way[::-1]
