"""Reports of `table.py --json` and `fit.py --json` -> the figures of docs/recall.md, and the diagram beside it.

    bench/table.py --data DIR --peers --json > report.json && bench/page.py report.json
    bench/fit.py --data DIR --check --json > fit.json && bench/page.py fit.json

What stands between the page's marks is written again; the words around them are a person's.
"""

from __future__ import annotations

import json
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs/recall.md"
DIAGRAM = PAGE.with_name("reliability.svg")
MARKS = ("<!-- {}: begin -->", "<!-- {}: end -->")
CATEGORIES = {"1": "several turns", "2": "when", "3": "open", "4": "one turn"}
HEADINGS = {"recall@5": "recall@5", "recall@10": "recall@10", "hit@10": "hit@10", "mrr": "MRR", "ndcg@10": "nDCG@10"}
LEFT_OUT, SHIPPED = "mneme, left out", "mneme"
SIZE, EDGE = 320, 40


def main() -> int:
    """Read a report, write its part of the page."""
    report = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    if "unseen" in report:
        put("held out", held_out(report))
        return 0
    put("figures", figures(report))
    DIAGRAM.write_text(diagram(report["silence"].get(LEFT_OUT) or report["silence"][SHIPPED]), "utf-8")
    return 0


def put(name: str, text: str) -> None:
    """Write what stands between two marks of the page again."""
    begin, end = (mark.format(name) for mark in MARKS)
    page = PAGE.read_text("utf-8")
    before, after = page.partition(begin)[0], page.partition(end)[2]
    PAGE.write_text(f"{before}{begin}\n\n{text}\n{end}{after}", "utf-8")


def held_out(report: dict) -> str:
    """Return what held-out questions got as Markdown: beside those of their kind, and with none of their kind seen."""
    known, unseen = report["both"]["sets"], report["unseen"]
    lines = [
        "| set | | its like were seen | MRR | nothing like it was | MRR | BM25 | cosine | RRF | MRR of the best |",
        "|---|---|" + "--:|" * 8,
    ]
    for name, found in unseen.items():
        figure = "recall@5" if name.startswith(("memsim", "paraphrase")) else "recall@10"
        rulers = [found[one] for one in ("bm25", "dense", "rrf")]
        numbers = [
            known[name][figure],
            known[name]["mrr"],
            found["mneme"][figure],
            found["mneme"]["mrr"],
            *(one[figure] for one in rulers),
            max(one["mrr"] for one in rulers),
        ]
        lines.append(f"| {name} | {figure} | {' | '.join(f'{one:.3f}' for one in numbers)} |")
    return "\n".join(lines) + "\n"


def figures(report: dict) -> str:
    """Return the figures as Markdown."""
    about = report["machine"]
    made = f"Python {about['python']}, {about['cores']} cores, load {about['load'][0]}"
    asked = f"{about['stores']} stores, {about['documents']:,} documents, {about['questions']:,} questions"
    rows = report["figures"]
    sets = list(dict.fromkeys(row["set"] for row in rows))
    parts = [
        f"Measured on {datetime.now(UTC).date()}: {made}; {asked}.",
        *(_set(name, [row for row in rows if row["set"] == name]) for name in sets),
        *(_silence(name, found) for name, found in report["silence"].items()),
    ]
    return "\n\n".join(parts) + "\n"


def _set(name: str, rows: list[dict]) -> str:
    whole = [row for row in rows if row["category"] == "all"]
    lines = [
        f"### {name}, {whole[0]['questions']} questions",
        "",
        f"| | {' | '.join(HEADINGS.values())} |",
        "|---|" + "--:|" * 5,
    ]
    for row in whole:
        best = {one: max(other[one] for other in whole) for one in HEADINGS}
        cells = (f"**{row[one]:.3f}**" if row[one] == best[one] else f"{row[one]:.3f}" for one in HEADINGS)
        lines.append(f"| {_label(row)} | {' | '.join(cells)} |")
    kinds = sorted({row["category"] for row in rows} - {"all"})
    if 1 < len(kinds) <= len(CATEGORIES):
        lines += ["", _kinds(rows, kinds)]
    return "\n".join(lines)


