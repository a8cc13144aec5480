"""Jump hosts: hosts through whose SSH servers others are reached."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.base.errors import Conflict, Invalid
from assay.base.field_errors import FieldError
from assay.inventory.credentials.schemas import HostName
from assay.inventory.hosts import lifecycle
from assay.inventory.hosts.schemas import MOST_JUMPS
from assay.tables.hosts import Host

FIELD = "jump_host_id"


class JumpHostInUse(Conflict):
    """Other hosts are reached through the host."""

    code, title = "jump_host_in_use", "Other hosts are reached through this host"

    def __init__(self, hosts: list[HostName]) -> None:
        """Name the hosts."""
        names = ", ".join(f"'{host.name}'" for host in hosts)
        super().__init__(
            f"It is the jump host of {names}.",
            "Change or delete these hosts first; one that is being deleted is gone in a moment.",
        )
        self.hosts = hosts

    @property
    def facts(self) -> dict[str, Any]:
        """The hosts, in machine-readable form."""
        return {"hosts": [host.model_dump() for host in self.hosts]}


def check_unused(session: Session, host_id: int) -> None:
    """Raise JumpHostInUse if another host is reached through this one."""
    through = select(Host.id, Host.name).where(Host.jump_host_id == host_id).order_by(Host.name)
    if hosts := [HostName(id=number, name=name) for number, name in session.execute(through)]:
        raise JumpHostInUse(hosts)


def check_jump_host(session: Session, jump_id: int | None, host_id: int | None = None) -> None:
    """Lock and check a host's jump hosts; raises Invalid.

    `host_id` is the host if it exists already. Without it, it can be in no cycle.
    """
    if jump_id is None:
        return
    before = [jump_id, *(host.id for host in _chain(session, jump_id))]
    _lock(session, [*before, *([host_id] if host_id is not None else [])])
    chain = _chain(session, jump_id)
    if not chain or chain[0].state == lifecycle.DELETING:
        raise _mistake("does not exist", "Select a host.", jump_id)
    if chain[0].connection != "ssh":
        raise _mistake("is the machine that Assay runs on", "Omit it.", jump_id)
    if host_id is not None and host_id in {host.id for host in chain}:
        way = " → ".join(f"'{host.name}'" for host in chain)
        raise _mistake(f"is reached through this host: {way}", "Select another host.", jump_id)
    count = len(chain) + (_depth_below(session, host_id) if host_id is not None else 0)
    if count > MOST_JUMPS:
        message = f"makes a chain of {count} jump hosts, and the maximum is {MOST_JUMPS}"
        raise _mistake(message, "Select a host that is closer to Assay.", jump_id)


def _chain(session: Session, host_id: int) -> list[Host]:
    """Return the host and its jump hosts, the last of which is reached directly.

    It ends at a host that is in it already, and one host after the longest that is allowed.
    """
    chain: list[Host] = []
    wanted: int | None = host_id
    while wanted is not None and len(chain) <= MOST_JUMPS:
        host = session.get(Host, wanted)
        if host is None or host in chain:
            break
        chain.append(host)
        wanted = host.jump_host_id
    return chain


def _depth_below(session: Session, host_id: int) -> int:
    """Return how many hosts follow this one on the longest way that leads through it."""
    depth, level = 0, [host_id]
    while depth <= MOST_JUMPS:
        level = list(session.scalars(select(Host.id).where(Host.jump_host_id.in_(level))))
        if not level:
            break
        depth += 1
    return depth


def _lock(session: Session, host_ids: Iterable[int]) -> None:
    """Lock hosts in the order of their ids, and read them again."""
    rows = select(Host).where(Host.id.in_(set(host_ids))).order_by(Host.id).with_for_update()
    session.scalars(rows.execution_options(populate_existing=True)).all()


def _mistake(message: str, remedy: str, value: int) -> Invalid:
    return Invalid([FieldError(FIELD, message, remedy, value)])
