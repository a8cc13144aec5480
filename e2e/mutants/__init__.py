"""Mutants: one small error at a time in the source, which named tests must detect."""
