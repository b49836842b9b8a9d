"""Concept tags: the few words that a snippet is about, in an order that two programs agree on.

Known words come first, then words joined by dots, dashes or slashes, then all other words, each brought to one form
and none twice. OpenClaw asks a dictionary where Chinese and Japanese words end; here a run of ideographs is cut in
twos, which gives the same words where words have two characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_TAGS = 8
LONGEST_TAG = 32
SHORTEST_TAG, SHORTEST_CJK_TAG = 3, 2

# Words that count wherever they stand in the text, in this order.
_KNOWN = (
    *("backup", "backups", "embedding", "embeddings", "failover", "gateway", "glacier", "gpt", "kv", "network"),
    *("openai", "qmd", "router", "s3", "vlan"),
    *("sauvegarde", "routeur", "passerelle", "konfiguration", "sicherung", "überwachung"),
    *("configuración", "respaldo", "enrutador", "puerta-de-enlace"),
    *("バックアップ", "フェイルオーバー", "ルーター", "ネットワーク", "ゲートウェイ", "障害対応"),
    *("路由器", "备份", "故障转移", "网络", "网关"),
    *("라우터", "백업", "페일오버", "네트워크", "게이트웨이", "장애대응"),
)
_WORDS = """
    about after agent again also because before being between build called could daily default deploy during every
    file files from have into just line lines long main make memory month more most move much next note notes over
    part past port same score search session sessions short should since some than that their there these they this
    through today using with work workspace year and are for its our then were
    al con como de del el en es la las los para por que se sin su sus una uno unos unas y
    au aux avec dans des du est et le les ou pour qui sans ses son sur une un
    auf aus bei das dem den der die ein eine einem einen einer für im in mit nach oder ohne über und von zu zum zur
    が から する して した で と に の は へ まで も や を 与 为 了 及 和 在 将 或 把 是 用 的
    과 는 도 로 를 에 에서 와 은 으로 을 이 하다 한 할 해 했다
    cjs cpp cts jsx json md mjs mts text toml ts tsx txt yaml yml
    """
_QUIET = frozenset(_WORDS.split())
_KANA = "\u3041-\u309f\u30a0-\u30ff"
_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_LETTER = rf"[^\W_{_KANA}{_HAN}]"
_JOINED = re.compile(r"[^\W_]+(?:[._/-][^\W_]+)+")
_WORD = re.compile(
    rf"[\u3041-\u309f]+|[\u30a0-\u30ff]+|[{_HAN}]+|(?:{_LETTER}|_)+(?:(?:(?<=[^\W\d])['’.:·](?=[^\W\d])|(?<=\d)[.,'](?=\d))(?:{_LETTER}|_)+)*"
)
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:\.[^\W_]+)?")
_IN_KANA, _IN_HAN = re.compile(f"[{_KANA}]"), re.compile(f"[{_HAN}]")
_IN_CJK, _IN_HANGUL = re.compile(f"[{_KANA}{_HAN}{_HANGUL}]"), re.compile(f"[{_HANGUL}]")
_IN_LATIN = re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a]")

LATIN, CJK, MIXED, OTHER = "latin", "cjk", "mixed", "other"


@lru_cache(maxsize=4096)
def concept_tags(path: str, snippet: str) -> tuple[str, ...]:
    """Return the tags of a snippet and of the name of its file, best known first."""
    source = f"{path.rpartition('/')[2]} {snippet}"
    tags: dict[str, None] = {}
    for raw in _raw_tags(source):
        if (tag := _tag(raw)) is not None:
            tags[tag] = None
            if len(tags) == MOST_TAGS:
                break
    return tuple(tags)


def script_of(tag: str) -> str:
    """Return which script a tag is written in."""
    text = unicodedata.normalize("NFKC", tag)
    latin, cjk = _IN_LATIN.search(text), _IN_CJK.search(text)
    if latin and cjk:
        return MIXED
    return CJK if cjk else LATIN if latin else OTHER


def _raw_tags(source: str) -> Iterator[str]:
    folded = unicodedata.normalize("NFKC", source).lower()
    yield from (word for word in _KNOWN if word in folded)
    yield from _JOINED.findall(source)
    for word in _WORD.findall(source):
        if _IN_HAN.match(word):
            yield from (word[at : at + 2] for at in range(0, len(word), 2))
        else:
            yield word


def _tag(raw: str) -> str | None:
    """Return a word as a tag, or None where it says nothing."""
    text = _EDGES.sub("", unicodedata.normalize("NFKC", raw)).replace("_", "-").lower().strip()
    if not text or len(text) > LONGEST_TAG or text.isdecimal() or _DATE.fullmatch(text) or text in _QUIET:
        return None
    if len(text) < (SHORTEST_CJK_TAG if script_of(text) == CJK else SHORTEST_TAG):
        return None
    only_kana = _IN_KANA.search(text) and not _IN_HAN.search(text) and not _IN_HANGUL.search(text)
    return None if only_kana and len(text) < SHORTEST_TAG else text
