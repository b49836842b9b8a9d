"""One open workspace and everything that can be done with it.

The engine wires the parts together and is the only place that names concrete ones; every surface calls it.
"""

from mneme.engine.memory import Memory, open_memory

__all__ = ["Memory", "open_memory"]
