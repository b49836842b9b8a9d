"""A workflow as a shell script: what was run, in order, to be read and run again by a person or an agent.

Commands stand as they were run; the uses of other tools stand between them as comments, with what they were given. A
secret that was masked becomes a variable, and the script stops at once where that is not set.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from mneme.check.mask import CUT, MASK

if TYPE_CHECKING:
    from mneme.formats.outcome import Step, Workflow

_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def print_script(workflow: Workflow) -> str:
    """Return a workflow as a script."""
    times = f"worked {workflow.count} times, last " if workflow.count > 1 else "worked "
    lines = [
        "#!/bin/sh",
        f"# {_one_line(workflow.situation)}",
        f"# {times}{workflow.last or workflow.at}",
        "set -eu",
        "",
    ]
    secrets = 0
    for number, step in enumerate((one for one in workflow.steps if one.ok), 1):
        text, secrets = _step(step, number, secrets)
        lines += [text, ""]
    if not workflow.steps:
        lines += [f"# {' -> '.join(map(_one_line, workflow.sequence))} (what they were given was not kept)", ""]
    return "\n".join(lines)


def _step(step: Step, number: int, secrets: int) -> tuple[str, int]:
    given = step.given or {}
    command = given.get("command") or given.get("cmd")
    if not isinstance(command, str) or not command.strip():
        said = json.dumps(given, ensure_ascii=False)
        return f"# {number}. {_one_line(step.tool)} {_one_line(said)}", secrets
    text = _UNSEEN.sub("", command)
    if CUT in text[-1:]:
        return f"# {number}. {_one_line(step.tool)}, cut short: {_one_line(text)}", secrets
    while MASK in text:
        secrets += 1
        text = text.replace(MASK, f"${{SECRET_{secrets}:?}}", 1)
    return f"# {number}. {_one_line(step.tool)}\n{text}", secrets


def _one_line(text: str) -> str:
    return " ".join(_UNSEEN.sub(" ", text).split())
