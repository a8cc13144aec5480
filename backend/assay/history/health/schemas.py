"""API types of the installation's health."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict


class DatabaseHealth(BaseModel):
    """Whether the database responds and accepted the last write."""

    ok: bool
    kind: str
    detail: str | None = None


class DiskHealth(BaseModel):
    """Whether the appliance's own disk has enough free space."""

    ok: bool
    path: str
    free_bytes: int
    detail: str | None = None


class QueueHealth(BaseModel):
    """Whether the queue responds."""

    ok: bool
    detail: str | None = None


class WorkerHealth(BaseModel):
    """Last heartbeat of a worker; `problem` describes its failure, if any."""

    name: str
    seen_at: datetime
    problem: str | None = None


class Health(BaseModel):
    """Health of the installation; `degraded` if a part does not respond or lacks space."""

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
