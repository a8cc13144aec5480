"""Sending of webhooks, in the scheduler's process."""
