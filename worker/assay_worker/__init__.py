"""Drives runs: Celery tasks, connectors to hosts, and the reconciler."""
