"""Proof of `docker-compose.yml`: built, started, disturbed, scaled and removed on this machine."""
