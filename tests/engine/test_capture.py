"""What was said lately becomes proposals: once, with its words and place, and never what a program said."""

from __future__ import annotations

import json
import sys
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest

from mneme.engine.memory import Memory
from mneme.errors import BadInputError, RefusedError
from mneme.settings import parse_settings
from mneme.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOTE = """# 2026-01-05

- 09:00 **Decision:** SQLite for the cache, because JSON lost writes
- 09:10 Lesson: the importer fails when paths are not UTF-8
- [ ] Rotate the signing key
- 10:00 looked at logs for a while
- 11:00 remembered [Tabs](user/tabs.md)
"""


def memory_of(root: Path, profile: str = "default", more: str = "", *, trusted: bool = True) -> Memory:
    """Return the memory of a workspace with a note of today."""
    (root / "memory").mkdir(exist_ok=True)
    (root / "memory/2026-01-05.md").write_text(NOTE)
    settings = parse_settings(f'profile = "{profile}"\n{more}')
    return Memory(Workspace(root, settings, trusted=trusted), lambda: datetime(2026, 1, 5, 12, tzinfo=UTC))


def log_of(root: Path, *said: str, cwd: str = "") -> Path:
    """Write a session's log in which the user says some things and the assistant something else."""
    rows = []
    for text in said:
        for role, words in (("user", text), ("assistant", "We decided to use Redis for everything.")):
            message = {"role": role, "content": words}
            rows.append(
                {"type": role, "sessionId": "s", "cwd": cwd or str(root), "timestamp": "2026-01-04T09:00:00Z"}
                | {"message": message}
            )
    place = root.parent / f"{root.name}-logs" / "one.jsonl"
    place.parent.mkdir(exist_ok=True)
    place.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return place


def test_a_note_is_captured_once(tmp_path: Path) -> None:
    """Each claim with its kind, its words and its line; the second capture finds nothing."""
    memory = memory_of(tmp_path)
    captured = memory.capture()
    assert [(one.kind, one.text, one.sources[0].anchor) for one in captured.proposed] == [
        ("decision", "SQLite for the cache, because JSON lost writes", "memory/2026-01-05.md:3"),
        ("gotcha", "The importer fails when paths are not UTF-8", "memory/2026-01-05.md:4"),
        ("todo", "Rotate the signing key", "memory/2026-01-05.md:5"),
    ]
    assert "09:10 Lesson: the importer fails when paths are not UTF-8" in captured.proposed[1].sources[0].quote
    again = memory.capture()
    assert (again.read, again.proposed, again.done.n) == (0, (), 0)


def test_without_its_checkpoint_nothing_is_proposed_twice(tmp_path: Path) -> None:
    """Neither what waits, nor what was rejected, also when it is said a little differently."""
    memory = memory_of(tmp_path)
    memory.capture()
    memory.reject(["PROP-0001"], why="Postgres")
    (tmp_path / ".mneme.d/capture.json").write_text("{broken")
    note = tmp_path / "memory/2026-01-05.md"
    note.write_text(NOTE + "- 12:00 Decision: use SQLite for the cache because JSON lost writes\n")
    captured = memory.capture()
    assert captured.read > 0
    assert captured.proposed == ()


def test_a_dry_run_shows_the_diff_and_reads_again_later(tmp_path: Path) -> None:
    """Nothing is written, no checkpoint either."""
    memory = memory_of(tmp_path)
    assert "Rotate the signing key" in memory.capture(dry_run=True).done.diff
    assert not (tmp_path / "memory/proposals.mneme").exists()
    assert len(memory.capture().proposed) == 3


def test_undo_takes_a_capture_back(tmp_path: Path) -> None:
    """It is one plan."""
    memory = memory_of(tmp_path)
    memory.capture()
    memory.undo()
    assert memory.proposals() == ()


