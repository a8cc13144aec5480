"""Approving a host's key: Assay logs in nowhere before a person has compared it."""

from assay.hosts import lifecycle
from assay.hosts.keys import shown
from assay.hosts.models import Host
from assay.hosts.schemas import HostKey
from assay.http.errors import Conflict
from assay.http.field_errors import FieldError


class NoKeyOffered(Conflict):
    """There is nothing to approve."""

    code, title = "no_key_offered", "The host has offered no new key"


class HostKeyMismatch(Conflict):
    """The key on offer is not the one that was compared."""

    code, title = "host_key_mismatch", "That is not the key on offer"

    def __init__(self, given: str, offered: str) -> None:
        """Show both."""
        super().__init__(
            f"The host offers {offered}, not {given}. Compare again; do not approve in a hurry.",
            [FieldError("fingerprint", "is not of the key on offer", f"Compare {offered}.", given)],
        )


def approve(host: Host, fingerprint: str) -> HostKey:
    """Pin the key on offer; raises NoKeyOffered or HostKeyMismatch."""
    offered = shown(host.offered_key)
    if offered is None:
        raise NoKeyOffered("Check the host first: that asks for its key.")
    if fingerprint.strip() != offered.fingerprint:
        raise HostKeyMismatch(fingerprint, offered.fingerprint)
    host.approved_key, host.offered_key = host.offered_key, None
    host.state, host.state_reason = lifecycle.NEW, "The key is approved; check the host."
    return offered