def _kinds(rows: list[dict], kinds: list[str]) -> str:
    systems = list(dict.fromkeys(row["system"] for row in rows))
    held = {(row["system"], row["category"]): row for row in rows}
    titles = [f"{CATEGORIES.get(kind, kind)} ({held[systems[0], kind]['questions']})" for kind in kinds]
    lines = [f"| recall@10 / MRR | {' | '.join(titles)} |", "|---|" + "--:|" * len(kinds)]
    for system in systems:
        cells = (f"{held[system, kind]['recall@10']:.3f} / {held[system, kind]['mrr']:.3f}" for kind in kinds)
        lines.append(f"| {_label(held[system, kinds[0]])} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _label(row: dict) -> str:
    if row["system"] == SHIPPED:
        return f"mneme, as shipped ({row['sample']})"
    return {
        LEFT_OUT: "mneme, this conversation left out of the fit",
        "bm25": "BM25",
        "dense": "cosine",
        "rrf": "BM25 and cosine, RRF",
    }.get(row["system"], row["system"])


def _silence(name: str, found: dict) -> str:
    title = "as shipped" if name == SHIPPED else "the conversation left out of the fit"
    labels = ("answerable answered, injection", "strange answered, injection", "answerable above all but 3% of strange")
    labels += ("answerable answered, asked", "strange answered, asked")
    lines = [f"### Silence, {title}", "", f"| | {' | '.join(labels)} |", "|---|" + "--:|" * len(labels)]
    for one, row in found["points"].items():
        lines.append(f"| {one} | {' | '.join(f'{row[label]:.1%}' for label in labels)} |")
    for one, row in found["emptied"].items():
        lines += _emptied(one, row)
    lines += ["", "| score | hits | said | true |", "|---|--:|--:|--:|"]
    lines += [
        f"| from {row['from']:.1f} | {row['hits']} | {row['said']:.3f} | {row['true']:.3f} |"
        for row in found["reliability"]
    ]
    return "\n".join(lines)


def _emptied(name: str, row: dict) -> list[str]:
    curve = row["curve"]
    given, wrong = (" | ".join(f"{point[one]:.0%}" for point in curve) for one in ("coverage", "risk"))
    told = f"unasked {row['answered, injection']:.0%}, asked {row['answered, asked']:.0%} of those without evidence are answered"
    return [
        "",
        f"{name}, as many questions with their evidence as without it ({row['emptied']} of each): {told}.",
        "",
        f"| answered, surest first | {given} |",
        "|---|" + "--:|" * len(curve),
        f"| of these wrong | {wrong} |",
    ]


def diagram(found: dict) -> str:
    """Return the reliability diagram: what scores said against how often they were true, as large as there are hits."""
    rows = found["reliability"]
    most = max(row["hits"] for row in rows)
    whole = SIZE + 2 * EDGE

    def at(said: float, true: float) -> tuple[float, float]:
        return round(EDGE + said * SIZE, 1), round(EDGE + (1 - true) * SIZE, 1)

    points = [at(row["said"], row["true"]) for row in rows]
    marks = "".join(
        f'<circle cx="{x}" cy="{y}" r="{3 + 7 * (row["hits"] / most) ** 0.5:.1f}"><title>said {row["said"]}, true {row["true"]}, '
        f"{row['hits']} hits</title></circle>"
        for (x, y), row in zip(points, rows, strict=True)
    )
    line = " ".join(f"{x},{y}" for x, y in points)
    words = "".join(
        f'<text x="{EDGE + SIZE * tenth / 10}" y="{whole - EDGE + 16}" text-anchor="middle">{tenth / 10}</text>'
        f'<text x="{EDGE - 8}" y="{EDGE + SIZE * (1 - tenth / 10) + 4}" text-anchor="end">{tenth / 10}</text>'
        for tenth in range(0, 11, 2)
    )
    return re.sub(
        r"\n\s*",
        "\n",
        f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" font-family="sans-serif" font-size="11">
        <rect width="{whole}" height="{whole}" fill="#fff"/>
        <rect x="{EDGE}" y="{EDGE}" width="{SIZE}" height="{SIZE}" fill="none" stroke="#999"/>
        <line x1="{EDGE}" y1="{EDGE + SIZE}" x2="{EDGE + SIZE}" y2="{EDGE}" stroke="#bbb" stroke-dasharray="4"/>
        <polyline points="{line}" fill="none" stroke="#2a6"/>
        <g fill="#2a6">{marks}</g>{words}
        <text x="{EDGE + SIZE / 2}" y="{whole - 6}" text-anchor="middle">what the score said</text>
        <text x="12" y="{EDGE + SIZE / 2}" text-anchor="middle" transform="rotate(-90 12 {EDGE + SIZE / 2})">how often it was true</text>
        </svg>
        """,
    )


if __name__ == "__main__":
    sys.exit(main())
