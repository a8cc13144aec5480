"""Users and sessions: logging in, and who a request is from."""
