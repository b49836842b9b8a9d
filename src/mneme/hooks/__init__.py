"""What a host program runs at each event of a session: a thin client, and the same answer without an engine.

Nothing here ever harms the host: whatever happens, a hook exits 0 within its deadline with a valid answer or none.
"""
