"""Comparison of runs: differences in their conditions and results."""
