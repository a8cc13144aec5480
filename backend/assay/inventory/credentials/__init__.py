"""SSH keys and passwords for logins on hosts."""
