"""The directories in which tests may write."""
