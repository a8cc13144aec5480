"""Events about hosts for webhooks."""

from datetime import timedelta

from sqlalchemy.orm import Session

from assay.base.webhook_events import HostIdentity, HostKeyChanged, HostUnreachable, links
from assay.inventory.hosts import lifecycle
from assay.inventory.hosts.keys import shown
from assay.tables import outbox
from assay.tables.clock import now
from assay.tables.hosts import Host

SAME_OUTAGE = timedelta(minutes=10)
"""A host that stops responding again within this time is still in the same outage."""


def announce_problem(session: Session, host: Host, former: str) -> None:
    """Store the event of a host whose state was `former`, or that offers another key than before.

    The caller has locked its row, so that each change has one event.
    """
    if host.state == lifecycle.KEY_CHANGED:
        outbox.put(session, "host.key_changed.v1", lambda: _key_changed(host))
    elif host.state == lifecycle.UNREACHABLE and former != lifecycle.UNREACHABLE:
        before, present = host.unreachable_at, now(session)
        host.unreachable_at = present
        if before is None or present - before >= SAME_OUTAGE:
            outbox.put(session, "host.unreachable.v1", lambda: _unreachable(host))


def _key_changed(host: Host) -> HostKeyChanged:
    approved, offered = shown(host.approved_key), shown(host.offered_key)
    return HostKeyChanged(
        host=_identity(host),
        approved_fingerprint=approved and approved.fingerprint,
        offered_fingerprint=offered and offered.fingerprint,
        links=links(f"hosts/{host.id}", f"hosts/{host.id}"),
    )


def _unreachable(host: Host) -> HostUnreachable:
    return HostUnreachable(
        host=_identity(host),
        reason=host.state_reason or "",
        last_seen_at=host.last_seen_at,
        links=links(f"hosts/{host.id}", f"hosts/{host.id}"),
    )


def _identity(host: Host) -> HostIdentity:
    return HostIdentity(id=host.id, name=host.name, address=host.address, reference=host.reference)
