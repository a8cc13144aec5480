"""The worker's own Celery application, in a process that can also connect to simulated hosts."""

from assay_worker.application import application
from fleet import replay

replay.register()

__all__ = ["application"]
