"""Schedules: campaigns that are launched at the times of a cron expression."""
