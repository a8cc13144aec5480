"""The worker: Celery tasks, run driver, connectors to hosts and the scheduler process."""
