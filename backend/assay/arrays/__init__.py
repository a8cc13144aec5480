"""The storage systems under test."""
