"""What callers may do, and the record of what they did."""
