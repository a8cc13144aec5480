"""Targets: directories in which tests may write."""
