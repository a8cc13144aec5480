"""API types of history."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from assay.http.field_types import RequestBody
from assay.kinds.registry import EXAMPLES
from assay.runs.schemas import HostRef, TargetRef
from assay.verdicts.judging import Outcome

MatchReason = Literal["file_system_uuid", "device_id", "machine_and_path"]

_TEST: JsonDict = {
    "profile": "acceptance",
    "profile_name": "Acceptance",
    "kind": EXAMPLES.result["kind"],
    "title": "Write",
    "runs": 14,
}


class MeasuredTest(BaseModel):
    """A test of a profile, in any version, and how many ended runs of it measured the array."""

    profile: str
    profile_name: str
    kind: str
    title: str
    runs: int


class HistoryPoint(BaseModel):
    """The headline rate of a run, or that of its best trial if the headline has none.

    `at` is when it started; `places` are the hosts and directories of its participants.
    """

    run_id: int
    campaign_id: int
    campaign_name: str
    at: datetime
    places: list[str]
    bytes_per_s: float
    verdict: Outcome | None


class HistoryChange(BaseModel):
    """A condition that differs from that of the previous run at the same place.

    `run_id` and `at` are those of the first run with `after`; `places` are where it changed so.
    """

    run_id: int
    at: datetime
    places: list[str]
    name: str
    what: str
    before: Any
    after: Any


class ArrayHistory(BaseModel):
    """One figure of an array over time, oldest first, and what changed between its runs.

    `tests` are those that can be chosen, the most measured first. `runs` counts the ended runs of
    `test`; `points` has the newest of them, without those that have no rate.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "tests": [_TEST],
                    "test": _TEST,
                    "runs": 14,
                    "points": [
                        {
                            "run_id": 42,
                            "campaign_id": 7,
                            "campaign_name": "Acceptance",
                            "at": "2026-11-21T01:00:00Z",
                            "places": ["web-1 /mnt/a"],
                            "bytes_per_s": 1_240_000_000.0,
                            "verdict": "pass",
                        }
                    ],
                    "changes": [
                        {
                            "run_id": 42,
                            "at": "2026-11-21T01:00:00Z",
                            "places": ["web-1 /mnt/a"],
                            "name": "array_firmware",
                            "what": "Array firmware",
                            "before": "7.1",
                            "after": "7.2",
                        }
                    ],
                }
            ]
        }
    )

    tests: list[MeasuredTest]
    test: MeasuredTest | None
    runs: int
    points: list[HistoryPoint]
    changes: list[HistoryChange]


class EarlierTarget(BaseModel):
    """A deleted target whose runs may belong to a registered one, and how many it has."""

    id: int
    host: HostRef
    path: str
    array: str | None
    runs: int
    last_run_at: datetime


_MATCH: JsonDict = {
    "host": {"id": 5, "name": "web-1"},
    "target": {"id": 9, "path": "/mnt/a", "name": "a"},
    "array_id": 2,
    "earlier": {
        "id": 3,
        "host": {"id": 4, "name": "web-1 (deleted, 4)"},
        "path": "/mnt/a",
        "array": "vault",
        "runs": 14,
        "last_run_at": "2026-11-21T01:00:00Z",
    },
    "reasons": ["file_system_uuid", "machine_and_path"],
}


class Match(BaseModel):
    """A target and a deleted one that may be the same storage; clones have the same ids."""

    model_config = ConfigDict(json_schema_extra={"examples": [_MATCH]})

    host: HostRef
    target: TargetRef
    array_id: int | None
    earlier: EarlierTarget
    reasons: list[MatchReason]


class Matches(BaseModel):
    """The matches to decide on."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"items": [_MATCH]}]})

    items: list[Match]


class MatchDecision(RequestBody):
    """Whether both targets are the same storage.

    If so, the runs of the earlier one become the target's; this cannot be undone.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"same": True}]})

    same: Annotated[bool, Field(strict=True)]


class DecidedMatch(BaseModel):
    """A decision, and the number of runs that now belong to the target because of it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"target_id": 9, "earlier_id": 3, "same": True, "runs": 14}]
        }
    )

    target_id: int
    earlier_id: int
    same: bool
    runs: int
