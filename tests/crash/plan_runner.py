"""Plans that no verb of the command line makes yet, applied through the one writer: `plan_runner.py mixed|undo|log`.

The mixed plan does everything a plan can do to files at once: it creates one in folders that are not there, edits
two, one of them by so much that its text lies beside the journal's record, moves one with an edit, removes one.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

from mneme import cli, files
from mneme.errors import MnemeError

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ROOT = Path.cwd()
LONG = b"a line of a long note that comes again and again\n" * 500

BEFORE = {
    "notes/short.md": b"one\ntwo\nthree\n",
    "notes/long.md": LONG,
    "inbox/moved.md": b"to be moved\nand edited\n",
    "old.md": b"to be removed\n",
    "bystander.md": b"not part of the plan\n",
}


def plan_mixed() -> files.Plan:
    """Return the plan."""
    changes = (
        files.plan_create("archive/2026/01/new.md", b"made by the plan\n"),
        files.plan_edit("notes/short.md", BEFORE["notes/short.md"], [files.Edit(4, 7, b"zwei")]),
        files.plan_edit("notes/long.md", LONG, [files.Edit(0, len(LONG), LONG.upper())]),
        files.plan_move("inbox/moved.md", BEFORE["inbox/moved.md"], "archive/moved.md", [files.Edit(0, 2, b"was")]),
        files.plan_remove("old.md", BEFORE["old.md"]),
    )
    return files.Plan("mixed", changes, "everything at once", prune=("inbox",))


def main(verb: str) -> int:
    """Run one verb, as the command line would."""
    cli._heed_termination()
    try:
        if verb == "mixed":
            files.apply(ROOT, plan_mixed(), now=NOW)
        elif verb == "undo":
            files.recover(ROOT)
            files.apply(ROOT, files.plan_undo(ROOT, files.last_to_undo(ROOT)), now=NOW)
        else:
            files.recover(ROOT)
            sys.stdout.writelines(f"{entry.n} {entry.verb} {entry.paths}\n" for entry in files.journal.entries(ROOT))
    except MnemeError as error:
        sys.stderr.write(f"mneme: {error.message}\n")
        return error.exit_code
    except cli.Terminated:
        sys.stderr.write("mneme: terminated\n")
        return 143
    except KeyboardInterrupt:
        sys.stderr.write("mneme: interrupted\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
