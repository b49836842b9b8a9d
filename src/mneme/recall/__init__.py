"""Question -> the memories that answer it, each with its score, its trust and its reasons; or nothing.

`find.find_answer` is the one way in. It is given an index and the present day, looks nothing up anywhere else, and
writes nothing: what was recalled is logged by the engine. Nothing is imported here: an answer (`answer`) can be read
without what finds one.
"""
