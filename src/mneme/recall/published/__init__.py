"""Search as OpenClaw searches, for workspaces that count recalls in OpenClaw's scoring.

There two programs fill one store, and a recall counts for a stretch of a note with a score. Both have to cut notes into
the same stretches and to score them on one scale, or what was asked of one never adds up with what was asked of the
other. Pure: texts and numbers in, texts and numbers out.
"""
