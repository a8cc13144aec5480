"""Pure statistics and rules: numbers in, numbers out, no database."""
