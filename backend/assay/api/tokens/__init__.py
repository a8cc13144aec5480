"""API tokens: what they may do, and how much of it they have used."""
