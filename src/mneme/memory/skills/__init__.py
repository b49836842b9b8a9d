"""What an agent can do and what came of doing it: cards, workflows, failures, lessons and corrections in the home."""

CARDS = "capabilities.yaml"
WORKFLOWS = "procedural.jsonl"
REFLECTIONS = "reflections.jsonl"
FAILURES = "failures.log"
CORRECTIONS = "feedback.jsonl"
INDEX = "semantic.sqlite"
