"""The interface of a test kind, and the plain data of its inputs and outputs."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import BaseModel, Field, StringConstraints, model_validator
from pydantic.config import JsonDict

from assay.analysis.cliff import Intervals
from assay.analysis.histogram import Latency
from assay.analysis.marks import Marks
from assay.http.field_errors import FieldError
from assay.http.field_types import RequestBody, Storable
from assay.kinds.export import ExportColumn, ExportedRatio, by_trial
from assay.kinds.metrics import Metric
from assay.kinds.pictures import Picture
from assay.kinds.planning import Extent, FieldName, Place, PlannedRun
from assay.kinds.programs import ToolDefinition
from assay.kinds.scaling import JointRate

Title = Annotated[str, StringConstraints(min_length=1, max_length=200), Storable]

GapCause = Literal["suspended", "starved", "interrupted", "paused"]

CutShort = Literal["cancelled", "failed", "lost"]
"""Why a run did not measure all planned trials."""


class BaseTest(RequestBody):
    """Fields of every test; each kind adds its own, including `kind`."""

    kind: Any
    title: Title

    @property
    def trials(self) -> int:
        """Number of trials on one target."""
        raise NotImplementedError

    @property
    def reads_back_elsewhere(self) -> bool:
        """Whether another host of the target's file system reads the test files back."""
        return False


class BaseParameters(BaseModel):
    """The parameters of one trial; each kind has its own."""

    kind: Any

    @property
    def key(self) -> str:
        """Identifies the parameter combination in its run."""
        raise NotImplementedError

    @property
    def extent(self) -> Extent | None:
        """What the duration of the trial depends on; None if that is unknown."""
        return None


LEAST_REST_NS = 10**9
"""A shorter pause gives a storage no time to recover."""


@dataclass(frozen=True)
class Gap:
    """A stretch of an attempt, in ns since its start, in which it did not measure the storage.

    `what` is why. It was *suspended* or *starved* meanwhile. Or it was *interrupted* by the end of
    its probe, or its machine was *paused* together with its clocks: then the stretch is a moment,
    and `away_ns` later the trial continued. The moment of a pause is unknown, and given as 0.
    """

    from_ns: int
    until_ns: int
    what: GapCause
    away_ns: int | None = None

    @property
    def is_stretch(self) -> bool:
        """Whether it is a stretch of the attempt, and not a moment."""
        return self.until_ns > self.from_ns

    @property
    def rested(self) -> bool:
        """Whether the storage could rest meanwhile."""
        return not self.is_stretch or self.until_ns - self.from_ns >= LEAST_REST_NS


@dataclass(frozen=True)
class EarlierSegment:
    """An interrupted attempt that a later one continued: its marks and gaps, as of its own start.

    Those up to `until_ns` count; the next segment began `away_ns` later, by the host's clock.
    `paused_ns` is how long its machine was paused together with its clocks. `reported_errors` are
    the sectors of wrong data that it read, up to its last report. `read_share` is the part of its
    operations that read, null unless it also wrote.
    """

    marks: Marks
    gaps: Sequence[Gap]
    until_ns: int
    away_ns: int | None
    paused_ns: int = 0
    reported_errors: int = 0
    read_share: float | None = None


@dataclass(frozen=True)
class HostLoad:
    """What a participant's host did during an attempt, as shares of the time.

    `busiest_core` is that of the core that was busiest in each interval, the others are of all
    CPUs. `dirty_growth_bytes` is by how much unwritten data grew; it may be negative. `busy_ns` is
    the CPU time of all cores with the final sync; 0 in results of before edition 17.
    """

    busiest_core: float
    user: float
    system: float
    softirq: float
    iowait: float
    dirty_growth_bytes: int
    busy_ns: int = 0

    @property
    def softirq_of_used(self) -> float:
        """The part of the used CPU time that soft interrupts took."""
        used = self.user + self.system + self.softirq
        return self.softirq / used if used else 0.0


@dataclass(frozen=True)
class MemoryCourse:
    """Unwritten and available memory of a participant's host over time, in bytes.

    Times are in ns since the attempt's start. Unwritten data is dirty or being written back.
    """

    end_ns: Sequence[int]
    dirty_bytes: Sequence[int]
    available_bytes: Sequence[int]


