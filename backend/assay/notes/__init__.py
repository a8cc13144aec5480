"""Notes on campaigns, runs and arrays."""
