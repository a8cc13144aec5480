"""Users, sessions, API tokens, roles and the audit log."""
