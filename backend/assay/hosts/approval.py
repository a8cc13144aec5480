"""Approval of host keys: no login before a user has verified the fingerprint."""

from assay.hosts import lifecycle
from assay.hosts.keys import shown
from assay.hosts.models import Host
from assay.hosts.schemas import HostKey
from assay.http.errors import Conflict
from assay.http.field_errors import FieldError


class NoKeyOffered(Conflict):
    """There is no key to approve."""

    code, title = "no_key_offered", "No new host key to approve"


class HostKeyMismatch(Conflict):
    """The offered key is not the one that the user verified."""

    code, title = "host_key_mismatch", "The fingerprint does not match"

    def __init__(self, given: str, offered: str) -> None:
        """Show both fingerprints."""
        super().__init__(
            f"The host offers {offered}, not {given}.",
            "Verify the fingerprint on the host again.",
            errors=[
                FieldError("fingerprint", "is not the offered key's", f"Verify {offered}.", given)
            ],
        )


def is_of(key: HostKey, fingerprint: str) -> bool:
    """Return whether this is the key's fingerprint, as a user typed it."""
    return fingerprint.strip() == key.fingerprint


def approve(host: Host, fingerprint: str) -> HostKey:
    """Pin the offered key and return it; raises NoKeyOffered or HostKeyMismatch."""
    offered = shown(host.offered_key)
    if offered is None:
        raise NoKeyOffered(remedy="Check the host first: the check fetches its key.")
    if not is_of(offered, fingerprint):
        raise HostKeyMismatch(fingerprint, offered.fingerprint)
    host.approved_key, host.offered_key, host.expected_keys = host.offered_key, None, []
    host.state, host.state_code = lifecycle.NEW, None
    host.state_reason = "The key is approved. Check the host."
    return offered
