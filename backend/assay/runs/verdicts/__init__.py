"""Acceptance criteria and verdicts."""
