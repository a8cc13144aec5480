"""The states of a host."""

NEW = "new"
KEY_UNAPPROVED = "key_unapproved"
KEY_CHANGED = "key_changed"
READY = "ready"
UNREACHABLE = "unreachable"
ERROR = "error"
DELETING = "deleting"