@dataclass(frozen=True)
class AttemptRecord:
    """The stored attempt that decides a trial.

    `result` is the probe's `result` event, `course` the throughput over time, if the attempt counts
    and is long enough. `marks` are its marks; null if its kind has none. `earlier` has the attempts
    that it continues, which none of its own figures includes. `load` and `memory` are null unless
    its kind transfers. `reported_errors` are the sectors of wrong data that it reported while it
    ran. `started_at` is by the host's clock.
    """

    status: str
    reason: str | None
    bytes: int
    ops: int
    app_ns: int | None
    durable_ns: int | None
    result: Mapping[str, Any] | None
    disturbance: Mapping[str, int | None]
    latency: Latency | None
    course: Intervals | None
    marks: Marks | None = None
    gaps: Sequence[Gap] = ()
    earlier: Sequence[EarlierSegment] = ()
    reported_errors: int = 0
    started_at: datetime | None = None
    load: HostLoad | None = None
    memory: MemoryCourse | None = None

    @property
    def verify_errors(self) -> int:
        """Sectors of wrong data in all segments; without a result, those reported until it died."""
        own = (self.result or {}).get("verify_errors")
        earlier = sum(one.reported_errors for one in self.earlier)
        return earlier + (self.reported_errors if own is None else own)

    @property
    def delay_ns(self) -> int:
        """Delay after the agreed start in ns; 0 without one."""
        return (self.result or {}).get("start_delay_ns") or 0


@dataclass(frozen=True)
class AttemptBeside:
    """The attempt at the same trial in the opposite direction, and the boot id of its host."""

    boot_id: str | None
    attempt: AttemptRecord | None


@dataclass(frozen=True)
class LeftFile:
    """What a participant's probe that died left in its file, as a later one counted it.

    `number` is that of the attempt in which it died, `attempts` has that of each participant.
    """

    number: int
    counted: Mapping[str, Any]
    attempts: Sequence[AttemptRecord | None]


@dataclass(frozen=True)
class TrialRecord:
    """A trial, the number of its attempts, and whether it will be repeated.

    `deciding` has the deciding attempt of each participant; None before its first attempt. `beside`
    are those of participants that read while these write, or write while these read. `left` are
    files of earlier attempts, if the kind counts them again.
    """

    id: int
    repeat: int
    cell: str
    parameters: Mapping[str, Any]
    attempts: int
    again: bool
    deciding: Sequence[AttemptRecord | None]
    beside: Sequence[AttemptBeside] = ()
    left: Sequence[LeftFile] = ()


@dataclass(frozen=True)
class Site:
    """Where a participant measured, as far as its rates depend on it.

    `clock_uncertainty_ns` is how far its start may be from the agreed start. `devices` are the
    physical disks below the target, as last inspected; empty if unknown.
    """

    participant_id: int
    host: str
    path: str | None
    boot_id: str | None
    fs_type: str | None
    array_name: str | None
    array_cache_bytes: int | None
    clock_uncertainty_ns: int | None = None
    role: str = "writer"
    devices: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Host and directory: two participants may be on the same host."""
        return f"{self.host} {self.path}" if self.path else self.host


@dataclass(frozen=True)
class RunRecord:
    """The input of a kind's rules: the resolved test, the trials in order, and the participants.

    `active`: the run has not ended, so more may become known.
    """

    id: int
    parameters: Mapping[str, Any]
    trials: Sequence[TrialRecord]
    sites: Sequence[Site]
    cut_short: CutShort | None
    active: bool = False

    @property
    def participants(self) -> list["ResultParticipant"]:
        """The participants as shown in a result."""
        return [
            ResultParticipant(
                id=site.participant_id,
                host=site.host,
                path=site.path,
                role=site.role,
                clock_uncertainty_ns=site.clock_uncertainty_ns,
                devices=list(site.devices),
            )
            for site in self.sites
        ]


class BaseHeadline(BaseModel):
    """The finding of a run, for lists; each kind has its own. Clients format it as text."""

    kind: Any


class ResultParticipant(BaseModel):
    """Where one of a run's participants measured, and its role: *writer*, *reader*, *sender* or
    *receiver*.

    `clock_uncertainty_ns` is how far its start may be from the agreed start. `devices` are the
    physical disks below its target; empty if they are unknown.
    """

    id: int
    host: str
    path: str | None
    role: str
    clock_uncertainty_ns: int | None
    devices: list[str] = Field(default_factory=list[str])


class BaseResult(BaseModel):
    """Fields of every result."""

    kind: Any
    run_id: int
    edition: str
    participants: list[ResultParticipant]

    @model_validator(mode="before")
    @classmethod
    def _roles(cls, data: Any) -> Any:
        """Give the participants of a stored result of before edition 13 their role: all had one."""
        if not isinstance(data, Mapping):
            return data
        body = cast("Mapping[str, Any]", data)
        role = "reader" if body.get("operation") == "read" else "writer"
        members: list[Any] = body.get("participants", [])
        members = [
            {"role": role, **cast("Mapping[str, Any]", one)} if isinstance(one, Mapping) else one
            for one in members
        ]
        return {**body, "participants": members}


class BaseComparison(BaseModel):
    """The comparison of two results of one kind; each kind has its own. Clients word it."""

    kind: Any


@dataclass(frozen=True)
class Delivery:
    """One way in which a run moved data from a source to a sink, for comparison across kinds.

    `rates` are the leading rates of its reliable trials, in bytes per second; `cpu_s_per_gb` is the
    CPU time of both hosts, with what they use anyway. `lost` counts what did not arrive as sent,
    null if that is unknown.
    """

    name: str
    length_bytes: int | None
    rates: Sequence[float]
    bytes_per_s: float | None
    cpu_s_per_gb: float | None
    lost: int | None


@dataclass(frozen=True)
class HeldRate:
    """A rate in bytes per second, and how long it lasted."""

    bytes_per_s: float
    duration_ns: float


HeadlineLevels = Annotated[
    list[HeldRate] | None,
    Field(description="Replaces the headline's rate if the best cell has a cliff"),
]


@dataclass(frozen=True)
class RunOutcome:
    """The finding of a run in a list, and its best trial."""

    headline: BaseHeadline | None = None
    headline_bytes_per_s: float | None = None
    headline_levels: list[HeldRate] | None = None
    best_bytes_per_s: float | None = None
    best_trial_id: int | None = None


@dataclass(frozen=True)
class Report:
    """A result for people: a table, whose first column has the row names, and sentences.

    A terminal shows these; a page also shows the pictures.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    sentences: Sequence[str]
    pictures: Sequence[Picture] = ()


