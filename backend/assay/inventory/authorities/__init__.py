"""Authorities whose certificates identify hosts."""
