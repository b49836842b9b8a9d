"""What tokens and keys look like: one row for each kind, and where installed, the patterns that detect-secrets keeps.

A row has a mark beside its shape: a few characters that every such token has, by which a text is searched before any
line of it is looked at. The library is asked about the same lines, and only for kinds that have a shape of their own:
what it goes by entropy or by a name alone is told apart better in prose by `mneme.check.secret`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_W = "[A-Za-z0-9_-]"
_A = "[A-Za-z0-9]"


class Shape(NamedTuple):
    """A kind of token: what it is called, what each of them has in it, and what it looks like as a whole."""

    kind: str
    mark: str
    shape: str


SHAPES = (
    Shape("a private key", "-----BEGIN", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
    Shape("a private key", "PuTTY-User", r"PuTTY-User-Key-File-[23]"),
    Shape("an AWS access key", "AKIA|ASIA|ABIA|ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    Shape("a GitHub token", "gh[pousr]_|github_pat_", rf"(?:gh[pousr]_{_A}{{36,}}|github_pat_[A-Za-z0-9_]{{40,}})"),
    Shape(
        "a GitLab token",
        "gl(?:pat|dt|rt|ft|cbt|ptt|soat|imt|agent|oas)-|GR1348941",
        rf"(?:gl(?:pat|dt|rt|ft|cbt|ptt|soat|imt|agent|oas)-|GR1348941){_W}{{20,}}",
    ),
    Shape("a Slack token", "xox[abeoprs]-|xapp-", r"xox[abeoprs]-[A-Za-z0-9-]{16,}|xapp-[0-9]-[A-Za-z0-9-]{16,}"),
    Shape(
        "a Slack webhook",
        r"hooks\.slack",
        r"hooks\.slack\.com/services/T[A-Za-z0-9_]+/B[A-Za-z0-9_]+/[A-Za-z0-9_]{20,}",
    ),
    Shape("a Google API key", "AIza", rf"AIza{_W}{{35}}(?!{_W})"),
    Shape("a Google client secret", "GOCSPX-", rf"GOCSPX-{_W}{{28}}"),
    Shape("a Google token", r"ya29\.", rf"ya29\.{_W}{{30,}}"),
    Shape("an API key", "sk-", rf"sk-(?={_W}*[0-9])(?={_W}*[A-Z]){_W}{{24,}}"),
    Shape("a Stripe key", "k_(?:live|test)_|whsec_", rf"(?:[sr]k_live|[sr]k_test|whsec)_{_A}{{16,}}"),
    Shape("a JSON web token", "eyJ", rf"eyJ{_W}{{8,}}+\.eyJ{_W}{{8,}}+\.{_W}{{8,}}"),
    Shape("an npm token", "npm_", rf"npm_{_A}{{36}}"),
    Shape("a PyPI token", "pypi-AgE", rf"pypi-AgE{_W}{{40,}}"),
    Shape("a Docker token", "dckr_", rf"dckr_(?:pat|oat)_{_W}{{24,}}"),
    Shape("a Hugging Face token", "hf_", rf"hf_{_A}{{30,}}"),
    Shape("a Replicate token", "r8_", rf"r8_{_A}{{37}}"),
    Shape("a Groq key", "gsk_", rf"gsk_{_A}{{40,}}"),
    Shape("a Perplexity key", "pplx-", rf"pplx-{_A}{{40,}}"),
    Shape("an xAI key", "xai-", rf"xai-{_A}{{60,}}"),
    Shape("a SendGrid key", r"SG\.", rf"SG\.{_W}{{22}}\.{_W}{{43}}"),
    Shape("a Mailchimp key", r"-us\d", r"[0-9a-f]{32}-us[0-9]{1,2}(?![0-9])"),
    Shape("a Twilio key", "(?:AC|SK)[0-9a-f]{6}", r"(?:AC|SK)[0-9a-f]{32}(?![A-Za-z0-9])"),
    Shape("a Square token", "sq0", rf"sq0(?:csp|atp)-{_W}{{22,}}"),
    Shape("a Discord token", rf"[MNO]{_W}{{23,27}}\.{_W}{{6}}\.", rf"[MNO]{_W}{{23,27}}\.{_W}{{6}}\.{_W}{{27,}}"),
    Shape("a DigitalOcean token", "_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    Shape("a Telegram bot token", ":AA", rf"[0-9]{{8,10}}:AA{_W}{{33}}(?!{_W})"),
    Shape("a Matrix token", "syt_", r"syt_[A-Za-z0-9]+_[A-Za-z0-9]{20}_[A-Za-z0-9]{6}"),
    Shape("a Tailscale key", "tskey-", rf"tskey-[a-z]+-{_W}{{20,}}"),
    Shape("a Vault token", r"hv[sbr]\.", rf"hv[sbr]\.{_W}{{24,}}"),
    Shape("a Databricks token", "dapi", r"dapi[0-9a-f]{32}"),
    Shape("a Linear key", "lin_api_", rf"lin_api_{_A}{{40}}"),
    Shape("a Notion token", "ntn_", rf"ntn_{_A}{{40,}}"),
    Shape("a Grafana token", "glsa_", rf"glsa_{_A}{{32}}_[0-9a-f]{{8}}"),
    Shape("a Postman key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    Shape("a Supabase token", "sbp_", r"sbp_[0-9a-f]{40}"),
    Shape("an Airtable token", "pat[A-Za-z0-9]{14}", rf"pat{_A}{{14}}\.[0-9a-f]{{64}}"),
    Shape("a New Relic key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    Shape("an Azure storage key", "AccountKey=", r"AccountKey=[A-Za-z0-9+/]{86}=="),
    Shape("a Shopify token", "shp(?:at|ca|pa|ss)_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    Shape("an age secret key", "AGE-SECRET", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
)


@cache
def marks() -> re.Pattern[str]:
    """Return what finds the marks of all shapes, in one search."""
    return re.compile("|".join(dict.fromkeys(one.mark for one in SHAPES)))


@cache
def byte_marks() -> re.Pattern[bytes]:
    """Return the same for bytes."""
    return re.compile(marks().pattern.encode())


@cache
def _shapes() -> re.Pattern[str]:
    joined = "|".join(f"({one.shape})" for one in SHAPES)
    return re.compile(rf"(?<![A-Za-z0-9_-])(?:{joined})")


def find_shapes(line: str) -> Iterator[tuple[str, int, int]]:
    """Yield the tokens of a line that has a mark: of which kind, from which character up to which."""
    for found in _shapes().finditer(line):
        yield SHAPES[(found.lastindex or 1) - 1].kind, *found.span()
    # The library's patterns take time that grows with more than the length; a line so long was made by no person.
    for kind, library in _library() if len(line) <= LONGEST_LINE else ():
        for pattern in library:
            for found in pattern.finditer(line):
                yield kind, *found.span()


LONGEST_LINE = 1000
# Kinds of the library that go by a name or a number alone; our own patterns see more of the line around them.
_BY_NAME = frozenset({"Public IP (ipv4)", "Basic Auth Credentials", "JSON Web Token", "Artifactory Credentials"})


@cache
def _library() -> tuple[tuple[str, tuple[re.Pattern[str], ...]], ...]:
    """Return the patterns of detect-secrets by kind; none where it is not installed."""
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
        from detect_secrets.plugins.base import RegexBasedDetector
    except ImportError:
        return ()
    kinds: list[tuple[str, Any]] = sorted(get_mapping_from_secret_type_to_class().items())
    return tuple(
        (f"a secret of the kind '{kind}'", tuple(plugin().denylist))
        for kind, plugin in kinds
        if issubclass(plugin, RegexBasedDetector) and kind not in _BY_NAME
    )
