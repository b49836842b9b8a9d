"""Circles in a graph: each found once, none invented, none that is only a node's edge to itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mneme.check.graph import find_cycles


def test_each_knot_gives_one_circle() -> None:
    """Two separate circles are two; what leads into them or out of them belongs to neither."""
    edges = [("x", "a"), ("a", "b"), ("b", "a"), ("b", "y"), ("d", "e"), ("e", "f"), ("f", "d"), ("s", "s")]
    assert find_cycles(edges) == [["a", "b"], ["d", "e", "f"]]


def test_a_long_way_round_needs_no_recursion() -> None:
    """A circle of many nodes is found without running out of stack."""
    (circle,) = find_cycles([(f"{at:06d}", f"{(at + 1) % 50_000:06d}") for at in range(50_000)])
    assert len(circle) == 50_000


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=14))
def test_circles_are_real_and_complete(edges: list[tuple[str, str]]) -> None:
    """Every circle follows edges; a node lies on some knot exactly if it can reach itself through another."""
    ahead = {node: {end for start, end in edges if start == node != end} for node in "abcdef"}

    def reach(node: str) -> set[str]:
        seen: set[str] = set()
        todo = list(ahead[node])
        while todo:
            step = todo.pop()
            if step not in seen:
                seen.add(step)
                todo += ahead[step]
        return seen

    circles = find_cycles(edges)
    for circle in circles:
        assert all(end in ahead[start] for start, end in zip(circle, circle[1:] + circle[:1], strict=True))
    knots = {
        frozenset(other for other in reach(node) if node in reach(other)) for node in "abcdef" if node in reach(node)
    }
    assert len(circles) == len(knots)
