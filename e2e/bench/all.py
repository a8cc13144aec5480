"""`make bench`: every figure that Assay promises, measured on this machine, as one table."""
