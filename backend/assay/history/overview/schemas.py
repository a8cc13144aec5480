"""API types of the overview."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assay.base.states import RunState
from assay.inventory.hosts.schemas import HostOut
from assay.runs.schemas import LatestResult, RunSummary
from assay.runs.verdicts.schemas import VerdictSummary


class Issue(BaseModel):
    """A problem that needs a user's action; `link` is a page of the web interface, if any.

    `campaign_id` is the campaign that can be marked as seen, if it is about one.
    """

    kind: Literal[
        "disk_full",
        "database",
        "host_key",
        "host",
        "certificate",
        "run_lost",
        "no_worker",
        "run_failed",
        "verdict_failed",
        "webhook",
        "schedule",
    ]
    message: str
    link: str | None
    campaign_id: int | None = None


class NewestRun(BaseModel):
    """The newest run of an array that completed or failed."""

    id: int
    state: RunState
    verdict: VerdictSummary | None
    ended_at: datetime | None


class ArrayState(BaseModel):
    """Whether an array is measured at present, and its newest run that ended by itself."""

    id: int
    name: str
    state: Literal["running", "queued", "idle"]
    newest: NewestRun | None


class Overview(BaseModel):
    """Active runs, queued runs with their obstacles, problems, arrays and recent results.

    `arrays` are those that are measured or were measured lately, at most twelve.
    """

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
                            "campaign_id": None,
                        }
                    ],
                    "arrays": [{"id": 2, "name": "vault", "state": "idle", "newest": None}],
                    "latest": [],
                    "hosts_with_problems": [],
                }
            ]
        }
    )

    running: list[RunSummary]
    queued: list[RunSummary]
    issues: list[Issue]
    arrays: list[ArrayState]
    latest: list[LatestResult]
    hosts_with_problems: list[HostOut]
