"""Links that show the report of a campaign without a login."""
