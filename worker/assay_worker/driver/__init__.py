"""The driver of a run: prepare, start, follow, finish, in a coroutine that may be killed anywhere.

Each step is idempotent: progress is read from the database and the host, never kept in memory. If a
driver is killed at any point, another worker continues the run.
"""
