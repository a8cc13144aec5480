"""Pure judgement: numbers in, numbers out, no database."""
