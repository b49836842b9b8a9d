"""Dreaming: what was noted and asked about by day is weighed at night, and the little that lasts goes to MEMORY.md.

Three phases, one plan. Light looks at the last days, REM at the last week; both write nothing but the diary. Deep ranks
what was recalled, promotes what passes every gate as one sentence with its source, and lets fade what nobody needs any
more. The state lies in `memory/.dreams/` in the files that OpenClaw's dreaming keeps there, so that either can go on
where the other stopped. Everything here is planned from files and a moment that are given; nothing is written.
"""
