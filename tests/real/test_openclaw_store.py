"""OpenClaw's own functions beside ours, on hundreds of drawn stores: counted, ranked, promoted and repaired alike.

What a store may hold is drawn from what users' stores were seen to hold, and from what none should: writing of several
scripts, many questions, ties, ages, keys of any letters, numbers as texts, missing and broken fields. One process of
OpenClaw's node does all stores of a test. In full, under `MNEME_CAMPAIGN`, there are ten times as many.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.consolidate.dream.nights import Place
from tests.real.hosting import HOSTS, needs

from mneme.consolidate.dream.entry import hash_query, iso, iso_day, parse_entries, parse_signals
from mneme.consolidate.dream.published import parse_dreaming
from mneme.consolidate.dream.record import DAILY, RECALL, Seen, count_seen, count_staged, repaired
from mneme.consolidate.dream.score import OPENCLAW, Gates, rank
from mneme.consolidate.dream.sentence import markers
from mneme.consolidate.dream.taint import is_short_term, is_tainted
from mneme.recall.published.passages import cut_passages

pytestmark = needs("openclaw")

STORES = 300 if os.environ.get("MNEME_CAMPAIGN") else 30
DIST = HOSTS / "openclaw" / "node_modules" / "openclaw" / "dist"
DRIVER = Path(__file__).with_name("openclaw_store.mjs")
NOW = datetime(2026, 4, 20, 3, 0, 0, 250_000, tzinfo=UTC)
STORE, SIGNALS = "memory/.dreams/short-term-recall.json", "memory/.dreams/phase-signals.json"

LINES = (
    "Move backups to S3 Glacier every night.",
    "The gateway stays loopback-only on port 18789.",
    "Sauvegarde du routeur chaque nuit, sans exception.",
    "Die Überwachung läuft über den Router im Keller.",
    "备份",
    "ルーター",
    "백업",
    "Ann's   printer\tneeds A4 paper_tray 2 and foo.bar/baz-qux.",
    "Keep retention at 365 days; rotate keys on 2026-05-01.",
    "- [ ] call Bob about invoice #42 (£300)",
    "Ünïcödé naïve café résumé – “quoted” … and more",
    "x",
    "The same words stand here twice.",
    "The same words stand here twice.",
)
TAINTED = (
    "<!-- openclaw-memory-promotion:memory:memory/2026-04-01.md:1:1 -->",
    "Candidate: Move it. confidence: 0.76 evidence: memory/2026-04-01.md:1-1 recalls: 3 status: staged",
    "@@ -1,1 - Candidate: Move it. confidence: 0.76 evidence: memory/.dreams/x recalls: 3 status: staged",
    "Candidate: move backups weekly. confidence: 0.76 evidence: memory/2026-04-08.md:1-1",
    "[main/dreaming-narrative-light.jsonl#L1] User: Write a dream diary entry from these memory fragments: a",
)
PATHS = (
    *(f"memory/2026-04-{day:02d}.md" for day in range(1, 20)),
    "2026-04-03.md",
    "./memory/2026-04-04.md",
    "memory\\2026-04-05.md",
    "memory/daily notes/2026-04-06.md",
    "memory/日记/2026-04-07.md",
    "memory/.dreams/session-corpus/2026-04-08.txt",
    "memory/dreaming/deep/2026-04-09.md",
    "memory/network.md",
    "MEMORY.md",
    "notes/2026-04-03.md",
)


def openclaw(*jobs: tuple[str, list[Any]]) -> list[Any]:
    """Run functions of OpenClaw's, one after the other in one process, and return what they return."""
    (node,) = (HOSTS / "openclaw" / "node_modules").glob("node-*/bin/node")
    words = [str(node), str(DRIVER), str(DIST), "short-term-promotion-", "dreaming-", "internal-"]
    told = json.dumps([{"name": name, "options": options} for name, options in jobs])
    env = {**os.environ, "TZ": "UTC", "HOME": "/nonexistent"}
    done = subprocess.run(words, input=told, capture_output=True, text=True, check=False, timeout=300, env=env)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


# Stores