def test_a_session_is_read_on_where_it_was_left(tmp_path: Path) -> None:
    """Only the user's words count; days are written out; what is appended is read, nothing twice."""
    log = log_of(tmp_path, "I live in Porto. Remind me to renew the certificate tomorrow.")
    memory = memory_of(tmp_path, more=f'[transcripts]\nsources = ["{log.parent}"]\n')
    captured = memory.capture(["transcript"])
    assert [(one.kind, one.text) for one in captured.proposed] == [
        ("fact", "I live in Porto."),
        ("todo", "Remind me to renew the certificate on 2026-01-05."),
    ]
    assert captured.proposed[0].sources[0].anchor == f"{log}:1"
    log_of(tmp_path, "I live in Porto. Remind me to renew the certificate tomorrow.", "I prefer tabs over spaces.")
    again = memory.capture(["transcript"])
    assert (again.read, [one.text for one in again.proposed]) == (1, ["I prefer tabs over spaces."])


def test_an_untrusted_folder_has_no_sessions_read(tmp_path: Path) -> None:
    """A cloned folder may name anybody's logs."""
    log = log_of(tmp_path, "I live in Porto.")
    memory = memory_of(tmp_path, more=f'[transcripts]\nsources = ["{log.parent}"]\n', trusted=False)
    assert memory.capture(["transcript"]).read == 0


def test_what_is_handed_over_is_captured(tmp_path: Path) -> None:
    """A text on standard input, line by line."""
    memory = memory_of(tmp_path)
    captured = memory.capture(["stdin"], text="Hello.\nI prefer tabs over spaces.\n")
    assert [(one.text, one.sources[0].anchor) for one in captured.proposed] == [
        ("I prefer tabs over spaces.", "stdin:2")
    ]


def test_a_secret_is_left_out_and_told(tmp_path: Path) -> None:
    """What looks like a key never gets into the queue."""
    memory = memory_of(tmp_path)
    captured = memory.capture(["stdin"], text="Remember: the token is ghp_0123456789abcdefghijABCDEFGHIJ012345\n")
    assert captured.proposed == ()
    assert [one.rule for one in captured.problems] == ["secret"]


def test_a_broken_memory_is_mended_first(tmp_path: Path) -> None:
    """Errors stop it unless it is forced."""
    memory = memory_of(tmp_path)
    (tmp_path / "memory/other.mneme").write_text("@ DEC-0009\ngist: one\n\n@ DEC-0009\ngist: two\n")
    with pytest.raises(RefusedError, match="integrity check failed"):
        memory.capture()
    assert len(memory.capture(force=True).proposed) == 3


# The rule of the profile protocol


def test_the_users_own_words_are_accepted_in_the_profile_protocol(tmp_path: Path) -> None:
    """What they say of themselves, in their own session about this folder; imperatives and notes wait."""
    log = log_of(tmp_path, "I live in Porto. Always answer in German.")
    memory = memory_of(tmp_path, "protocol", f'[transcripts]\nsources = ["{log.parent}"]\n')
    captured = memory.capture()
    assert [one.done.records[0].text for one in captured.accepted] == ["I live in Porto."]
    assert (tmp_path / "brain/areas/user/items.json").exists()
    assert "Always answer in German." in [one.text for one in captured.proposed]
    assert all(one.done.records[0].path.startswith("brain/") for one in captured.accepted)


def test_the_words_of_others_wait_in_every_profile(tmp_path: Path) -> None:
    """A session about another folder, a log that was handed over, and a text wait for somebody's word."""
    log = log_of(tmp_path, "I live in Porto.", cwd="/somewhere/else")
    more = f'[transcripts]\nsources = ["{log.parent}"]\neverywhere = true\n'
    memory = memory_of(tmp_path, "protocol", more)
    assert memory.capture(["transcript"]).accepted == ()
    assert memory.capture(["transcript"], paths=[str(log)]).accepted == ()
    assert memory.capture(["stdin"], text="I prefer tabs over spaces.").accepted == ()
    assert len(memory.proposals()) == 2


# With a model


def command(answer: object) -> str:
    """Return settings for a model that is a command with one answer."""
    program = f"import sys; sys.stdin.read(); print({json.dumps(json.dumps(answer))})"
    return f"[model]\nkind = 'command'\ncommand = {json.dumps([sys.executable, '-c', program])}\n"


