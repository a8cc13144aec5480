"""What the kinds that move data from a source to a sink share. It is no kind itself."""