def drawn_moment(dice: random.Random) -> str:
    """Return a moment as a store may have it: mostly of the last weeks, now and then of the future or of no calendar."""
    if dice.random() < 0.06:
        return dice.choice(("", "yesterday", "2026-13-01T00:00:00Z"))
    at = NOW - timedelta(seconds=dice.choice((0, 60, 3_600, 86_400, 1_209_600, -3_600)) * dice.random() * 3)
    return iso(at)


def drawn_entry(dice: random.Random, number: int) -> tuple[str, dict[str, Any]]:
    """Return an entry of a store, whole or with something amiss, and its key."""
    path, line = dice.choice(PATHS), dice.randrange(1, 15)
    recalls, dailies, grounded = (dice.choice((0, 0, 1, 3, 8)) for _ in range(3))
    signals = recalls + dailies + grounded
    days = sorted(f"2026-04-{dice.randrange(1, 20):02d}" for _ in range(dice.randrange(0, 8)))
    key = dice.choice(
        (f"memory:{path}:{line}:{line}", f"memory:{path}:{line}:{line}:{number:012x}", f"钥匙 {number} 🔑")
    )
    entry: dict[str, Any] = {
        "key": key,
        "path": path,
        "startLine": line,
        "endLine": line + dice.choice((0, 0, 1)),
        "source": "memory",
        "snippet": dice.choice(LINES if dice.random() < 0.93 else TAINTED),
        "recallCount": recalls,
        "dailyCount": dailies,
        "groundedCount": grounded,
        "totalScore": round(signals * dice.choice((0.58, 0.62, 0.9, dice.random())), dice.choice((2, 17))),
        "maxScore": dice.random(),
        "firstRecalledAt": drawn_moment(dice),
        "lastRecalledAt": drawn_moment(dice),
        "queryHashes": [hash_query(str(dice.randrange(40))) for _ in range(dice.choice((0, 1, 2, 3, 5, 40)))],
        "recallDays": days,
        "conceptTags": dice.sample(
            ("backup", "router", "glacier", "Gateway", "备份", "a", "b", "c", "d"), dice.randrange(9)
        ),
    }
    if dice.random() < 0.15:
        entry["promotedAt"] = drawn_moment(dice)
    if dice.random() < 0.15:
        entry["claimHash"] = f"{number:012x}"
    if dice.random() < 0.35:
        spoil(dice, entry)
    return key, entry


def spoil(dice: random.Random, entry: dict[str, Any]) -> None:
    """Leave out a field of an entry, or give it a value that nobody should."""
    name = dice.choice(list(entry))
    odd = {
        "startLine": ["7", 2.5, "x"],
        "endLine": ["7", 2.5],
        "source": ["sessions", None],
        "queryHashes": [None, "abc", ["a", "a", " b ", "", 7, None]],
        "recallDays": [None, ["2026-04-01", "2026-04-01", "nonsense", "2026-04-02T10:00:00Z"]],
        "conceptTags": [None, ["UP", "up", "", 3]],
        "totalScore": ["1.5", -2, None, "much"],
        "maxScore": [7, -1, "0.5"],
        "recallCount": [2.7, -3, "4", None, "many"],
        "dailyCount": [1.2, None],
        "groundedCount": ["2", None],
        "snippet": ["", "  ", None, 5, " Move   backups\nto S3 Glacier every night. "],
        "claimHash": ["", "  "],
    }
    if dice.random() < 0.4:
        del entry[name]
    elif name in odd:
        entry[name] = dice.choice(odd[name])


