"""API types of runs. Bytes and nanoseconds are integers, rates are bytes per second."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from assay.analysis.flags import Flag
from assay.base.examples import shown
from assay.base.states import Condition, RunState
from assay.inventory.codes import RunCode, StateCode, listed
from assay.inventory.hosts.schemas import Failure
from assay.kinds.event_types import ErrorCode
from assay.kinds.metrics import Bound, Dimension, DoubtCode
from assay.kinds.registry import Headline, RunParameters, TrialParameters
from assay.kinds.result import HeadlineLevels
from assay.runs import examples
from assay.runs.host_conditions import ConditionsOverRun
from assay.runs.verdicts.schemas import VerdictSummary


class HostRef(BaseModel):
    """A host by name."""

    id: int
    name: str


class TargetRef(BaseModel):
    """A target by name and path."""

    id: int
    path: str
    name: str


class CurrentPart(BaseModel):
    """A participant's progress in the current trial.

    `ready`: it waits at the barrier for the others. `rate_bytes_per_s` is of the last few samples.
    """

    participant_id: int
    state: Literal["waiting", "ready", "running", "ended"]
    bytes: int
    total_bytes: int | None
    rate_bytes_per_s: float | None


class CurrentTrial(BaseModel):
    """The current trial; bytes and rate are those of all participants with the role that scores it.

    `rate_bytes_per_s` is the rate of the last few samples; null while the host is unreachable.
    `disturbed` is why the previous attempt was suspended or starved; null if this attempt is not a
    repetition.
    """

    trial_id: int
    attempt: int
    disturbed: Flag | None
    cell: str
    parameters: TrialParameters
    repeat: int
    started_at: datetime | None
    bytes: int
    total_bytes: int | None
    rate_bytes_per_s: float | None
    participants: list[CurrentPart]


class RunParticipant(BaseModel):
    """A run's part on one host; `activity` is what its probe does while nothing is measured."""

    id: int
    role: str
    host: HostRef
    target: TargetRef | None
    activity: str | None


class WaitsFor(BaseModel):
    """What a queued run waits for, and since when."""

    kind: str = Field(
        description="`worker`, `host_key` (to be approved), `host_away` (it does not respond), "
        "`target_busy` (a test that this installation does not know), `verdict` (of a run that "
        "may stop the campaign), or a resource that another "
        "run uses: `host`, `machine`, `device`, `array`"
    )
    name: str | None = Field(None, description="Display name of the host or resource")
    run_id: int | None = Field(None, description="The other run")
    run_title: str | None = None
    held: bool | None = Field(
        None, description="Whether the other run uses the resource, or only has waited longer"
    )
    what: str = Field(description="The same as text, or the host's error message")
    since: datetime


class RunSummary(BaseModel):
    """A run as lists and live pages show it.

    `headline` and its rate are available after the run's end: `best_bytes_per_s` is the mean of the
    repeats of its cell, which `headline_levels` replace.
    """

    model_config = ConfigDict(json_schema_extra=shown(examples.summary))

    id: int
    campaign_id: int
    campaign_name: str
    number: int
    title: str
    kind: str
    participants: list[RunParticipant]
    state: RunState
    condition: Annotated[
        Condition | None,
        Field(description="`lost`: an active run's host has been unreachable for too long"),
    ]
    unreachable_since: datetime | None
    state_code: Annotated[
        Annotated[str, listed(StateCode)] | None,
        Field(description="What `state_reason` says of an active run, if that may pass"),
    ]
    state_reason: Annotated[
        str | None,
        Field(description="Why the run is in its state; of a queued run, what it waits for"),
    ]
    waits_for: WaitsFor | None
    trials_total: int
    trials_done: int
    current: CurrentTrial | None
    eta_s: float | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    error: Failure | None
    headline: Headline | None
    headline_levels: HeadlineLevels
    best_bytes_per_s: float | None
    verdict: Annotated[
        VerdictSummary | None,
        Field(description="After the end; null if no criterion applies to the run"),
    ]


class ParticipantOut(RunParticipant):
    """A run's part on one host, and the probe that measured there."""

    inventory_id: int | None
    probe: str | None
    hello: dict[str, Any] | None
    conditions: Annotated[
        ConditionsOverRun,
        Field(description="Conditions of the host that may change during the run"),
    ]
    bytes_read: Annotated[int, Field(description="Stored bytes of the event log")]
    labels: Annotated[
        dict[Literal["host", "target", "array"], dict[str, str]],
        Field(description="As they were at the launch"),
    ]
    references: Annotated[
        dict[Literal["host", "target", "array"], str],
        Field(description="As they were at the launch"),
    ]


