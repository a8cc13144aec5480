"""API types of campaigns."""

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from assay.base.errors import FieldProblem
from assay.base.field_types import EntityTag, Name, NameOf, Reference, RequestBody, not_both
from assay.base.labels import EXAMPLE, ExternalReference, Labels
from assay.base.states import Condition, Origin
from assay.kinds.planning import Caution
from assay.kinds.registry import KINDS, SHOWN, Overrides, Test
from assay.runs.campaigns.lifecycle import CampaignState
from assay.runs.campaigns.pairs import Arrangement
from assay.runs.schemas import RunSummary
from assay.runs.verdicts import examples as verdicts
from assay.runs.verdicts.schemas import Criteria, CriterionIn, VerdictSummary

CAUTIONS = frozenset({"host_not_reached", "one_machine", "cloned_machine_id", "one_device"}).union(
    *(kind.cautions for kind in KINDS.values())
)
"""The codes of an estimate's warnings."""

EDITABLE = ("name", "labels", "reference")
"""The fields that a change may have, as columns."""

_PLAN: JsonDict = {
    "name": "vault after the firmware update",
    "profile_id": 2,
    "target_ids": [3],
    "overrides": {"file_size": 20_000_000, "repeats": 3},
}


class TransferEnd(RequestBody):
    """An end of a transfer: a target, or the memory of a host."""

    target_id: Reference | None = Field(
        default=None, description="Read from, or written to, this target"
    )
    target: NameOf = Field(default=None, description="The same by name, such as `lab1/mnt/a`")
    host_id: Reference | None = Field(
        default=None, description="The memory of this host, instead of a target"
    )
    host: NameOf = Field(default=None, description="The same by name or slug")

    @model_validator(mode="after")
    def _is_one_place(self) -> Self:
        if (
            sum(one is not None for one in (self.target_id, self.target, self.host_id, self.host))
            != 1
        ):
            raise PydanticCustomError(
                "transfer_end",
                "must have either `target_id` or `host_id`",
                {
                    "remedy": "Give `target_id` for a target, or `host_id` for a host's memory; or "
                    "their names as `target` or `host`."
                },
            )
        return self


TargetName = Annotated[str, StringConstraints(min_length=1, max_length=2500)]

TransferEnds = Annotated[list[TransferEnd], Field(max_length=100)]


class CampaignPlan(RequestBody):
    """A profile, where its tests measure, and values that override the profile's.

    Tests of storage measure at `target_ids`; transfers move data from `sources` to `sinks`: from
    many to one, from one to many, or from each source to the sink at its position.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [_PLAN]})

    name: Name | None = None
    labels: Labels = Field(default_factory=dict[str, str])
    reference: ExternalReference | None = None
    profile_id: Reference | None = None
    profile: NameOf = Field(default=None, description="Name or slug, instead of the id")
    target_ids: Annotated[list[Reference], Field(max_length=100)] = Field(
        default_factory=list[int], description="Where tests of storage measure"
    )
    targets: Annotated[list[TargetName], Field(max_length=100)] | None = Field(
        default=None,
        description="The same by name, a host's name and a path: `lab1/mnt/a`",
    )
    sources: TransferEnds = Field(
        default_factory=list[TransferEnd], description="Where transfers get their data"
    )
    sinks: TransferEnds = Field(
        default_factory=list[TransferEnd], description="Where transfers deliver their data"
    )
    arrangement: Arrangement = Field(
        default="together",
        description="`together`: all sources and sinks of a transfer in one run. `mesh`: from each "
        "place of `sources` to each other one, a run for each direction; `sinks` are the same.",
    )
    together: bool = Field(
        default=False,
        description="All targets together: one run for each test, measured at all targets at once. "
        "Otherwise each test runs once for each target.",
    )
    scale_out: bool = Field(
        default=False,
        description="Each test on the first target, then on the first two, … and on all of them "
        "together: a run for each number of targets, or of pairs of source and sink.",
    )
    read_back_target_id: Reference | None = Field(
        default=None,
        description="The same directory as seen by another host of the shared file system, which "
        'reads the files of tests with `read_back` "other_host" back',
    )
    read_back_target: NameOf = Field(default=None, description="The same by name")
    overrides: Overrides = Overrides()
    tests: Annotated[list[Test], Field(min_length=1, max_length=50)] | None = Field(
        default=None, description="Replaces all tests of the profile"
    )
    criteria: Criteria = Field(
        default_factory=list[CriterionIn], description="In addition to those of the profile"
    )

    _has_a_profile = not_both("profile_id", "profile", required=True)
    _targets_once = not_both("target_ids", "targets")
    _reads_back_once = not_both("read_back_target_id", "read_back_target")


class ProfileFromCampaign(RequestBody):
    """The name of the profile that a campaign becomes, or one of its runs."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Acceptance of vaults"}]})

    name: Name
    run_id: Reference | None = Field(
        default=None, description="Only the test of this run, with the criteria that apply to it"
    )


