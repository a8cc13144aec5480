"""What an array measured over time, and what changed meanwhile."""
