"""Assay's domain and API: what is qualified, where, how, and what came of it."""

__version__ = "0.1.0"
