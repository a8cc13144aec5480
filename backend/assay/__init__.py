"""Assay: domain model, API and command line for storage qualification."""

__version__ = "0.1.0"
