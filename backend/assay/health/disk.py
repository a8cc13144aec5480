"""The disk that the appliance itself writes to: its home, and SQLite's database."""

import os
from pathlib import Path

from assay.db.database import engine
from assay.health.schemas import DiskHealth
from assay.settings import settings

MB = 10**6
LEAST_FREE_BYTES = 250 * MB
"""About what a hundred measured hosts write in an hour."""

LEAST_FREE_SHARE = 0.05
"""Of a small disk this is enough."""

FULL_BYTES = MB
"""Nothing can be relied on to fit into less."""


def disk() -> DiskHealth:
    """The file system of the appliance's that has the least space left, looked at now."""
    return min(map(_look, _folders()), key=lambda found: (found.ok, found.free_bytes))


def _folders() -> list[Path]:
    home = settings().home.resolve()
    url = engine().url
    if url.get_backend_name() == "sqlite" and url.database:
        return [home, Path(url.database).resolve().parent]
    return [home]


def _look(folder: Path) -> DiskHealth:
    """One folder's file system, or that of the place where the folder is yet to be made."""
    place = next(path for path in (folder, *folder.parents) if path.exists())
    seen = os.statvfs(place)
    free, size = seen.f_bavail * seen.f_frsize, seen.f_blocks * seen.f_frsize
    if free >= min(LEAST_FREE_BYTES, LEAST_FREE_SHARE * size):
        return DiskHealth(ok=True, path=str(folder), free_bytes=free)
    how = "full" if free < FULL_BYTES else "nearly full"
    detail = f"The appliance's disk is {how}: {free / MB:.1f} MB left on {folder}. Free some."
    return DiskHealth(ok=False, path=str(folder), free_bytes=free, detail=detail)
