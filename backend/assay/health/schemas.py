"""What the API says about its own health."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict


class DatabaseHealth(BaseModel):
    """Whether the database answers, and took the last write."""

    ok: bool
    kind: str
    detail: str | None = None


class DiskHealth(BaseModel):
    """Whether the disk of the appliance's own state has space left."""

    ok: bool
    path: str
    free_bytes: int
    detail: str | None = None


class QueueHealth(BaseModel):
    """Whether the queue answers."""

    ok: bool
    detail: str | None = None


class WorkerHealth(BaseModel):
    """When a worker sent its last heartbeat; `problem` names what fails in it, if anything."""

    name: str
    seen_at: datetime
    problem: str | None = None


class Health(BaseModel):
    """The state of this installation; `degraded` when a part does not answer, or has no space."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "status": "ok",
                    "version": "0.1.0",
                    "setup_required": False,
                    "database": {"ok": True, "kind": "sqlite", "detail": None},
                    "disk": {
                        "ok": True,
                        "path": "/var/lib/assay",
                        "free_bytes": 412_000_000_000,
                        "detail": None,
                    },
                    "queue": {"ok": True, "detail": None},
                    "workers": [{"name": "worker@host", "seen_at": "2026-11-21T01:00:00Z"}],
                }
            ]
        }
    )

    status: Literal["ok", "degraded"]
    version: str
    setup_required: bool
    database: DatabaseHealth
    disk: DiskHealth
    queue: QueueHealth
    workers: list[WorkerHealth]
