"""Samples of each sampling interval, and their roll-ups."""
