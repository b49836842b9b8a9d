"""Hooks as hosts run them: real processes, a real engine."""
