"""Health of database, disk, queue and workers."""