def test_a_models_claims_count_as_far_as_their_quotes_support_them(tmp_path: Path) -> None:
    """Words that do not stand there, numbers that were made up and lines that do not exist are left out and told."""
    line = 4  # the entry "looked at logs for a while"
    quote = "looked at logs for a while"
    claims = [
        {"kind": "fact", "text": "The logs were looked at for a while", "quote": quote, "line": line},
        {"kind": "fact", "text": "The logs were looked at for 45 minutes", "quote": quote, "line": line},
        {"kind": "fact", "text": "The server is called Otto", "quote": "the server is Otto", "line": line},
        {"kind": "fact", "text": "Nothing of the sort was said", "quote": quote, "line": 99},
    ]
    memory = memory_of(tmp_path, more=command({"claims": claims}))
    captured = memory.capture()
    assert [one.text for one in captured.proposed if one.kind == "fact"] == ["The logs were looked at for a while"]
    assert captured.proposed[-1].sources[0].anchor == "memory/2026-01-05.md:6"
    assert [one.message.partition(":")[0] for one in captured.problems] == ["3 claims of the model were left out"]
    (call,) = (tmp_path / ".mneme.d/models.jsonl").read_text().splitlines()
    assert json.loads(call)["purpose"] == "capture"


@pytest.mark.parametrize("answer", ["no JSON at all", {"claims": [{"kind": "gossip"}]}, {"other": 1}])
def test_an_answer_that_cannot_be_used_leaves_what_patterns_find(tmp_path: Path, answer: object) -> None:
    """The capture goes on without a model, and says so."""
    memory = memory_of(tmp_path, more=command(answer))
    captured = memory.capture()
    assert len(captured.proposed) == 3
    assert [one.rule for one in captured.problems] == ["no-model"]


class Chat(BaseHTTPRequestHandler):
    """A server that speaks both protocols: one claim, or nothing for a long time."""

    hangs = threading.Event()
    asked: list[str] = []  # noqa: RUF012 - cleared by the fixture

    def do_POST(self) -> None:
        """Answer one question."""
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(self.path)
        if question["model"] == "slow":
            self.hangs.wait(30)
        claim = {"kind": "fact", "text": "The logs were looked at for a while", "line": 4}
        answer = json.dumps({"claims": [{**claim, "quote": "looked at logs for a while"}]})
        message = {"role": "assistant", "content": answer}
        body = {"message": message} if self.path.endswith("/api/chat") else {"choices": [{"message": message}]}
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """Give the address of such a server."""
    Chat.asked.clear()
    Chat.hangs.clear()
    running = HTTPServer(("127.0.0.1", 0), Chat)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    Chat.hangs.set()
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.mark.parametrize(("kind", "path"), [("openai", "/chat/completions"), ("ollama", "/api/chat")])
def test_a_server_extracts(tmp_path: Path, server: str, kind: str, path: str) -> None:
    """Whatever protocol it speaks; its claim waits like any other."""
    memory = memory_of(tmp_path, more=f'[model]\nkind = "{kind}"\nname = "small"\nurl = "{server}"\n')
    captured = memory.capture()
    assert Chat.asked == [path]
    assert [one.text for one in captured.proposed if one.kind == "fact"] == ["The logs were looked at for a while"]


def test_a_model_that_hangs_is_left_behind(tmp_path: Path, server: str) -> None:
    """What patterns find is proposed all the same."""
    model = f'[model]\nkind = "openai"\nname = "slow"\nurl = "{server}"\ntimeout_seconds = 1\n'
    captured = memory_of(tmp_path, more=model).capture()
    assert len(captured.proposed) == 3
    assert [one.rule for one in captured.problems] == ["no-model"]


def test_what_an_undone_capture_read_is_read_again(tmp_path: Path) -> None:
    """Undo is as if it had not been, the place where it left off included; an undo of the undo is as if it had."""
    memory = memory_of(tmp_path)
    first = [one.text for one in memory.capture().proposed]
    memory.undo()
    assert memory.proposals() == ()
    again = memory.capture()
    assert [one.text for one in again.proposed] == first
    assert memory.capture().proposed == ()
    plan = memory.undo().n
    memory.undo(plan)
    assert memory.capture().proposed == ()


