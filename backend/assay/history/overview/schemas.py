"""API types of the overview."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from assay.inventory.hosts.schemas import HostOut
from assay.runs.schemas import LatestResult, RunSummary


class Issue(BaseModel):
    """A problem that needs a user's action; `link` is a page of the web interface, if any."""

    kind: Literal[
        "disk_full",
        "database",
        "host_key",
        "host",
        "certificate",
        "run_lost",
        "no_worker",
        "verdict_failed",
        "webhook",
        "schedule",
    ]
    message: str
    link: str | None


class Overview(BaseModel):
    """Active runs, queued runs with their obstacles, problems and recent results."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "running": [],
                    "queued": [],
                    "issues": [
                        {
                            "kind": "host_key",
                            "message": "web-1 has an unapproved host key",
                            "link": "/hosts/5",
                        }
                    ],
                    "latest": [],
                    "hosts_with_problems": [],
                }
            ]
        }
    )

    running: list[RunSummary]
    queued: list[RunSummary]
    issues: list[Issue]
    latest: list[LatestResult]
    hosts_with_problems: list[HostOut]
