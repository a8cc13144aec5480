"""Runs, their participants and trials, and the raw record."""
