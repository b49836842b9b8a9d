"""Memory over the Model Context Protocol: `table` names the tools, `answers` gives them, `server` speaks the protocol.

Built on the official SDK, which is an extra: nothing else of mneme imports it.
"""
