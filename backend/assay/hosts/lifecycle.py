"""The states of a host."""

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