class CampaignChange(RequestBody):
    """Changes to a campaign; `labels` replaces all labels, and null clears the reference."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "vault, second try", "labels": EXAMPLE}]}
    )

    name: Name | None = None
    labels: Labels = Field(default_factory=dict[str, str])
    reference: ExternalReference | None = None


class DeletedCampaign(BaseModel):
    """A deleted campaign, and until when that can be undone."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "id": 7,
                    "name": "vault after the firmware update",
                    "undo_until": "2026-11-21T09:01:00Z",
                }
            ]
        }
    )

    id: int
    name: str
    undo_until: datetime


class RunEstimate(BaseModel):
    """The estimate of one participant of a run.

    In the memory of a host, `target_id`, `free_after_bytes` and `free_at` are null.
    `peak_bytes` is the maximum size of its files at any time.
    `prepared_bytes` are the part of `bytes_written` that is written before the first trial.
    `free_after_bytes` is what remains of the space that was free at `free_at`. `disk_threads` use
    the target's physical `devices`; null if they do not follow from these. Without known devices it
    counts as one.
    """

    target_id: int | None
    host_id: int
    kind: str
    title: str
    role: str
    cells: int
    trials: int
    file_size: int
    bytes_written: int
    prepared_bytes: int
    peak_bytes: int
    free_after_bytes: int | None
    free_at: datetime | None
    disk_threads: int | None
    devices: list[str]
    shortest_s: float
    longest_s: float


class BusyHost(BaseModel):
    """A host that is reserved by a run at present."""

    host_id: int
    name: str
    run_id: int


class WarningPlace(BaseModel):
    """The place that a warning is about; its message is `before`, `name` and `after`."""

    target_id: Annotated[int | None, Field(description="Null for the memory of a host")]
    host_id: int
    name: str
    before: str
    after: str


class EstimateWarning(BaseModel):
    """A limitation of the results; `remedy` has overrides with which it would not apply, if known.

    A file size is in bytes. `about` is the place that the message names; null if it is not about
    one place.
    """

    code: Annotated[str, WithJsonSchema({"type": "string", "enum": sorted(CAUTIONS)})]
    message: str
    remedy: dict[str, int]
    about: WarningPlace | None

    @classmethod
    def of(cls, caution: Caution) -> Self:
        """Return the warning for a caution of a plan."""
        about = caution.about
        return cls(
            code=caution.code,
            message=caution.message,
            remedy=dict(caution.remedy),
            about=about
            and WarningPlace(
                target_id=about.place.target_id,
                host_id=about.place.host_id,
                name=about.place.name,
                before=about.before,
                after=about.after,
            ),
        )


class ExpectedDuration(BaseModel):
    """How long a campaign takes if it runs as earlier ones did, with final syncs and preparation.

    `run_ids` are the earlier runs: of the same kind, direction and cache mode at the same places.
    The first of them ended at `since`.
    """

    seconds: float
    run_ids: list[int]
    since: datetime


