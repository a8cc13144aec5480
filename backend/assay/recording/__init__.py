"""From the probe's events to raw chunks and samples, and back from the raw log."""
