"""The states of a host and of its checks."""

NEW = "new"
KEY_UNAPPROVED = "key_unapproved"
KEY_CHANGED = "key_changed"
READY = "ready"
UNREACHABLE = "unreachable"
ERROR = "error"
DELETING = "deleting"

NOT_READY = {
    NEW: ("has not been checked", "Check the host first."),
    KEY_UNAPPROVED: (
        "has an unapproved host key",
        "Verify the fingerprint on the host and approve the key.",
    ),
    KEY_CHANGED: (
        "has a changed host key",
        "Find out why, then verify the new fingerprint on the host and approve the key.",
    ),
    UNREACHABLE: ("could not be reached at the last check", "Check the host again."),
    ERROR: ("failed the last check", "Fix the cause and check the host again."),
    DELETING: ("is being deleted", "Select another host."),
}
"""For each state other than ready: the reason and the remedy."""

CHECKED = frozenset({"ok", "failed"})
"""The states of a check that has ended."""

LONGEST_WAIT_S = 45
"""How long a registration waits for the end of its check: shorter than the claim of an idempotency
key, since a repeat must not execute the request again."""
