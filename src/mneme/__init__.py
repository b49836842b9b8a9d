"""Mneme: durable memory for agents, as plain text that people and agents edit together."""
