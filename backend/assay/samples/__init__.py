"""What was seen in each sampling interval, and its roll-ups."""
