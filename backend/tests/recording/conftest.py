"""The database and the API that these tests read and write."""

from databases import api, database

__all__ = ["api", "database"]
