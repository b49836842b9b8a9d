"""Turns through the home: what hooks tell, and what is kept of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mneme.engine.home import Home

SESSION = "6b1d"


def rows(home: Home, name: str) -> list[dict[str, object]]:
    """Return the rows of a file of the home."""
    place = home.root / name
    return [json.loads(line) for line in place.read_text().splitlines()] if place.exists() else []


def turn(home: Home, prompt: str, *uses: tuple[str, dict[str, object], str | None], session: str = SESSION) -> object:
    """Tell one whole turn as a host would."""
    home.keep_prompt(prompt, session=session, prompt_id="p1")
    for tool, given, error in uses:
        home.keep_tool_use(tool, session=session, prompt_id="p1", given=given, error=error)
    return home.finish_turn(session=session)


def test_a_turn_that_worked_is_one_workflow_with_all_its_steps(home: Home) -> None:
    """The prompt of the session is joined with its tools: no row has an empty situation or a single step of many."""
    turn(
        home,
        "ship the site",
        ("Bash", {"command": "npm run build"}, None),
        ("Bash", {"command": "rsync -a dist/ web:"}, None),
    )
    (row,) = rows(home, "procedural.jsonl")
    assert row["situation"] == "ship the site"
    assert row["sequence"] == ["Bash", "Bash"]
    assert row["outcome"] == "success"
    assert row["steps"] == [
        {"tool": "Bash", "input": {"command": "npm run build"}},
        {"tool": "Bash", "input": {"command": "rsync -a dist/ web:"}},
    ]
    assert str(row["timestamp"]).startswith("2026-01-31T12:00:")


def test_a_failure_told_late_is_one(home: Home) -> None:
    """A host that says how a command ended when the turn is over is believed, for the calls that it names."""
    home.keep_prompt("tidy up", session=SESSION)
    for call in ("c1", "c2", "c3"):
        home.keep_tool_use("Bash", session=SESSION, given={"command": f"step {call}"}, call=call)
    done = home.finish_turn(session=SESSION, failed=lambda: {"c2": "Exit code 3\nno room", "c9": "Exit code 1"})
    assert [step.ok for step in done.workflows[0].steps] == [True, False, True]
    (failure,) = rows(home, "failures.log")
    assert (failure["exit_code"], failure["error"]) == (3, "Exit code 3\nno room")


def test_a_failure_is_kept_with_its_exit_code_and_leaves_a_lesson(home: Home) -> None:
    """The code is parsed from the host's error, and what worked afterwards is part of the lesson."""
    error = "Exit code 127\nzsh: command not found: pnpm"
    done = turn(
        home, "build it", ("Bash", {"command": "pnpm build"}, error), ("Bash", {"command": "npm run build"}, None)
    )
    (failure,) = rows(home, "failures.log")
    assert (failure["exit_code"], failure["tool"], failure["prompt"]) == (127, "Bash", "build it")
    (lesson,) = rows(home, "reflections.jsonl")
    assert (
        lesson["lesson"] == "Bash failed with exit code 127: zsh: command not found: pnpm; what worked: npm run build"
    )
    assert rows(home, "procedural.jsonl")[0]["steps"][0]["ok"] is False  # type: ignore[index]
    assert len(done.failures) == len(done.reflections) == 1  # type: ignore[attr-defined]


def test_a_turn_in_which_nothing_worked_is_no_workflow(home: Home) -> None:
    """Only its failures are kept."""
    turn(home, "build it", ("Bash", {"command": "make"}, "Exit code 2\nmake: *** no rule"))
    assert rows(home, "procedural.jsonl") == []
    assert rows(home, "failures.log")[0]["exit_code"] == 2


def test_a_turn_that_ended_in_a_failure_worked_in_part(home: Home) -> None:
    """The last use of a tool decides."""
    turn(home, "look", ("Read", {"file_path": "a"}, None), ("Bash", {"command": "false"}, "Exit code 1"))
    assert rows(home, "procedural.jsonl")[0]["outcome"] == "partial"


def test_what_recurs_is_counted_and_not_written_twice(home: Home) -> None:
    """The same tools in the same situation give a short row that names the first."""
    for _ in range(3):
        turn(home, "ship the site", ("Bash", {"command": "npm run build"}, None))
    first, second, third = rows(home, "procedural.jsonl")
    assert second["again"] == third["again"]
    assert "steps" not in second
    from mneme.memory.skills.rows import load_rows

    (merged,) = load_rows(home.root).workflows
    assert (merged.count, merged.at, merged.last) == (3, first["timestamp"], third["timestamp"])
    assert merged.steps[0].given == {"command": "npm run build"}


def test_other_tools_in_the_same_situation_are_another_workflow(home: Home) -> None:
    """Two ways to do one thing are both kept."""
    turn(home, "ship the site", ("Bash", {}, None))
    turn(home, "ship the site", ("Bash", {}, None), ("Write", {}, None))
    assert [row.get("again") for row in rows(home, "procedural.jsonl")] == [None, None]


