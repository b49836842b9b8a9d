"""Secrets: the shapes that are found, the look-alikes that are not, and where they are said to be.

The secrets are put together here from parts, so that no file holds one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.check.secret import find_in_line, find_secrets
from mneme.check.secret_shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterable

MIXED = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8z"
HEX = "0123456789abcdef" * 4

FOUND = {
    "an AWS access key": "AKIA" + "QYLPMN5HFIQR7XYA",
    "a GitHub token": "ghp_" + MIXED + "aB3dE5gH",
    "a GitLab token": "glpat-" + MIXED[:20],
    "a Slack token": "xoxb-" + "123456789012-abcdefABCDEF1234",
    "a Google API key": "AIza" + (MIXED + MIXED)[:35],
    "an API key": "sk-" + "proj-" + MIXED,
    "a Stripe key": "sk_live_" + MIXED,
    "a JSON web token": "eyJ" + MIXED + ".eyJ" + MIXED + "." + MIXED,
    "an npm token": "npm_" + (MIXED + MIXED)[:36],
    "a Hugging Face token": "hf_" + (MIXED + MIXED)[:34],
    "a SendGrid key": "SG." + MIXED[:22] + "." + (MIXED + MIXED)[:43],
    "a DigitalOcean token": "dop_v1_" + HEX,
    "a Google token": "ya29." + MIXED + MIXED,
    "a Docker token": "dckr_pat_" + MIXED,
    "a Replicate token": "r8_" + (MIXED + MIXED)[:37],
    "a Groq key": "gsk_" + MIXED + MIXED,
    "a Perplexity key": "pplx-" + MIXED + MIXED,
    "an xAI key": "xai-" + MIXED * 3,
    "a Mailchimp key": HEX[:32] + "-us12",
    "a Twilio key": "SK" + HEX[:32],
    "a Square token": "sq0csp-" + (MIXED + MIXED)[:43],
    "a Discord token": "MTk4NjIyNDgzNDcxOTI1MjQ4" + ".Cl2FMQ." + MIXED[:27],
    "a Telegram bot token": "110201543" + ":AA" + (MIXED + MIXED)[:33],
    "a Matrix token": "syt_Ym90_" + MIXED[:20] + "_1aB2cD",
    "a Tailscale key": "tskey-auth-" + MIXED,
    "a Vault token": "hvs." + MIXED,
    "a Databricks token": "dapi" + HEX[:32],
    "a Linear key": "lin_api_" + (MIXED + MIXED)[:40],
    "a Notion token": "ntn_" + (MIXED + MIXED)[:46],
    "a Grafana token": "glsa_" + (MIXED + MIXED)[:32] + "_" + HEX[:8],
    "a Postman key": "PMAK-" + HEX[:24] + "-" + HEX[:34],
    "a Supabase token": "sbp_" + HEX[:40],
    "an Airtable token": "pat" + MIXED[:14] + "." + HEX[:64],
    "a New Relic key": "NRAK-" + "QYLPMN5HFIQR7XYAQYLPMN5HFIQ",
    "a PyPI token": "pypi-AgE" + MIXED + MIXED,
    "a Google client secret": "GOCSPX-" + MIXED,
    "an Azure storage key": "AccountKey=" + (MIXED * 4)[:86] + "==",
    "a Shopify token": "shpat_" + HEX[:32],
    "an age secret key": "AGE-SECRET-KEY-1" + ("QYLPMN5HFIQR7XYA" * 4)[:58],
    "a Slack webhook": "https://hooks.slack.com/services/T0AB12CD3/B0AB12CD3/" + MIXED,
    "a private key": "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
    "a password in an address": "postgres://app:" + "s3cr3tpw@db.internal/orders",
    "a password": "the password is Tr0ub4dor" + "&3xyz",
    "a token": "token = '" + MIXED + "'",
    "a api_key": "API_KEY: " + MIXED,
}

NOT_FOUND = (
    "the password is rotated every 90 days",
    "Password: see the team's vault",
    "token: refreshed-every-15-minutes",
    "secret = os.environ['APP_SECRET']",
    "password=<your-password>",
    "password: ${DB_PASSWORD}",
    "API keys are kept in 1Password",
    "the key is to write less",
    "see https://example.org/docs/getting-started-with-memory-2026",
    "commit 3f2a9c1e8b7d6a5f4e3d2c1b0a9f8e7d6c5b4a39 broke the build",
    "AKIAIOSFODNN7" + "EXAMPLE is the documented example key",
    "sk-this-is-a-branch-name-with-words",
    "the token limit is 200000 characters",
    "src/mneme/formats/some_quite_long_file_name_v2.py",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "密码存放在保险库里",
    "eyJ is how every JSON web token begins",
)


@pytest.mark.parametrize(("kind", "text"), FOUND.items(), ids=FOUND)
def test_secrets_are_found(kind: str, text: str) -> None:
    """Each known shape is found in the middle of a line, with its kind, its line and its place."""
    whole = f"@ DEC-0001 a\n> note: {text}, keep\n> end\n"
    found = find_secrets(whole)
    assert [(secret.kind, secret.line) for secret in found] == [(kind, 2)]
    assert whole[found[0].start : found[0].end] in text


@pytest.mark.parametrize("text", NOT_FOUND)
def test_what_only_looks_like_a_secret_is_not_found(text: str) -> None:
    """Words about secrets, placeholders, hashes, ids, paths and documented examples raise no alarm."""
    assert find_secrets(f"> {text}\n") == []


def test_every_shape_has_an_example() -> None:
    """A row of the table that no test finds anything by is a mistake."""
    assert {one.kind for one in SHAPES} <= set(FOUND)


def test_what_others_keep_up_is_asked_too() -> None:
    """With detect-secrets installed, a kind that only it knows is found, and told once where both know it."""
    pytest.importorskip("detect_secrets")
    known = "sk_live_" + MIXED[:24]
    assert [one.kind for one in find_secrets(f"- key: {known}\n")] == ["a Stripe key"]
    only = "cloudant_key=" + HEX + " beside " + known
    assert "a secret of the kind 'Cloudant Credentials'" in [one.kind for one in find_secrets(f"- {only}\n")]


def test_chinese_names_of_passwords_count() -> None:
    """A password is one in Chinese as well."""
    assert [secret.kind for secret in find_secrets("> 数据库密码是 Tr0ub4" + "dor3x\n")] == ["a password"]


words = st.sampled_from([*FOUND.values(), *NOT_FOUND, "plain words", "caf\u00e9 \u7f13\u5b58", "\udce9", ""])


@given(st.lists(words, max_size=8), st.sampled_from(["\n", "\r\n", "\r"]))
def test_the_quick_look_misses_nothing(lines: list[str], newline: str) -> None:
    """Whatever the exact patterns find in a line is found in the text, at its line and place."""
    text = newline.join(lines)
    rows, at = [], 0
    for number, line in enumerate(lines, 1):
        rows += [(kind, number, at + start, at + end) for kind, start, end in find_in_line(line)]
        at += len(line) + len(newline)
    assert [tuple(secret) for secret in find_secrets(text)] == rows


def test_another_detector_sees_the_suspect_lines_alone() -> None:
    """A detector put in place of the patterns is asked only about lines that could hold a secret."""
    seen: list[str] = []

    def detector(line: str) -> Iterable[tuple[str, int, int]]:
        seen.append(line)
        yield "a thing", 0, 2

    found = find_secrets("> plain\n> password: x\n", detector)
    assert seen == ["> password: x"]
    assert [tuple(secret) for secret in found] == [("a thing", 2, 8, 10)]
