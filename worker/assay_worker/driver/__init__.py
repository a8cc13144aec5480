"""The driver of a run: prepare, start, follow, finish, in slices that may end anywhere.

Each step can be repeated: what has been done is read from the database and from the host, never
remembered. So a slice that was killed at any point is simply begun again by another worker.
"""
