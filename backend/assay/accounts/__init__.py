"""Who may do what: users, sessions, tokens, roles and the audit log."""
