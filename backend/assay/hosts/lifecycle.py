"""The states of a host."""

NEW = "new"
KEY_UNAPPROVED = "key_unapproved"
KEY_CHANGED = "key_changed"
READY = "ready"
UNREACHABLE = "unreachable"
ERROR = "error"
DELETING = "deleting"

NOT_READY = {
    NEW: ("still has to be checked", "Check the host first."),
    KEY_UNAPPROVED: (
        "shows a key that nobody has approved yet",
        "Compare the key with the host's own, and approve it.",
    ),
    KEY_CHANGED: (
        "shows another key than the approved one",
        "Find out why; then compare the new key with the host's own, and approve it.",
    ),
    UNREACHABLE: ("could not be reached at the newest check", "Check the host again."),
    ERROR: ("could not be used at the newest check", "Remove the cause, and check the host again."),
    DELETING: ("is being deleted", "Choose another host."),
}
"""Why nothing can be done on a host in such a state, and what to do."""
