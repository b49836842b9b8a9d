"""The kinds of memory on disk, one module each: reading it, and planning changes to it."""
