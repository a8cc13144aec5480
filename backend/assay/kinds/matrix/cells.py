"""Trials grouped into cells: each cell has all repeats of one setting.

Only complete and timed-out trials count in a cell's figures; latencies are merged, never averaged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from assay.analysis import flags as rules
from assay.analysis.contention import Contention
from assay.analysis.flags import Flag, Rate
from assay.analysis.histogram import Latency, merge
from assay.analysis.served_by import ServedBy, weakest
from assay.analysis.statuses import COUNTED
from assay.analysis.together import fairness
from assay.analysis.writeback import WritebackRate, mean_of
from assay.kinds.cells import CellState, SourcesOfRates, is_sound, rate_of, state_of
from assay.kinds.levels import HeldLevels
from assay.kinds.matrix.ranking import Setting, Stat, describe


@dataclass(frozen=True)
class ParticipantFigures:
    """The figures of one of several participants in a trial; rates in bytes per second.

    The application rate is over the common window, the durable rate over the participant's attempt.
    `levels` are those of its throughput if it changed for good; null if it did not.
    """

    participant_id: int
    status: str
    reason: str | None
    bytes: int
    application_bytes_per_s: float | None
    durable_bytes_per_s: float | None
    levels: HeldLevels | None
    start_delay_ns: int | None


@dataclass(frozen=True)
class Share:
    """A participant's mean rate in bytes per second, and its share of the sum of all."""

    participant_id: int
    bytes_per_s: float
    share: float


@dataclass(frozen=True)
class RateShares:
    """How a rate is spread over the participants; `fairness` is Jain's index."""

    participants: list[Share]
    fairness: float
    slowest_participant_id: int


@dataclass(frozen=True)
class SharesByRate:
    """The shares of each rate; null if it was not measured at every participant."""

    application: RateShares | None
    durable: RateShares | None


@dataclass(frozen=True)
class Measured:
    """One trial and the figures of its deciding attempt; rates in bytes per second.

    `status` is the attempt's, or `waiting` if there is none.
    """

    id: int
    repeat: int
    block: int
    threads: int
    files: int
    status: str
    attempts: int = 0
    """Number of attempts."""
    again: bool = False
    """Whether it was suspended or starved and will be repeated."""
    reason: str | None = None
    bytes: int = 0
    application_bytes_per_s: float | None = None
    durable_bytes_per_s: float | None = None
    bounded: bool = False
    verify_errors: int = 0
    data_share: float | None = None
    """Share of its threads' time between calls, for generating or verifying test data."""
    latency: Latency | None = None
    application_served_by: ServedBy | None = None
    durable_served_by: ServedBy | None = None
    flags: Sequence[Flag] = ()
    contention: Contention | None = None
    window_ns: int | None = None
    """The common window of several participants."""
    participants: Sequence[ParticipantFigures] = ()
    """The figures of each of several participants."""
    writeback: WritebackRate | None = None
    """Of data in the page cache that reached the device; null of several participants."""

    @property
    def counts(self) -> bool:
        """Whether it counts in its cell."""
        return self.status in COUNTED and not rules.void(self.flags)


@dataclass(frozen=True)
class TrialFigures:
    """A trial as its cell shows it."""

    id: int
    repeat: int
    status: str
    application_bytes_per_s: float | None
    durable_bytes_per_s: float | None
    lat_max_ns: int | None
    bytes: int
    bounded: bool
    reason: str | None
    flags: list[Flag]
    window_ns: int | None
    participants: list[ParticipantFigures]
    contention: Contention | None = None
    data_share: float | None = None
    attempts: int = 0
    writeback: WritebackRate | None = None


@dataclass(frozen=True)
class Percentiles:
    """Merged latencies of all operations of a cell, in ns; the maximum is exact.

    `stall_ns` is the longest operation if it is an outlier, else null. Results of earlier versions
    of the rules lack the number of operations and the last two percentiles.
    """

    p50_ns: int
    p90_ns: int
    p99_ns: int
    p999_ns: int
    max_ns: int
    mean_ns: int
    stall_ns: int | None
    p9999_ns: int | None = None
    p99999_ns: int | None = None
    operations: int | None = None


@dataclass(frozen=True)
class Cell:
    """All repeats of one setting."""

    block: int
    threads: int
    files: int
    state: CellState
    repeats_done: int
    repeats_total: int
    durable: Stat | None
    application: Stat | None
    latency: Percentiles | None
    served_by: SourcesOfRates | None
    flags: list[Flag]
    trials: list[TrialFigures] = field(default_factory=list[TrialFigures])
    shares: SharesByRate | None = None
    """Null if the run has one participant."""
    writeback: WritebackRate | None = None
    """The mean of the trials that the durable rate is of; null without the page cache."""

    @property
    def setting(self) -> Setting:
        """The cell's position in the matrix."""
        return Setting(self.block, self.threads)


