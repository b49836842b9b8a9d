"""The Markdown memory: `pieces` reads a note for lists and the index."""
