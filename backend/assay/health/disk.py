"""Free space where the appliance stores its own state: `ASSAY_HOME` and the SQLite database."""

import os
from pathlib import Path

from assay.db.database import engine
from assay.health.schemas import DiskHealth
from assay.settings import settings

MB = 10**6
LEAST_FREE_BYTES = 250 * MB
"""About what runs on a hundred hosts store in an hour."""

LEAST_FREE_SHARE = 0.05
"""Sufficient on a small disk."""

FULL_BYTES = MB
"""With less than this, no write is certain to fit."""


def disk() -> DiskHealth:
    """Return the current state of the appliance's file system with the least free space."""
    return min(map(_inspect, _directories()), key=lambda found: (found.ok, found.free_bytes))


def _directories() -> list[Path]:
    home = settings().home.resolve()
    url = engine().url
    if url.get_backend_name() == "sqlite" and url.database:
        return [home, Path(url.database).resolve().parent]
    return [home]


def _inspect(folder: Path) -> DiskHealth:
    """Return the state of a directory's file system; the directory need not exist yet."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    seen = os.statvfs(existing)
    free, size = seen.f_bavail * seen.f_frsize, seen.f_blocks * seen.f_frsize
    if free >= min(LEAST_FREE_BYTES, LEAST_FREE_SHARE * size):
        return DiskHealth(ok=True, path=str(folder), free_bytes=free)
    how = "full" if free < FULL_BYTES else "nearly full"
    detail = f"The appliance's disk is {how}: {free / MB:.1f} MB free in {folder}. Free some space."
    return DiskHealth(ok=False, path=str(folder), free_bytes=free, detail=detail)
