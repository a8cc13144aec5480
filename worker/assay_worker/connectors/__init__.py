"""Ways to a host: one small interface, by SSH or on the machine itself."""