@pytest.mark.parametrize(
    ("rejected", "again"),
    [
        ("I prefer tabs over spaces.", "I really do prefer tabs over spaces!"),
        ("We decided to use SQLite for the cache.", "we've now decided on SQLite for our cache"),
        ("我喜欢简短的回答。", "我还是比较喜欢简短的回答"),
        ("Remind me to rotate the signing key.", "Please remind me to rotate the signing key."),
    ],
)
def test_what_was_rejected_does_not_come_back_in_nearly_the_same_words(
    tmp_path: Path, rejected: str, again: str
) -> None:
    """Neither from a later note nor from what is said."""
    memory = memory_of(tmp_path)
    captured = memory.capture(["stdin"], text=rejected)
    memory.reject([one.id for one in captured.proposed], why="no")
    assert len(captured.proposed) == 1
    assert memory.capture(["stdin"], text=again).proposed == ()


def test_the_opposite_of_what_was_rejected_is_something_else(tmp_path: Path) -> None:
    """The same words the other way round say another thing."""
    memory = memory_of(tmp_path)
    memory.reject([one.id for one in memory.capture(["stdin"], text="I prefer tabs over spaces.").proposed])
    assert len(memory.capture(["stdin"], text="I prefer spaces over tabs.").proposed) == 1


@pytest.mark.parametrize("profile", ["default", "protocol", "never-forget"])
def test_what_is_accepted_is_dated_by_the_day_it_was_said(tmp_path: Path, profile: str) -> None:
    """Decisions and facts alike, relative dates counted from there; history has the day of the acceptance."""
    memory = memory_of(
        tmp_path, profile, f'[transcripts]\nsources = ["{tmp_path.parent}/{tmp_path.name}-logs/*.jsonl"]\n'
    )
    log_of(tmp_path, "We decided yesterday to move the archive to Glacier. My sister moved to Ghent.")
    memory.capture(["transcript"])
    later = Memory(memory.workspace, lambda: datetime(2026, 1, 9, 12, tzinfo=UTC))
    if waiting := later.proposals():
        later.accept([one.id for one in waiting])
    told = [one for one in later.list() if one.kind not in ("proposal", "day")]
    records = [one for one in told if "Glacier" in one.text or "Ghent" in one.text]
    assert len(records) == 2
    assert all("2026-01-04" in (one.since, one.text[:10], one.text[2:12]) for one in records)
    assert not any("2026-01-09" in one.text for one in records)
    assert "2026-01-03" in next(one.text for one in records if "Glacier" in one.text)
    assert all(one.seen in ("", "2026-01-04", "2026-01-09") for one in records)


def test_a_memory_may_be_told_since_when_it_holds(tmp_path: Path) -> None:
    """Not from a day that is still to come."""
    memory = memory_of(tmp_path)
    (record,) = memory.remember("The office is in Ghent", kind="fact", since="2025-03-01").records
    assert (record.since, record.seen) == ("2025-03-01", "2026-01-05")
    for wrong in ("2027-01-01", "last May"):
        with pytest.raises(BadInputError, match="no day that has been"):
            memory.remember("The office moved", kind="fact", since=wrong)


@pytest.mark.parametrize(
    ("said", "kind", "text"),
    [
        ("No, my flight lands at 14:40, not 16:40.", "fact", "My flight lands at 14:40, not 16:40."),
        ("Stop calling it Falcon, the name is Heron.", "feedback", "Stop calling it Falcon, the name is Heron."),
        ("Turns out the export skips archived rows.", "gotcha", "The export skips archived rows."),
        ("不对，端口是8081，不是8080。", "fact", "端口是8081，不是8080。"),
    ],
)
def test_a_correction_is_what_is_so_or_how_to_behave(tmp_path: Path, said: str, kind: str, text: str) -> None:
    """And how it was opened in talk is no part of it; the quote has the very words."""
    (found,) = memory_of(tmp_path).capture(["stdin"], text=said).proposed
    assert (found.kind, found.text, found.sources[0].quote) == (kind, text, said)


def test_what_the_user_says_of_themselves_is_about_the_user(tmp_path: Path) -> None:
    """Where a profile has a home for that and none for facts."""
    (found,) = memory_of(tmp_path, "never-forget").capture(["stdin"], text="I live in Porto.").proposed
    assert found.kind == "user"