def drawn_store(dice: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a store and its phase signals; some entries are ties of others in everything but their place."""
    entries = dict(drawn_entry(dice, number) for number in range(dice.randrange(1, 30)))
    for key, entry in list(entries.items())[:3]:
        twin = {**entry, "path": dice.choice(PATHS)}
        entries[f"{key}:twin"] = twin
    hits = {
        key: {
            "key": key,
            "lightHits": dice.choice((0, 1, 4, 20, "3", -1, 2.5)),
            "remHits": dice.choice((0, 1, 6)),
            **({"lastLightAt": drawn_moment(dice)} if dice.random() < 0.8 else {}),
            **({"lastRemAt": drawn_moment(dice)} if dice.random() < 0.8 else {}),
        }
        for key in [*entries, "unknown"]
        if dice.random() < 0.5
    }
    store = {"version": 1, "updatedAt": iso(NOW), "entries": entries}
    return store, {"version": 1, "updatedAt": iso(NOW), "entries": hits}


def places(folder: Path, kind: str) -> list[tuple[Place, random.Random]]:
    """Return workspaces that hold one drawn store each, and the dice that go on drawing."""
    found = []
    for number in range(STORES):
        dice = random.Random(f"{kind} {number}")  # noqa: S311 - the same stores each time
        place = Place(folder / kind / str(number))
        store, signals = drawn_store(dice)
        place.write(STORE, json.dumps(store, indent=2, ensure_ascii=False) + "\n")
        place.write(SIGNALS, json.dumps(signals, indent=2, ensure_ascii=False) + "\n")
        found.append((place, dice))
    return found


def drawn_gates(dice: random.Random) -> Gates:
    """Return gates: open ones, the reference's own, and others."""
    shut = Gates(min_score=0.8, min_recalls=3, min_queries=3, scoring=OPENCLAW)
    wide = Gates(min_score=0.0, min_recalls=0, min_queries=0, max_age_days=None, scoring=OPENCLAW)
    some = Gates(0.4, dice.randrange(4), dice.randrange(4), dice.choice((3.5, 14.0, 60.0)), dice.choice((7.0, 30.0)), dice.randrange(1, 20), OPENCLAW)  # fmt: skip
    return dice.choice((shut, wide, wide, some, some))


def options_of(place: Place, gates: Gates, **more: object) -> dict[str, object]:
    """Return gates as OpenClaw's functions take them."""
    told = {
        "workspaceDir": str(place.root),
        "nowMs": NOW.timestamp() * 1000,
        "timezone": "UTC",
        "minScore": gates.min_score,
        "minRecallCount": gates.min_recalls,
        "minUniqueQueries": gates.min_queries,
        "recencyHalfLifeDays": gates.half_life_days,
        **({"maxAgeDays": gates.max_age_days} if gates.max_age_days is not None else {}),
    }
    return {**told, **more}


# What both do


def test_both_rank_alike(tmp_path: Path) -> None:
    """The same candidates in the same order, each with the same score and components to nine decimals."""
    asked = [(place, drawn_gates(dice)) for place, dice in places(tmp_path, "rank")]
    theirs = openclaw(*(("rankShortTermPromotionCandidates", [options_of(*one)]) for one in asked))
    seen = 0
    for (place, gates), rows in zip(asked, theirs, strict=True):
        entries = parse_entries(place.read(STORE).encode(), NOW).by_key.values()
        usable = [one for one in entries if is_short_term(one.path) and not is_tainted(one.snippet)]
        mine = [one for one in rank(usable, parse_signals(place.read(SIGNALS).encode()), NOW, gates) if one.passed]
        assert [one.entry.key for one in mine] == [row["key"] for row in rows], place.root
        for one, row in zip(mine, rows, strict=True):
            assert one.score == pytest.approx(row["score"], abs=1e-9)
            assert dict(one.components) == pytest.approx(row["components"], abs=1e-9)
            assert (one.signals, one.entry.tags) == (row["signalCount"], tuple(row["conceptTags"]))
        seen += len(rows)
    assert seen > STORES


def test_both_promote_alike(tmp_path: Path) -> None:
    """From notes where what was recalled stands, has moved, or is gone: the same lines of MEMORY.md, the same store."""
    jobs: list[tuple[str, list[Any]]] = []
    asked, theirs_in = [], []
    for place, dice in places(tmp_path, "promote"):
        for path in dict.fromkeys(one.replace("\\", "/").removeprefix("./") for one in PATHS):
            if path.endswith((".md", ".txt")) and dice.random() < 0.8 and path != "MEMORY.md":
                rows = dice.sample(LINES, len(LINES) - dice.randrange(4))
                place.write(path, "\n".join(rows) + dice.choice(("", "\n")))
        gates = Gates(0.3, 1, 1, 14.0, 60.0, dice.randrange(1, 12), OPENCLAW)
        asked.append((place, gates))
        twin = Place(place.root.with_name(f"{place.root.name}-theirs"))
        shutil.copytree(place.root, twin.root)
        theirs_in.append(twin)
        jobs.append(("repairShortTermPromotionArtifacts", [{"workspaceDir": str(twin.root)}]))
        jobs.append(("rankShortTermPromotionCandidates", [options_of(twin, gates)]))
    ranked = openclaw(*jobs)[1::2]
    applied = openclaw(
        *(
            ("applyShortTermPromotions", [options_of(twin, gates, candidates=rows, limit=gates.limit)])
            for twin, (_, gates), rows in zip(theirs_in, asked, ranked, strict=True)
        )
    )
    many = 0
    for (place, gates), twin, done in zip(asked, theirs_in, applied, strict=True):
        place.write(
            "mneme.toml",
            f'profile = "openclaw"\n[schedule]\ntimezone = "UTC"\n[budgets]\nmemory_lines = 9999\nmemory_chars = 999999\n'
            f'[dream]\nscoring = "openclaw"\nmin_score = {gates.min_score}\nmin_recalls = 1\nmin_queries = 1\n'
            f"max_age_days = 60\nlimit = {gates.limit}\n",
        )
        place.dream(NOW, ["deep"], force=True)
        assert bullets(place) == bullets(twin), place.root
        assert markers(place.read("MEMORY.md")) == {one["key"] for one in done["appliedCandidates"]}
        assert promoted(place) == promoted(twin)
        many += done["applied"]
    assert many > STORES


def bullets(place: Place) -> list[str]:
    """Return the markers and bullets of MEMORY.md, as they stand."""
    rows = place.read("MEMORY.md").splitlines()
    return [row for row in rows if row.startswith(("- ", "<!-- openclaw-", "## Promoted From"))]


def promoted(place: Place) -> dict[str, Any]:
    """Return what the store says of each entry that was promoted now: where it stands, and its words."""
    entries = json.loads(place.read(STORE))["entries"]
    names = ("startLine", "endLine", "snippet", "promotedAt")
    return {key: [one[name] for name in names] for key, one in entries.items() if one.get("promotedAt") == iso(NOW)}


def test_both_count_alike(tmp_path: Path) -> None:
    """Recalls, ingestions and what a backfill staged, one after the other: the same store, field by field."""
    latin = [line for line in LINES if line.isascii()]
    jobs: list[tuple[str, list[Any]]] = []
    places_of: list[Place] = []
    for number in range(STORES):
        dice, place = random.Random(f"count {number}"), Place(tmp_path / "count" / str(number))  # noqa: S311
        place.write("MEMORY.md", "")
        entries = dict(parse_entries(None, NOW).by_key)
        for step in range(dice.randrange(2, 40)):
            at = NOW - timedelta(days=20 - step / 2)
            line, many = dice.randrange(1, 4), dice.choice((1, 2))
            path, snippet = dice.choice(PATHS[:4]), dice.choice(latin)
            score = dice.choice((0.62, 0.58, 1.4, -0.2, dice.random()))
            query, day = f"  Question {dice.randrange(50)} ", at.date().isoformat()
            told = {"workspaceDir": str(place.root), "query": query, "nowMs": at.timestamp() * 1000, "timezone": "UTC", "dayBucket": day}  # fmt: skip
            where = {"path": path, "startLine": line, "endLine": line, "snippet": snippet, "score": score}
            seen = Seen(path, line, line, snippet, score)
            if dice.random() < 0.2:
                jobs.append(
                    ("recordGroundedShortTermCandidates", [{**told, "items": [{**where, "signalCount": many}]}])
                )
                if is_short_term(path):
                    count_staged(entries, hash_query(query), [seen], signals=many, now=at, day=day)
                continue
            kind, once = dice.choice((RECALL, RECALL, DAILY)), dice.random() < 0.5
            more = {"results": [{**where, "source": "memory"}], "signalType": kind, "dedupeByQueryPerDay": once}
            jobs.append(("recordShortTermRecalls", [{**told, **more}]))
            count_seen(entries, hash_query(query), [seen], now=at, day=day, kind=kind, once_a_day=once)
        place.write("ours.json", json.dumps({key: one.as_json() for key, one in entries.items()}))
        places_of.append(place)
    openclaw(*jobs)
    for place in places_of:
        ours, theirs = json.loads(place.read("ours.json")), json.loads(place.read(STORE))["entries"]
        assert different(ours, theirs) == [], place.root


def different(ours: dict[str, Any], theirs: dict[str, Any]) -> list[Any]:
    """Return what two stores do not have in common: keys, and fields of entries."""
    apart: list[Any] = sorted(set(ours) ^ set(theirs))
    for key in set(ours) & set(theirs):
        one, two = ours[key], theirs[key]
        apart += [(key, name, one.get(name), two.get(name)) for name in {*one, *two} if one.get(name) != two.get(name)]
    return [repr(one) for one in apart]


def test_both_repair_alike(tmp_path: Path) -> None:
    """What is dropped, what is put in order, and what the tags of words in Latin letters become."""
    asked = [place for place, _ in places(tmp_path, "repair")]
    for place in asked:  # it takes the time of day for a moment that is missing, and asks the clock
        store = json.loads(place.read(STORE))
        for one in store["entries"].values():
            for name in ("firstRecalledAt", "lastRecalledAt"):
                one[name] = one[name] if iso_day(one.get(name, "")) else iso(NOW)
        place.write(STORE, json.dumps(store))
    before = [place.read(STORE).encode() for place in asked]
    done = openclaw(*(("repairShortTermPromotionArtifacts", [{"workspaceDir": str(place.root)}]) for place in asked))
    for place, content, result in zip(asked, before, done, strict=True):
        mine = repaired(parse_entries(content, NOW), NOW)
        theirs = json.loads(place.read(STORE))["entries"]
        assert mine.dropped == result["removedInvalidEntries"], place.root
        assert different({key: one.as_json() for key, one in mine.by_key.items()}, theirs) == [], place.root


def test_both_read_its_settings_alike() -> None:
    """Numbers, texts that are numbers, blanks, what is out of range, and what is no number at all."""
    odd = [0, 1, 3, 0.5, -1, 1.7, "5", " 0.9 ", "", " ", "much", None, True, "1e1"]
    names = ("limit", "minScore", "minRecallCount", "minUniqueQueries", "recencyHalfLifeDays", "maxAgeDays")
    dice = random.Random("settings")  # noqa: S311
    drawn = []
    for _ in range(200):
        deep = {name: dice.choice(odd) for name in names if dice.random() < 0.7}
        look = {"lookbackDays": dice.choice(odd)}
        mode = {"mode": dice.choice(("inline", "BOTH", "x", 3, None))}
        drawn.append(
            {"enabled": dice.choice((True, "true", "no", 1)), "storage": mode, "phases": {"deep": deep, "light": look}}
        )
    theirs = openclaw(*(("resolveMemoryDreamingConfig", [{"pluginConfig": {"dreaming": one}}]) for one in drawn))
    for said, read in zip(drawn, theirs, strict=True):
        mine, deep = parse_dreaming(said), read["phases"]["deep"]
        assert (mine.enabled, mine.storage) == (read["enabled"], read["storage"]["mode"]), said
        assert [mine.limit, mine.min_score, mine.min_recalls, mine.min_queries, mine.half_life_days, mine.max_age_days] == [deep[name] for name in names], said  # fmt: skip
        assert mine.light_days == read["phases"]["light"]["lookbackDays"], said


def test_both_cut_notes_alike() -> None:
    """Long lines, blank ones, wide characters, and every size of stretch and overlap."""
    dice = random.Random("cut")  # noqa: S311
    words = (
        "backup",
        "路由器备份",
        "ルーター",
        " ",
        "",
        "x" * 90,
        "Sauvegarde du routeur",
        "라우터",
        "é" * 30,
        "，。！",
    )
    drawn = []
    for _ in range(STORES * 4):
        rows = ["".join(dice.choice(words) for _ in range(dice.randrange(0, 9))) for _ in range(dice.randrange(0, 60))]
        drawn.append(("\n".join(rows), dice.choice((8, 20, 50, 400)), dice.choice((0, 4, 10, 80))))
    jobs = (("chunkMarkdown", [text, {"tokens": tokens, "overlap": overlap}]) for text, tokens, overlap in drawn)
    for (text, tokens, overlap), rows in zip(drawn, openclaw(*jobs), strict=True):
        mine = [(one.line, one.end_line, one.text) for one in cut_passages(text, tokens, overlap)]
        assert mine == [(row["startLine"], row["endLine"], row["text"]) for row in rows], (text, tokens, overlap)
