"""Mutants: one small mistake at a time in the source, which named tests must catch."""
