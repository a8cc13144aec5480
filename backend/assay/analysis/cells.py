"""Trials gathered into cells: each cell holds all repeats of one setting.

Only complete and timed-out trials enter a cell's figures; latencies are merged, never averaged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from assay.analysis.histogram import Latency, merge
from assay.analysis.honesty import Mark, gravest
from assay.analysis.ranking import Setting, Stat, describe

COUNTED = ("complete", "timed_out")
"""Statuses that enter a cell."""

OPEN = ("waiting", "interrupted", "stopped")
"""Statuses of a trial that was not measured to its end, and may still be."""


State = Literal["empty", "running", "partial", "done", "failed"]
"""Of a cell: whether its trials have been measured."""


@dataclass(frozen=True)
class Measured:
    """One trial and what its deciding attempt measured; rates in bytes per second.

    `status` is the attempt's, or `waiting` where there is none.
    """

    id: int
    repeat: int
    block: int
    threads: int
    files: int
    status: str
    reason: str | None = None
    bytes: int = 0
    application_bps: float | None = None
    durable_bps: float | None = None
    bounded: bool = False
    verify_errors: int = 0
    latency: Latency | None = None
    application_mark: Mark | None = None
    durable_mark: Mark | None = None

    @property
    def counts(self) -> bool:
        """Whether it enters its cell."""
        return self.status in COUNTED


@dataclass(frozen=True)
class TrialFigures:
    """A trial as its cell shows it."""

    id: int
    repeat: int
    status: str
    application_bps: float | None
    durable_bps: float | None
    lat_max_ns: int | None
    bytes: int
    timed_out: bool
    bounded: bool
    reason: str | None


@dataclass(frozen=True)
class Percentiles:
    """Latencies of all operations of a cell together, in ns; the maximum is exact.

    `stall` is the longest operation where it took far longer than the others do; null without one.
    """

    p50: int
    p90: int
    p99: int
    p999: int
    max: int
    mean: int
    stall: int | None


@dataclass(frozen=True)
class Marks:
    """What served the rates of a cell: the gravest mark among its trials."""

    application: Mark | None
    durable: Mark | None


@dataclass(frozen=True)
class Cell:
    """All repeats of one setting."""

    block: int
    threads: int
    files: int
    state: State
    repeats_done: int
    repeats_total: int
    durable: Stat | None
    application: Stat | None
    latency: Percentiles | None
    marks: Marks | None
    trials: list[TrialFigures] = field(default_factory=list[TrialFigures])

    @property
    def setting(self) -> Setting:
        """Its place in the matrix."""
        return Setting(self.block, self.threads)


def gather(trials: Sequence[Measured]) -> Cell:
    """The cell of these trials, all of one setting."""
    counted = [trial for trial in trials if trial.counts]
    application = [t.application_bps for t in counted if t.application_bps is not None]
    durable = [t.durable_bps for t in counted if t.durable_bps is not None]
    marks = Marks(
        gravest(t.application_mark for t in counted if t.application_mark),
        gravest(t.durable_mark for t in counted if t.durable_mark),
    )
    return Cell(
        block=trials[0].block,
        threads=trials[0].threads,
        files=trials[0].files,
        state=_state(trials, len(counted)),
        repeats_done=len(counted),
        repeats_total=len(trials),
        durable=describe(durable, bounded=any(t.bounded for t in counted)) if durable else None,
        application=describe(application) if application else None,
        latency=_percentiles(counted),
        marks=marks if marks.application or marks.durable else None,
        trials=[_figures(trial) for trial in sorted(trials, key=lambda trial: trial.repeat)],
    )


def _state(trials: Sequence[Measured], counted: int) -> State:
    if any(trial.status == "running" for trial in trials):
        return "running"
    if counted == len(trials):
        return "done"
    if any(trial.status in OPEN for trial in trials):
        return "partial" if counted else "empty"
    return "partial" if counted else "failed"


def _percentiles(trials: Sequence[Measured]) -> Percentiles | None:
    latency = merge(trial.latency for trial in trials if trial.latency)
    mean = latency.mean
    if mean is None:
        return None
    p50, p90, p99, p999 = (round(latency.percentile(q) or 0) for q in (0.5, 0.9, 0.99, 0.999))
    return Percentiles(p50, p90, p99, p999, latency.greatest, round(mean), latency.stall)


def _figures(trial: Measured) -> TrialFigures:
    return TrialFigures(
        id=trial.id,
        repeat=trial.repeat,
        status=trial.status,
        application_bps=trial.application_bps,
        durable_bps=trial.durable_bps,
        lat_max_ns=trial.latency.greatest if trial.latency and trial.latency.count else None,
        bytes=trial.bytes,
        timed_out=trial.status == "timed_out",
        bounded=trial.bounded,
        reason=trial.reason,
    )
