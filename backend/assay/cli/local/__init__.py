"""What needs the database of this machine: commands, and tokens without a person's login."""
