"""Tests on their participants, their trials, and the raw record."""
