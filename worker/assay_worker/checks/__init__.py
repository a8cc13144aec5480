"""Checks of hosts and directories that the API requests."""
