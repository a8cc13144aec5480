"""Inventories: what a host is made of, kept append-only."""

import copy
from typing import Any

from assay.hosts.models import Inventory
from sqlalchemy import select
from sqlalchemy.orm import Session

PASSING = ("free_bytes", "boot_id", "mem_available")
"""Facts that change by themselves and make no new inventory."""


def record(session: Session, host_id: int, found: dict[str, Any], digest: str) -> Inventory:
    """The host's newest inventory, if it still says what was found, else a new one."""
    body = {name: value for name, value in found.items() if name != "target"}
    newest = session.scalars(
        select(Inventory).where(Inventory.host_id == host_id).order_by(Inventory.id.desc()).limit(1)
    ).first()
    if newest is not None and _lasting(newest.body) == _lasting(body):
        return newest
    inventory = Inventory(host_id=host_id, probe=digest[:12], body=copy.deepcopy(body))
    session.add(inventory)
    session.flush()
    return inventory


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _lasting(v) for k, v in value.items() if k not in PASSING}  # pyright: ignore
    if isinstance(value, list):
        return [_lasting(item) for item in value]  # pyright: ignore
    return value
