"""Webhooks: events sent over HTTP to other systems, as defined by Standard Webhooks."""
