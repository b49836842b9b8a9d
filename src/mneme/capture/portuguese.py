"""How people say in Portuguese, in so many words, what is worth keeping; the same rules as for English, with fewer rows."""

from __future__ import annotations

from mneme.capture.english import BOTH, SPEECH

ROWS: tuple[tuple[str, str, str], ...] = (
    ("correction", SPEECH, r"^(?:não|nao)\s*[,:;.—-]+\s*(?:é|o|a|os|as|use|eu)\b|^na verdade\b|\best[áa] errad[oa]\b|\beu quis dizer\b"),
    ("decision", BOTH, r"\b(?:decidimos|decidi|optamos por|vamos (?:usar|ficar com|adotar))\b|^decis[ãa]o\s*:"),
    ("preference", SPEECH, r"\b(?:prefiro|gosto de|n[ãa]o gosto)\b|^(?:sempre|nunca)\b|\b(?:a partir de agora|de agora em diante)\b"),
    ("fact", SPEECH, r"^(?:lembre|lembra|anote|anota)\b|\bmeu (?:nome|email|fuso|cargo)\b.{0,20}\b[ée]\b|^(?:eu )?sou uma? \w+"),
)  # fmt: skip
HEDGED = (r"^(?:se|talvez|será|devemos|posso|pode)\b",)