def gather(trials: Sequence[Measured]) -> Cell:
    """Return the cell of these trials, which have the same setting."""
    counted = [trial for trial in trials if trial.counts]
    of_durable, of_application = _chosen(counted, "durable"), _chosen(counted, "application")
    durable, application = _stat(of_durable, "durable"), _stat(of_application, "application")
    served_by = SourcesOfRates(
        weakest(t.application_served_by for t in of_application if t.application_served_by),
        weakest(t.durable_served_by for t in of_durable if t.durable_served_by),
    )
    return Cell(
        block=trials[0].block,
        threads=trials[0].threads,
        files=trials[0].files,
        state=state_of(((trial.status, trial.again) for trial in trials), len(counted)),
        repeats_done=len(counted),
        repeats_total=len(trials),
        durable=durable,
        application=application,
        latency=_percentiles(_chosen(counted, "durable", "application")),
        served_by=served_by if served_by.application or served_by.durable else None,
        flags=_flags(trials, durable, application),
        trials=[_figures(trial) for trial in sorted(trials, key=lambda trial: trial.repeat)],
        shares=SharesByRate(_shares(of_application, "application"), _shares(of_durable, "durable"))
        if any(trial.participants for trial in trials)
        else None,
        writeback=mean_of([one.writeback for one in of_durable if one.writeback]),
    )


def _shares(chosen: Sequence[Measured], rate: Rate) -> RateShares | None:
    """Return the shares of the participants, over the same trials as the cell's rate."""
    rates: dict[int, list[float]] = {}
    for one in (one for trial in chosen for one in trial.participants):
        value = rate_of(one, rate)
        if value is None:
            return None
        rates.setdefault(one.participant_id, []).append(value)
    means = {participant_id: fmean(values) for participant_id, values in rates.items()}
    fair, total = fairness(list(means.values())), sum(means.values())
    if fair is None:
        return None
    shares = [Share(one, mean, mean / total) for one, mean in means.items()]
    return RateShares(shares, fair, min(means, key=lambda one: means[one]))


def _chosen(counted: Sequence[Measured], *rates: Rate) -> Sequence[Measured]:
    """Return a cell's trials with at least one of these rates reliable, or else all that count."""
    return [t for t in counted if any(is_sound(t, rate) for rate in rates)] or counted


def _stat(chosen: Sequence[Measured], rate: Rate) -> Stat | None:
    rates = [value for trial in chosen if (value := rate_of(trial, rate)) is not None]
    if not rates:
        return None
    return describe(rates, bounded=rate == "durable" and any(t.bounded for t in chosen))


def _flags(
    trials: Sequence[Measured], durable: Stat | None, application: Stat | None
) -> list[Flag]:
    """Return the flags of the trials, and those that only several repeats show."""
    found = rules.of_cell([trial.flags for trial in trials if trial.status != "waiting"])
    stats: dict[Rate, Stat | None] = {"durable": durable, "application": application}
    loose = [
        flag
        for rate, stat in stats.items()
        if stat and (flag := rules.unstable(rate, stat.mean_bytes_per_s, stat.sd_bytes_per_s))
    ]
    return found + loose


def _percentiles(trials: Sequence[Measured]) -> Percentiles | None:
    latency = merge(trial.latency for trial in trials if trial.latency)
    mean = latency.mean_ns
    if mean is None:
        return None
    p50, p90, p99, p999, p9999, p99999 = (
        round(latency.percentile(q) or 0) for q in (0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999)
    )
    return Percentiles(
        p50_ns=p50,
        p90_ns=p90,
        p99_ns=p99,
        p999_ns=p999,
        max_ns=latency.greatest_ns,
        mean_ns=round(mean),
        stall_ns=latency.stall_ns,
        p9999_ns=p9999,
        p99999_ns=p99999,
        operations=latency.count,
    )


def _figures(trial: Measured) -> TrialFigures:
    return TrialFigures(
        id=trial.id,
        repeat=trial.repeat,
        status=trial.status,
        application_bytes_per_s=trial.application_bytes_per_s,
        durable_bytes_per_s=trial.durable_bytes_per_s,
        lat_max_ns=trial.latency.greatest_ns if trial.latency and trial.latency.count else None,
        bytes=trial.bytes,
        bounded=trial.bounded,
        reason=trial.reason,
        flags=list(trial.flags),
        contention=trial.contention,
        data_share=trial.data_share,
        attempts=trial.attempts,
        window_ns=trial.window_ns,
        participants=list(trial.participants),
        writeback=trial.writeback,
    )
