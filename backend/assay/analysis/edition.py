"""The version of all rules that turn measurements into results: rates, sources, flags, headline."""

EDITION = "26"
"""Changes whenever the same measurement would be evaluated or stored differently."""
