"""The database and the API that these tests read and write."""

from testing.databases import api, database

__all__ = ["api", "database"]
