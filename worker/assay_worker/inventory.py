"""Storage of inventories."""

from typing import Any

from assay.hosts.models import Inventory
from sqlalchemy.orm import Session


def record(session: Session, host_id: int, found: dict[str, Any], digest: str) -> Inventory:
    """Store an inspection of the host, without the target that was inspected with it."""
    body = {name: value for name, value in found.items() if name != "target"}
    inventory = Inventory(host_id=host_id, probe=digest[:12], body=body)
    session.add(inventory)
    session.flush()
    return inventory
