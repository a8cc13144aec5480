"""Runs side by side: what differs in their conditions, and what in their figures."""
