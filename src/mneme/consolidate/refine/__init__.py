"""Verifying what was dreamt and what is new: `look` finds what is doubtful, `classes` says what is what, `report` tells it.

Nothing here writes, opens a workspace or asks a model; the engine gathers what is looked at and hands it over.
"""
