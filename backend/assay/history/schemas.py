"""API types of history."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from assay.base.field_types import RequestBody
from assay.base.states import MatchOf
from assay.kinds.registry import SHOWN
from assay.kinds.result import HeadlineLevels
from assay.runs.verdicts.judging import Outcome

MatchReason = Literal[
    "file_system_uuid", "device_id", "machine_and_path", "machine_id", "serial_number"
]

_TEST: JsonDict = {
    "profile": "acceptance",
    "profile_name": "Acceptance",
    "kind": SHOWN.name,
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
    """The rate of the headline's cell of a run, of whatever edition of the rules.

    `bytes_per_s` is its mean, which `levels` replace if the rate changed for good. `at` is when it
    started; `places` are the hosts and directories of its participants.
    """

    run_id: int
    campaign_id: int
    campaign_name: str
    at: datetime
    places: list[str]
    bytes_per_s: float
    levels: HeadlineLevels
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
                            "levels": None,
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


class EarlierPlace(BaseModel):
    """A deleted host, target or array whose runs may belong to a registered one.

    `array` is that of a target.
    """

    id: int
    name: str
    array: str | None
    runs: int
    last_run_at: datetime


_MATCH: JsonDict = {
    "of": "target",
    "id": 9,
    "name": "web-1:/mnt/a",
    "earlier": {
        "id": 3,
        "name": "web-1 (deleted, 4):/mnt/a",
        "array": "vault",
        "runs": 14,
        "last_run_at": "2026-11-21T01:00:00Z",
    },
    "reasons": ["file_system_uuid", "machine_and_path"],
    "clones": ["web-2:/mnt/a"],
}

_DECIDED: JsonDict = {
    "of": "array",
    "id": 5,
    "name": "vault",
    "earlier_id": 2,
    "earlier_name": "vault",
    "same": True,
    "runs": 14,
    "decided_by": "ada",
    "decided_at": "2026-11-22T09:00:00Z",
}


class Match(BaseModel):
    """A host, target or array (`of`) and a deleted one that may be the same.

    `clones` are others with the same identifiers, registered at the same time as one of both: at
    least one of them is a clone.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [_MATCH]})

    of: MatchOf
    id: int
    name: str
    earlier: EarlierPlace
    reasons: list[MatchReason]
    clones: list[str]


class PastDecision(BaseModel):
    """A decision on a match, which can be undone.

    `runs` belong to the registered one because of it, as far as they were not deleted since.
    """

    of: MatchOf
    id: int
    name: str
    earlier_id: int
    earlier_name: str
    same: bool
    runs: int
    decided_by: str
    decided_at: datetime


class Matches(BaseModel):
    """The matches to decide on, and the decisions so far, the newest first."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"items": [_MATCH], "decided": [_DECIDED]}]}
    )

    items: list[Match]
    decided: list[PastDecision]


class MatchDecision(RequestBody):
    """Whether both are the same.

    If so, the runs of the deleted one become those of the registered one, until it is undone.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"same": True}]})

    same: Annotated[bool, Field(strict=True)]


class DecidedMatch(BaseModel):
    """A decision, and the number of runs that changed hands because of it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"of": "target", "id": 9, "earlier_id": 3, "same": True, "runs": 14}]
        }
    )

    of: MatchOf
    id: int
    earlier_id: int
    same: bool
    runs: int
