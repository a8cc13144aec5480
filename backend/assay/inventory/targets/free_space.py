"""Free space of a target, from its newest inspection."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assay.inventory.targets.acceptance import identity
from assay.tables.hosts import Inventory
from assay.tables.targets import Target


@dataclass(frozen=True)
class FreeSpace:
    """Free and total bytes, and the time of the observation."""

    free_bytes: int
    size_bytes: int
    seen_at: datetime


def free_space(target: Target, inventory: Inventory | None) -> FreeSpace:
    """Return the free space from the newer of the target's last check and the host's inventory.

    `inventory` is the newest of the target's host. A mount counts only if it is the registered file
    system.
    """
    if inventory is not None and inventory.taken_at > target.checked_at:
        mounts: list[dict[str, Any]] = inventory.body.get("filesystems") or []
        for mounted in mounts:
            if _is_of(target, mounted) and mounted.get("free_bytes") is not None:
                return FreeSpace(mounted["free_bytes"], mounted["size_bytes"], inventory.taken_at)
    return FreeSpace(target.facts["free_bytes"], target.facts["size_bytes"], target.checked_at)


def _is_of(target: Target, mounted: Mapping[str, Any]) -> bool:
    same_mount = mounted.get("mount") == target.facts.get("mount")
    return same_mount and identity(mounted) == target.identity
