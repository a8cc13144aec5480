"""Tools: the programs of others that operators may measure, and their commands."""
