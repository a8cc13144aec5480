"""Saved views: named filters and orders of lists, each of one user."""
