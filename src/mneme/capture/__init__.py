"""What happens while an agent works, taken down: turns as they go by, and what came of the tools used in them."""
