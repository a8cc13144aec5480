"""`assay up`: a supervisor that starts, restarts and stops the other processes."""