@dataclass(frozen=True)
class Examples:
    """Examples for the API's documentation."""

    test: JsonDict
    parameters: dict[str, Any]
    overrides: JsonDict
    trial: dict[str, Any]
    cell: str
    outcome: dict[str, Any]
    result: dict[str, Any]
    comparison: dict[str, Any]


class Kind(ABC):
    """A test kind: everything that is specific to it."""

    name: ClassVar[str]
    together: ClassVar[bool] = False
    """Whether one run can measure several targets at the same time."""
    watch_ms: ClassVar[int] = 600_000
    """How long a probe continues without a follower, if the profile does not say."""
    transfers: ClassVar[bool] = False
    """Whether it moves data from a source to a sink (`plan_transfer`), not at a target (`plan`)."""
    scales_out: ClassVar[bool] = False
    """Whether `joint_rates` shows what growing numbers of targets reach together."""
    counts_left: ClassVar[bool] = False
    """Whether a probe that is started again counts what a dead one left in its file."""
    compares: ClassVar[frozenset[str]] = frozenset()
    """The kinds whose results `compare` takes beside those of its own."""
    compares_all: ClassVar[bool] = False
    """Whether `compare` compares each run with the first; else it compares the first two."""
    goes_on: ClassVar[bool] = False
    """Whether a disturbed trial continues with a gap; else it is repeated."""
    test: ClassVar[type[BaseTest]]
    resolved: ClassVar[type[BaseTest]]
    """The test as a run measures it; fields that it does not have are ignored."""
    overrides: ClassVar[type[RequestBody]]
    trial: ClassVar[type[BaseParameters]]
    result: ClassVar[type[BaseResult]]
    headline: ClassVar[type[BaseHeadline]]
    comparison: ClassVar[type[BaseComparison]]
    labels: ClassVar[Mapping[str, str]]
    """The parameters of a run that are conditions of its result, with their labels."""
    paced_by: ClassVar[tuple[str, ...]] = ()
    """The parameters of a run, beside those of its cells, on which the duration of trials depends.

    Runs in which they are the same tell each other's duration."""
    cautions: ClassVar[frozenset[str]]
    """The codes of the kind's estimate warnings."""
    metrics: ClassVar[Sequence[Metric]] = ()
    """The figures of its results that criteria may limit."""
    examples: ClassVar[Examples]
    export_columns: ClassVar[Sequence[ExportColumn]] = ()
    """What it adds to the rows of exported trials; the parameters also to those of samples."""

    def plan(
        self, number: int, test: Any, place: Place, field: FieldName
    ) -> tuple[PlannedRun | None, list[FieldError]]:
        """Plan the campaign's test `number` on a place, or return None with the problems."""
        raise NotImplementedError(f"{self.name} needs a source and a sink, not {place.name}")

    def plan_transfer(
        self, number: int, test: Any, source: Place, sink: Place, field: FieldName
    ) -> tuple[PlannedRun | None, list[FieldError]]:
        """Plan the campaign's test `number` from a source to a sink; as `plan`.

        `field` also names the two ends, as the fields `source` and `sink`.
        """
        raise NotImplementedError(f"{self.name} has no {source.name} and {sink.name}")

    def alike(self, planned: Sequence[PlannedRun]) -> Sequence[PlannedRun]:
        """Return these, which are to be measured together, with the values that they must share.

        What an expression gives may differ between them.
        """
        return planned

    def joined(self, planned: Sequence[PlannedRun]) -> list[PlannedRun]:
        """Return the plans of all participants of one run that measures these together.

        They are the participants of each target, or of each pair of source and sink, in order.
        """
        return [part for run in planned for part in run.participants]

    def refused_of_several(
        self, planned: Sequence[PlannedRun], field: FieldName, *, at_once: bool
    ) -> Iterable[FieldError]:
        """Return why these cannot be runs of one campaign, or be measured `at_once` in one run.

        Parameters that differ within a run are refused for all kinds.
        """
        del planned, field, at_once
        return ()

    def exchange(self, position: int) -> int:
        """Return the exchange of data of a participant of a transfer, by its position in the run.

        The participants of an exchange have a token in common, and those that do not listen connect
        to the one that does. Without another rule, each sender and the receiver after it are one.
        """
        return position // 2

    @abstractmethod
    def plan_fields(
        self, parameters: Mapping[str, Any], trial: Mapping[str, Any], *, role: str, direct: bool
    ) -> dict[str, object]:
        """Return the fields of a trial's line in the plan of a participant's probe.

        `role` is the participant's, `direct` is whether O_DIRECT was verified to bypass the page
        cache at the target.
        """

    def own_fields(self, parameters: Mapping[str, Any], role: str, place: int) -> dict[str, object]:
        """Return the fields of each trial's line that differ between the participants of a role.

        `place` is the participant's number among those with its role, from 0.
        """
        return {}

    def disk_fields(self, parameters: Mapping[str, Any], devices: int) -> dict[str, object]:
        """Return the plan fields that depend on the number of physical devices below the target.

        `devices` is 0 if they are unknown.
        """
        del parameters, devices
        return {}

    @abstractmethod
    def peak_bytes(self, trials: Sequence[Mapping[str, Any]], role: str) -> int:
        """Return the maximum size of a participant's files in these trials, in bytes."""

    def writes(self, parameters: Mapping[str, Any], role: str) -> bool:
        """Return whether a participant with this role writes a trial's bytes to its target."""
        return role in {"writer", "receiver"}

    def scored_role(self, parameters: Mapping[str, Any]) -> str | None:
        """Return the role whose bytes are those of a trial; None if it is that of the first."""
        return None

    def program(
        self, parameters: Mapping[str, Any], trial: Mapping[str, Any]
    ) -> ToolDefinition | None:
        """Return the program that moves the data of a trial; None if the probes do."""
        return None

    def trial_ms(self, parameters: Mapping[str, Any]) -> int | None:
        """Return how long a trial with these parameters takes, if a duration ends it."""
        return None

    @abstractmethod
    def judge(self, run: RunRecord) -> BaseResult:
        """Return the result of a run in any state."""

    @abstractmethod
    def outcome(self, result: Any) -> RunOutcome:
        """Return the finding of an ended run, for lists."""

    @abstractmethod
    def compare(self, results: Sequence[Any]) -> BaseComparison:
        """Compare the first result with the second."""

    def unused(self, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the labeled parameters that a run with these parameters does not use."""
        return frozenset()

    def used_with(self, name: str) -> tuple[str, str] | None:
        """Return the parameter that decides whether `name` is used, and with which values."""
        return None

    def joint_rates(self, result: Any) -> Iterable[JointRate]:
        """Return what all participants of a run reach in each cell, if it scales out."""
        raise NotImplementedError(f"{self.name} does not scale out: {result.run_id}")

    @abstractmethod
    def trial_words(self, parameters: Mapping[str, Any]) -> str:
        """Format a trial's parameters."""

    @abstractmethod
    def report(self, result: Mapping[str, Any]) -> Report:
        """Format the API's representation of a result for a terminal."""

    @abstractmethod
    def table(self, result: Any) -> str:
        """Return a result as CSV; every column names its unit."""

    def exported(self, result: Any) -> Iterable[tuple[Any, Any]]:
        """Yield each trial of a result after its cell; a trial may be in several cells.

        A trial has `id`, `status`, `reason`, `attempts` and `flags`.
        """
        return by_trial(getattr(result, "cells", ()))

    def export_ratios(self, comparison: Any) -> Iterable[ExportedRatio]:
        """Return the figures that a comparison shows side by side."""
        del comparison
        return ()
