"""Campaigns and their runs: planning, scheduling, recording, results and verdicts."""
