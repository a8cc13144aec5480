"""Ingest of the probe's events into raw chunks and samples, and rebuilding from the raw log."""