def test_secrets_never_reach_the_home(home: Home) -> None:
    """Neither in commands, nor under names that say secret, nor in prompts and errors."""
    token = "ghp_" + "a1B2c3D4e5" * 4
    turn(
        home,
        f"use {token}",
        ("Bash", {"command": f"curl -H 'Authorization: Bearer {token}' --password hunter2! x", "api_key": "k3y"}, None),
        ("Bash", {"command": "x"}, f"Exit code 1\nbad token {token}"),
    )
    kept = "".join(place.read_text() for place in home.root.rglob("*") if place.is_file() and place.suffix != ".sqlite")
    assert "[secret]" in kept
    for secret in (token, "hunter2!", "k3y"):
        assert secret not in kept


def test_a_subagent_does_not_pollute_the_session(home: Home) -> None:
    """What carries an agent's id is left out, its end included."""
    home.keep_prompt("main", session=SESSION)
    home.keep_tool_use("Read", session=SESSION, given={"file_path": "a"})
    home.keep_tool_use("Bash", session=SESSION, given={"command": "rm"}, error="Exit code 1", agent="a7")
    assert home.finish_turn(session=SESSION, agent="a7").workflows == ()
    home.finish_turn(session=SESSION)
    assert rows(home, "procedural.jsonl")[0]["sequence"] == ["Read"]
    assert rows(home, "failures.log") == []


def test_what_the_user_interrupted_is_no_failure(home: Home) -> None:
    """A person who stops a tool teaches nothing about it."""
    home.keep_prompt("main", session=SESSION)
    home.keep_tool_use("Bash", session=SESSION, error="interrupted by user", interrupted=True)
    home.finish_turn(session=SESSION)
    assert rows(home, "failures.log") == []


def test_two_sessions_do_not_mix(home: Home) -> None:
    """Each has its own turn, and one that was cut off is kept with the next end of its session."""
    home.keep_prompt("one", session="a", prompt_id="1")
    home.keep_tool_use("Read", session="a", prompt_id="1")
    home.keep_prompt("two", session="b")
    home.keep_tool_use("Grep", session="b")
    home.keep_prompt("three", session="a", prompt_id="3")
    home.keep_tool_use("Bash", session="a", prompt_id="3")
    home.keep_tool_use("Glob", session="a", prompt_id="1")  # late: it belongs to the first prompt
    home.finish_turn(session="a")
    assert [(row["situation"], row["sequence"]) for row in rows(home, "procedural.jsonl")] == [
        ("one", ["Read", "Glob"]),
        ("three", ["Bash"]),
    ]


def test_a_turn_ends_once(home: Home) -> None:
    """A second end finds nothing."""
    turn(home, "x", ("Read", {}, None))
    assert home.finish_turn(session=SESSION).workflows == ()
    assert len(rows(home, "procedural.jsonl")) == 1


def test_a_failure_that_recurs_is_proposed_once(home: Home) -> None:
    """Three times the same words, whatever the numbers in them; the proposal is told apart from then on."""
    proposed: list[tuple[str, str, str]] = []

    def propose(kind: str, text: str, *, why: str, sources: object) -> str:
        del sources
        proposed.append((kind, text, why))
        return "PROP-0001"

    for number in range(5):
        home.keep_prompt(f"build {number}", session=SESSION)
        home.keep_tool_use("Bash", session=SESSION, error=f"Exit code 137\nkilled after {number} s: out of memory")
        home.finish_turn(session=SESSION, propose=propose)
    ((kind, text, why),) = proposed
    assert kind == "gotcha"
    assert text.startswith("Bash failed with exit code 137: killed after")
    assert "3 times" in why


def test_an_outcome_that_says_all_about_itself(home: Home) -> None:
    """The old contract: prompt and exit code in one payload."""
    home.keep_outcome("Bash", prompt="p" * 600)
    home.keep_outcome("Bash", prompt="q", exit_code=3, error="boom")
    assert [row["sequence"] for row in rows(home, "procedural.jsonl")] == [["Bash"]]
    assert len(str(rows(home, "procedural.jsonl")[0]["situation"])) == 500
    assert (rows(home, "failures.log")[0]["exit_code"], rows(home, "failures.log")[0]["error"]) == (3, "boom")


def test_reading_asks_for_nothing_to_be_there(home: Home) -> None:
    """A home that does not exist has no block, and asking makes none."""
    assert home.capability_block("take a screenshot") == ""
    assert not home.root.exists()


def test_a_broken_line_hides_no_other(home: Home) -> None:
    """Torn, foreign and wrong lines are problems with their place."""
    from mneme.memory.skills.rows import load_rows

    turn(home, "x", ("Read", {}, None))
    with (home.root / "procedural.jsonl").open("a") as file:
        file.write('{"situation": 3, "sequence": []}\nnot json\n[1]\n{"situation": "y", "sequence": ["Bash"]}\n')
    loaded = load_rows(home.root)
    assert [one.situation for one in loaded.workflows] == ["x", "y"]
    assert [problem.line for problem in loaded.problems] == [2, 3, 4]
