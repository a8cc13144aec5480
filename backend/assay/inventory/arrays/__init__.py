"""Storage systems under test."""
