"""How the whole suite runs: bounded and repeatable by default, long and random when asked."""

from __future__ import annotations

import os
import signal
import tempfile

from hypothesis import HealthCheck, settings

# `make test` answers "is this commit sound?", so the same commit must get the same answer: examples are derived from the
# test, not from chance, and no deadline fails a test on a busy machine. `make fuzz` answers "what did we not think of?".
settings.register_profile("bounded", max_examples=60, derandomize=True, deadline=None)
settings.register_profile(
    "campaign", max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
settings.load_profile("campaign" if os.environ.get("MNEME_CAMPAIGN") else "bounded")

# The folders that tests trust are nobody's: they are told in settings that go with the suite.
_SETTINGS = tempfile.TemporaryDirectory(prefix="mneme-tests-")
os.environ["XDG_CONFIG_HOME"] = _SETTINGS.name

# A shell that runs something in the background has it ignore Ctrl-C, and its children inherit that. The tests are about
# what happens when somebody presses it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