class Estimate(BaseModel):
    """The estimate of a campaign; in `longest_s`, every trial reaches its time limit.

    Both durations include preparation at the highest rate, but neither its remaining duration nor
    final syncs. `fits` is null if a problem prevents the planning of some runs and the others fit.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "cells": 35,
                    "trials": 175,
                    "bytes_written": 87_500_000_000,
                    "shortest_s": 8.8,
                    "longest_s": 10_500.0,
                    "expected": {
                        "seconds": 2220.0,
                        "run_ids": [42, 38],
                        "since": "2026-11-03T09:12:44Z",
                    },
                    "run_count": 1,
                    "runs": [
                        {
                            "target_id": 3,
                            "host_id": 5,
                            "kind": SHOWN.name,
                            "title": "Write matrix",
                            "role": "writer",
                            "cells": 35,
                            "trials": 175,
                            "file_size": 500_000_000,
                            "bytes_written": 87_500_000_000,
                            "prepared_bytes": 0,
                            "peak_bytes": 503_316_480,
                            "free_after_bytes": 899_496_683_520,
                            "free_at": "2026-11-21T01:00:00Z",
                            "disk_threads": None,
                            "devices": ["sda"],
                            "shortest_s": 8.8,
                            "longest_s": 10_500.0,
                        }
                    ],
                    "hosts_busy": [],
                    "problems": [],
                    "warnings": [],
                    "fits": True,
                }
            ]
        }
    )

    cells: int
    trials: int
    bytes_written: int
    shortest_s: float
    longest_s: float
    expected: Annotated[
        ExpectedDuration | None,
        Field(description="From earlier runs; null unless they tell it for every run"),
    ]
    run_count: int
    runs: Annotated[list[RunEstimate], Field(description="Each run at each of its participants")]
    hosts_busy: list[BusyHost]
    problems: list[FieldProblem]
    warnings: list[EstimateWarning]
    fits: bool | None


class ProfileOfCampaign(BaseModel):
    """The version of the profile that was launched."""

    id: int
    slug: str
    name: str
    version: int


class CampaignOut(BaseModel):
    """A profile launched on targets, with its runs."""

    model_config = ConfigDict(
        title="Campaign",
        json_schema_extra={
            "examples": [
                {
                    "id": 7,
                    "name": "vault after the firmware update",
                    "profile": {
                        "id": 2,
                        "slug": "filecatalyst-default-write",
                        "name": "FileCatalyst default write",
                        "version": 1,
                    },
                    "state": "running",
                    "condition": None,
                    "created_at": "2026-11-21T01:00:00Z",
                    "created_by": "ada",
                    "labels": {"change": "firmware"},
                    "reference": "CHG-3310",
                    "origin": "person",
                    "schedule_id": None,
                    "started_at": "2026-11-21T01:00:01Z",
                    "ended_at": None,
                    "cancel_requested": False,
                    "needs_attention": False,
                    "seen_at": None,
                    "seen_by": None,
                    "revision": 12,
                    "parameters": {"target_ids": [3], "overrides": {"repeats": 3}},
                    "criteria": [verdicts.CRITERION],
                    "verdict": None,
                    "runs": [],
                    "etag": '"5d20…"',
                }
            ]
        },
    )

    id: int
    name: str
    profile: ProfileOfCampaign
    state: CampaignState
    condition: Annotated[Condition | None, Field(description="`lost`: every active run is lost")]
    created_at: datetime
    created_by: str
    labels: dict[str, str]
    reference: str | None
    origin: Annotated[
        Origin,
        Field(
            description="A person in a browser, an API token or a schedule; "
            "runs of a schedule have lower priority"
        ),
    ]
    schedule_id: Annotated[
        int | None,
        Field(description="The schedule that launched it; null after the schedule was deleted"),
    ]
    started_at: datetime | None
    ended_at: datetime | None
    cancel_requested: bool
    needs_attention: Annotated[
        bool,
        Field(
            description="A run failed, or failed a criterion that is not waived, and the campaign "
            "was not canceled, nor marked as seen since; and no later campaign has repeated the run"
        ),
    ]
    seen_at: Annotated[datetime | None, Field(description="When its failures were marked as seen")]
    seen_by: str | None
    revision: int
    parameters: dict[str, Any]
    criteria: list[CriterionIn]
    verdict: Annotated[
        VerdictSummary | None,
        Field(description="After the end: the gravest outcome; null without criteria"),
    ]
    runs: list[RunSummary]
    etag: EntityTag


class LaunchedCampaign(CampaignOut):
    """A launched campaign with the warnings of its estimate."""

    model_config = ConfigDict(title="LaunchedCampaign")

    warnings: list[EstimateWarning]
