"""What the API says on the first page."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from assay.hosts.schemas import HostOut
from assay.runs.schemas import LatestResult, RunSummary


class Need(BaseModel):
    """Something that goes on only when a person acts; `link` is a page of the browser's, if any."""

    kind: Literal["disk_full", "database", "host_key", "host", "run_lost", "no_worker"]
    message: str
    link: str | None


class Overview(BaseModel):
    """What runs, what waits and for what, what needs a person, what came out lately."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "running": [],
                    "waiting": [],
                    "needs": [
                        {
                            "kind": "host_key",
                            "message": "web-1 offers a key that nobody has approved",
                            "link": "/hosts/5",
                        }
                    ],
                    "latest": [],
                    "hosts_with_trouble": [],
                }
            ]
        }
    )

    running: list[RunSummary]
    waiting: list[RunSummary]
    needs: list[Need]
    latest: list[LatestResult]
    hosts_with_trouble: list[HostOut]
