"""When upkeep is due: `times` reads and reckons with the hours of a week, `jobs` keeps what ran and says what is due.

Nothing here runs a job or reads a clock; the engine does the one, and the surfaces the other.
"""
