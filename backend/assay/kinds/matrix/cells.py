"""Trials grouped into cells: each cell has all repeats of one setting.

Only complete and timed-out trials count in a cell's figures; latencies are merged, never averaged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.analysis.flags import Rate
from assay.analysis.histogram import Latency, merge
from assay.analysis.repeats import Repeats
from assay.analysis.together import fairness
from assay.analysis.writeback import mean_of
from assay.kinds.cells import (
    MeasuredTrial,
    ParticipantRates,
    StorageCell,
    StorageTrial,
    flags_of,
    reliable,
    repeats_of,
    repeats_words,
    sources_of,
    state_of,
    with_left_out,
)
from assay.kinds.levels import HeldLevels


@dataclass(frozen=True)
class Setting:
    """A cell of the matrix."""

    block: int
    threads: int

    @property
    def cost(self) -> tuple[int, int]:
        """Fewest threads first, then least memory in buffers."""
        return self.threads, self.threads * self.block


@dataclass(frozen=True)
class RankedRepeats(Repeats):
    """The repeats of a cell, in bytes per second, compared with the best cell.

    `p` is Welch's against the best cell, null without repeats or comparison; with
    `too_few_repeats` the cell cannot be distinguished from the best. `bounded`: a final sync timed
    out, so the true mean is lower.
    """

    bounded: bool = False
    best: bool = False
    within_noise: bool = False
    too_few_repeats: bool = False
    p: float | None = None


@dataclass(frozen=True, kw_only=True)
class ParticipantFigures(ParticipantRates):
    """The figures of one of several participants in a trial; rates in bytes per second.

    The application rate is over the common window, the durable rate over the participant's attempt.
    `levels` are those of its throughput if it changed for good; null if it did not.
    """

    levels: HeldLevels | None


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


@dataclass(frozen=True, kw_only=True)
class MatrixTrial(StorageTrial):
    """A trial as its cell shows it.

    `data_share` is the share of its threads' time between calls, for generating or verifying test
    data.
    """

    participants: Sequence[ParticipantFigures]
    lat_max_ns: int | None = None
    data_share: float | None = None


@dataclass(frozen=True, kw_only=True)
class MeasuredSetting(MeasuredTrial[MatrixTrial]):
    """A trial with its setting, and what its cell merges."""

    setting: Setting
    files: int
    latency: Latency | None = None


@dataclass(frozen=True)
class Percentiles:
    """Merged latencies of all operations of a cell, in ns; the maximum is exact.

    `stall_ns` is the longest operation if it is an outlier, else null.
    """

    p50_ns: int
    p90_ns: int
    p99_ns: int
    p999_ns: int
    max_ns: int
    mean_ns: int
    stall_ns: int | None
    p9999_ns: int
    p99999_ns: int
    operations: int


@dataclass(frozen=True, kw_only=True)
class Cell(StorageCell):
    """All repeats of one setting; `shares` is null if the run has one participant."""

    block: int
    threads: int
    files: int
    durable: RankedRepeats | None
    application: RankedRepeats | None
    latency: Percentiles | None
    trials: Sequence[MatrixTrial]
    shares: SharesByRate | None = None

    def of(self, rate: Rate) -> RankedRepeats | None:
        """Return the figure of one rate, compared with the best cell."""
        return self.durable if rate == "durable" else self.application

    @property
    def setting(self) -> Setting:
        """The cell's position in the matrix."""
        return Setting(self.block, self.threads)


def gather(trials: Sequence[MeasuredSetting]) -> Cell:
    """Return the cell of these trials, which have the same setting."""
    shown = [one.figures for one in trials]
    counted = [one for one in trials if one.figures.is_counted]
    of_durable, of_application = reliable(counted, "durable"), reliable(counted, "application")
    durable, application = _repeats(of_durable, "durable"), _repeats(of_application, "application")
    first = trials[0]
    kept = with_left_out(
        sorted(shown, key=lambda one: one.repeat),
        {
            "durable": [one.figures for one in of_durable],
            "application": [one.figures for one in of_application],
        },
    )
    leading: Rate = "durable" if durable else "application"
    return Cell(
        block=first.setting.block,
        threads=first.setting.threads,
        files=first.files,
        state=state_of(shown, len(counted)),
        repeats_done=len(counted),
        repeats_total=len(trials),
        durable=durable,
        application=application,
        latency=_percentiles(reliable(counted, "durable", "application")),
        served_by=sources_of(of_application, of_durable),
        flags=flags_of(shown, (("durable", durable), ("application", application))),
        trials=kept,
        repeats=repeats_words(kept, leading, durable or application, done=len(counted)),
        shares=SharesByRate(_shares(of_application, "application"), _shares(of_durable, "durable"))
        if any(one.participants for one in shown)
        else None,
        writeback=mean_of([seen for one in of_durable if (seen := one.figures.writeback)]),
    )


def _shares(chosen: Sequence[MeasuredSetting], rate: Rate) -> RateShares | None:
    """Return the shares of the participants, over the same trials as the cell's rate."""
    rates: dict[int, list[float]] = {}
    for one in (part for trial in chosen for part in trial.figures.participants):
        value = one.rate(rate)
        if value is None:
            return None
        rates.setdefault(one.participant_id, []).append(value)
    means = {participant_id: fmean(values) for participant_id, values in rates.items()}
    fair, total = fairness(list(means.values())), sum(means.values())
    if fair is None:
        return None
    shares = [Share(one, mean, mean / total) for one, mean in means.items()]
    return RateShares(shares, fair, min(means, key=lambda one: means[one]))


def _repeats(chosen: Sequence[MeasuredSetting], rate: Rate) -> RankedRepeats | None:
    trials = [one.figures for one in chosen]
    found = repeats_of(trials, rate)
    bounded = rate == "durable" and any(trial.bounded for trial in trials)
    return RankedRepeats(**vars(found), bounded=bounded) if found else None


def _percentiles(trials: Sequence[MeasuredSetting]) -> Percentiles | None:
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
