"""The driver of a run: prepare, start, follow, finish, in a coroutine that may stop anywhere.

Each step can be repeated: what has been done is read from the database and from the host, never
remembered. So a run whose driver was killed at any point is simply continued by another worker.
"""
