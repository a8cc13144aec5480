"""The secrets that open hosts."""
