"""The free space of a target, from whichever look at it is the newest."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assay.hosts.models import Inventory
from assay.targets.acceptance import identity
from assay.targets.models import Target


@dataclass(frozen=True)
class FreeSpace:
    """Bytes that are free, of how many, and when that was so."""

    free_bytes: int
    size_bytes: int
    seen_at: datetime


def free_space(target: Target, inventory: Inventory | None) -> FreeSpace:
    """What the newest look says: at the target's directory, or since then at all its host's mounts.

    `inventory` is the newest of the target's host. A mount with another file system than the one
    that was registered says nothing about the target.
    """
    if inventory is not None and inventory.taken_at > target.checked_at:
        mounts: list[dict[str, Any]] = inventory.body.get("filesystems") or []
        for mounted in mounts:
            if _is_of(target, mounted) and mounted.get("free_bytes") is not None:
                return FreeSpace(mounted["free_bytes"], mounted["size_bytes"], inventory.taken_at)
    return FreeSpace(target.facts["free_bytes"], target.facts["size_bytes"], target.checked_at)


def _is_of(target: Target, mounted: Mapping[str, Any]) -> bool:
    same_place = mounted.get("mount") == target.facts.get("mount")
    return same_place and identity(mounted) == target.identity