class NoticeOut(BaseModel):
    """An event that limits or explains the run's result."""

    at: datetime
    participant_id: Annotated[
        int | None, Field(description="Whose probe reported it; null if the worker did")
    ]
    level: Literal["info", "warning", "error"]
    code: Annotated[str, listed(RunCode)]
    message: str
    detail: dict[str, Any]


class ReadBackPlace(BaseModel):
    """The target at which another host reads the files back."""

    host: HostRef
    target: TargetRef


class RunOut(RunSummary):
    """A run with the conditions under which it measured."""

    model_config = ConfigDict(json_schema_extra=shown(examples.run))

    parameters: RunParameters
    watch_ms: Annotated[
        int | None, Field(description="How long the probe continues without a follower")
    ]
    participants: list[ParticipantOut]  # pyright: ignore[reportIncompatibleVariableOverride]
    read_back_by: ReadBackPlace | None
    raw_removed_at: Annotated[
        datetime | None, Field(description="When a retention rule removed the raw log")
    ] = None
    samples_removed_at: Annotated[
        datetime | None,
        Field(description="When a retention rule removed the samples; the result is kept"),
    ] = None
    notices: list[NoticeOut]
    conditions: Annotated[
        dict[str, Any],
        Field(description="If participants differ, an array with the value of each"),
    ]


class TrialRow(BaseModel):
    """A trial in the order of measurement."""

    model_config = ConfigDict(json_schema_extra=shown(examples.trial_row))

    id: int
    position: int
    repeat: int
    cell: str
    parameters: TrialParameters
    status: str
    attempts: int


class FigureDoubt(BaseModel):
    """Why the value of a figure may not decide; the run's result and verdict word it.

    `bound` is `upper` if the true value is at most the measured one, `lower` if it is at least
    that; null if it may be either. `least` and `most` are the other ends of its range. `strict`: it
    is not the measured value itself.
    """

    code: DoubtCode
    bound: Bound | None = None
    least: float | None = None
    most: float | None = None
    strict: bool = False


class FigureOut(BaseModel):
    """The value of a metric in one cell of a run, or of the run as a whole."""

    model_config = ConfigDict(json_schema_extra=shown(examples.figure))

    metric: str
    dimension: Annotated[Dimension, Field(description="The unit of `value` follows from it")]
    cell: Annotated[
        dict[str, float | str],
        Field(
            description="The arguments that name the cell in a criterion, as numbers or words. "
            "Empty for the run: the value is that of its leading cell, or of all"
        ),
    ]
    shown_cell: Annotated[str | None, Field(description="The cell that has the value, in words")]
    value: Annotated[float | None, Field(description="Null if it was not measured")]
    repeats: Annotated[int, Field(description="The trials that the value rests on")]
    spread: Annotated[
        float | None,
        Field(description="Standard deviation ÷ mean of the repeats, of a mean of several"),
    ]
    doubts: list[FigureDoubt]
    trial_id: Annotated[int | None, Field(description="The trial that shows the value")]
    leading: Annotated[bool, Field(description="Whether the value is that of the leading cell")]
    headline: Annotated[bool, Field(description="Whether lists show the value as the run's")]
    edition: Annotated[str, Field(description="The version of the rules of the result")]


class AttemptOut(BaseModel):
    """One attempt at a trial: status, duration and the probe's further results."""

    participant_id: int
    number: int
    status: str
    reason: Annotated[str, listed(ErrorCode)] | None
    started_at: datetime | None
    app_ns: int | None
    durable_ns: int | None
    application_bytes_per_s: float | None
    durable_bytes_per_s: float | None
    bytes: int
    ops: int
    sample_count: int
    lat_max_ns: int | None
    percentiles: dict[str, int] | None
    histogram: Annotated[
        list[tuple[int, int]] | None,
        Field(description="[[lower latency bound of the step in ns, operations], …]"),
    ]
    result: dict[str, Any] | None


class TrialOut(BaseModel):
    """A trial with its attempts."""

    model_config = ConfigDict(json_schema_extra=shown(examples.trial))

    id: int
    run_id: int
    position: int
    repeat: int
    cell: str
    parameters: TrialParameters
    attempts: list[AttemptOut]


Rounded = Annotated[float, PlainSerializer(lambda rate: float(f"{rate:.4g}"))]
"""A rate whose further digits are noise."""


class LatestResult(BaseModel):
    """An ended run on the overview; the sparkline is the throughput of its best trial."""

    run_id: int
    campaign_id: int
    name: str
    title: str
    kind: str
    participants: list[RunParticipant]
    headline: Headline | None
    headline_levels: HeadlineLevels
    best_bytes_per_s: float | None
    sparkline_bytes_per_s: list[Rounded]
    verdict: VerdictSummary | None
    ended_at: datetime | None
