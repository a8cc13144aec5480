"""Whether the parts of this installation answer."""
