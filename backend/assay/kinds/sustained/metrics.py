"""The metrics of a sustained test: figures of its leading cell, of a named cell, or of all trials.

Names and dimensions are those of the matrix where the quantity is the same. Of a test that writes
and reads at the same time, a metric is that of its writes, of its reads (`read.*`), or the worse
one. Of a mixed test it is that of both together, of its writes (`write.*`, `durable.*`) or of its
reads.
"""

from collections.abc import Callable
from typing import Literal

from assay.analysis.steady import WINDOW
from assay.base.words import capital
from assay.kinds.doubts import FEWEST_REPEATS, PERCENTILES
from assay.kinds.metrics import TIME, Argument, Arguments, Concern, Metric, Possible
from assay.kinds.sustained.buffering import buffer, dropped, frames_needed, late
from assay.kinds.sustained.criteria import (
    CELL,
    CELL_AT_RATE,
    requires,
    requires_device_reads,
    requires_frames,
    requires_recovery,
    requires_verification,
)
from assay.kinds.sustained.fields import Direction
from assay.kinds.sustained.latencies import FEWEST_OF_P99
from assay.kinds.sustained.parameters import SustainedTest
from assay.kinds.sustained.readings import (
    choices,
    choices_at_rate,
    cliff_after,
    iops,
    least,
    level,
    longest,
    mean,
    of_writeback,
    percentile,
    recovers_within,
    slow_down,
    spread,
    steady,
    sync_time,
    wrong_sectors,
)
from assay.kinds.sustained.selection import Read, of_first, of_reads, of_writes, worst

_ANY = "Any test."
_WRITES, _READS = "A test that writes.", "A test that reads."
_SYNCS = "Writes with a periodic sync."
_FRAMES = "Pacing by a rate; a frame is a file of a sequence, else a block."
_LEADING = "of the leading cell, or of the cell that is named"

_FIGURES: dict[Literal["mean", "min"], str] = {"mean": "mean", "min": "lowest"}
_DIRECTIONS: tuple[tuple[str, str, Direction | None, Callable[[Read], Read], str], ...] = (
    ("", "", None, of_first, _ANY),
    ("read.", " of reads", "read", of_reads, _READS),
    ("write.", " of writes", "write", of_writes, _WRITES),
)


def _side(read: Read, operation: Direction | None, *, due: bool) -> Read:
    """Return a reader of the direction that a latency is of; due times belong to both."""
    if due:
        return worst(read, paced=True)
    return of_reads(read) if operation == "read" else of_writes(read)


def _latencies(
    group: str,
    label: str,
    definition: str,
    needs: str,
    *,
    operation: Direction | None = None,
    due: bool = False,
) -> list[Metric]:
    return [
        Metric(
            f"{group}.{name}",
            f"{name} {label}",
            "duration",
            "application",
            f"{name} of {definition} {_LEADING}; its repeats are merged.",
            f"{needs} {round(1 / (1 - share))} operations.",
            requires(operation, paced=due, one=True),
            _side(percentile(name, due=due), operation, due=due),
            CELL,
            choices,
            TIME,
            (group, share),
            sense="latency",
        )
        for name, share in PERCENTILES.items()
    ]


def _buffered(test: SustainedTest, arguments: Arguments) -> str | None:
    """Return why a test has no writeback."""
    if "page" not in test.cache:
        return "it bypasses the page cache"
    return requires("write", one=True)(test, arguments)


def _rate(
    name: str,
    label: str,
    concern: Concern,
    definition: str,
    needs: str,
    *,
    unavailable: Callable[[SustainedTest, Arguments], str | None],
    read: Read,
) -> Metric:
    """Return the metric of a rate of the leading cell, or of a named one."""
    about = definition, needs, unavailable, read
    return Metric(name, label, "rate", concern, *about, CELL, choices, sense="rate")


METRICS: tuple[Metric, ...] = (
    _rate(
        "durable.mean",
        "mean durable rate",
        "durability",
        f"Mean over the repeats of the rate up to the end of the final sync, {_LEADING}.",
        _WRITES,
        unavailable=requires("write", one=True),
        read=of_writes(mean("durable", "durability")),
    ),
    _rate(
        "durable.min",
        "lowest durable rate",
        "durability",
        f"Lowest durable rate among the repeats {_LEADING}; the lowest lasting level if the rate "
        "changed for good.",
        _WRITES,
        unavailable=requires("write", one=True),
        read=of_writes(least("durable", "durability")),
    ),
    _rate(
        "writeback.mean",
        "mean rate from the start of writeback",
        "durability",
        "Mean over the repeats of what the device took after the kernel began to write back, ÷ the "
        "time from then to the end of the final sync. The durable rate includes the time before.",
        "A write test through the page cache, of one target whose device counts its bytes.",
        unavailable=_buffered,
        read=of_writes(of_writeback),
    ),
    _rate(
        "app.mean",
        "mean application rate",
        "application",
        "Mean over the repeats of the rate up to the return of the last write, regardless of what "
        f"served the data, {_LEADING}.",
        _ANY,
        unavailable=requires(one=True),
        read=of_first(mean("application", "application")),
    ),
    _rate(
        "app.min",
        "lowest application rate",
        "application",
        f"Lowest application rate among the repeats {_LEADING}; the lowest lasting level if the "
        "rate changed for good. Of the writes if the test writes and reads.",
        _ANY,
        unavailable=requires(one=True),
        read=of_first(least("application", "application")),
    ),
    _rate(
        "write.mean",
        "mean rate of writes",
        "application",
        "Mean over the repeats of the rate of writes up to the return of the last one, regardless "
        f"of what served the data, {_LEADING}.",
        _WRITES,
        unavailable=requires("write", one=True),
        read=of_writes(mean("application", "application")),
    ),
    _rate(
        "read.mean",
        "mean rate of reads",
        "application",
        "Mean over the repeats of the rate of reads, regardless of what served the data, "
        f"{_LEADING}.",
        _READS,
        unavailable=requires("read", one=True),
        read=of_reads(mean("application", "application")),
    ),
    _rate(
        "read.min",
        "lowest rate of reads",
        "application",
        f"Lowest rate of reads among the repeats {_LEADING}; the lowest lasting level if the rate "
        "changed for good.",
        _READS,
        unavailable=requires("read", one=True),
        read=of_reads(least("application", "application")),
    ),
    *(
        Metric(
            f"{group}iops.{figure}",
            f"{_FIGURES[figure]} operations per second{of}",
            "iops",
            "application",
            f"{capital(_FIGURES[figure])} application rate among the repeats as operations of one "
            f"block per second{of}, regardless of what served the data, {_LEADING}.",
            needs,
            requires(operation, one=True),
            side(iops(figure)),
            CELL,
            choices,
            sense="rate",
        )
        for group, of, operation, side, needs in _DIRECTIONS
        for figure in _FIGURES
    ),
    _rate(
        "device.mean",
        "mean read rate of the device",
        "device",
        f"Mean over the repeats of the rate of reads that the device served, {_LEADING}.",
        _READS,
        unavailable=requires_device_reads,
        read=of_reads(mean("application", "device")),
    ),
    *_latencies(
        "write",
        "latency of a write",
        "the service times of all writes",
        _WRITES,
        operation="write",
    ),
    *_latencies(
        "read", "latency of a read", "the service times of all reads", _READS, operation="read"
    ),
    *_latencies(
        "due",
        "latency from the due time",
        "the times from when an operation was due to its return",
        "Pacing by a rate.",
        due=True,
    ),
    Metric(
        "stall.max",
        "longest operation",
        "duration",
        "application",
        "Longest operation of all reliable trials of the run, or of the named cell.",
        _ANY,
        requires(),
        worst(longest),
        CELL,
        possible=TIME,
        sense="latency",
    ),
    Metric(
        "sync.max",
        "longest periodic sync",
        "duration",
        "application",
        "Longest periodic sync of all reliable trials of the run, or of the named cell.",
        _SYNCS,
        requires("write", syncs=True),
        of_first(sync_time("max_ns")),
        CELL,
        possible=TIME,
        percentile=("sync", 1),
        sense="latency",
    ),
    Metric(
        "sync.p99",
        "p99 of periodic syncs",
        "duration",
        "application",
        "p99 of the durations of a trial's periodic syncs; the largest of all reliable trials of "
        "the run, or of the named cell.",
        f"{_SYNCS} {FEWEST_OF_P99} syncs in a trial.",
        requires("write", syncs=True),
        of_first(sync_time("p99_ns")),
        CELL,
        possible=TIME,
        percentile=("sync", 0.99),
        sense="latency",
    ),
    Metric(
        "verify.errors",
        "number of wrong sectors",
        "count",
        "device",
        "Sectors of 512 bytes that did not contain the written data, in all trials of the run.",
        "A test that reads, or reads its files back.",
        requires_verification,
        wrong_sectors,
        sense="defects",
    ),
    Metric(
        "cliff.after",
        "amount of data before the rate falls permanently",
        "size",
        "device",
        "Bytes before the first lasting fall of the rate in any reliable trial of the run, or "
        "of the named cell. Without one, it is more than the different bytes of the longest trial: "
        "a ring of files counts once. Random writes count each time, for the working set is a "
        "part of the workload.",
        "Any test; trials of at least the limit's size.",
        requires(),
        worst(cliff_after, highest=False),
        CELL,
        sense="pattern",
        more_is_better=True,
    ),
    Metric(
        "slowdown",
        "slow-down",
        "share",
        "device",
        "How much slower the last tenth of the time was than the first, as a share of the first; "
        "the largest of all reliable trials.",
        _ANY,
        requires(),
        worst(slow_down),
        CELL,
        possible=Possible(least=None, most=1),  # below 0 if it became faster
        sense="pattern",
    ),
    Metric(
        "steady",
        "steady state",
        "yes_no",
        "device",
        f"Whether {WINDOW} neighboring rounds of 60 s spread by at most 20 % of their mean and "
        "the fitted line changes by at most 10 % of it, within 25 rounds, in every reliable trial. "
        "Of several participants, rounds are those of the sum of all, in the time in which all "
        "measured.",
        f"More than {WINDOW} minutes.",
        requires(rounds=WINDOW),
        worst(steady, highest=False),
        CELL,
        sense="pattern",
    ),
    Metric(
        "level",
        "level rate",
        "yes_no",
        "device",
        "Whether the rate had a single lasting level, no steady decline or rise and no sawtooth, "
        "in every reliable trial.",
        "A test without pacing; trials of at least four seconds.",
        requires(unpaced=True),
        worst(level, highest=False),
        CELL,
        sense="pattern",
    ),
    Metric(
        "repeat.cv",
        "variation between repeats",
        "share",
        "application",
        f"Standard deviation ÷ mean of the rates of the repeats, {_LEADING}.",
        f"At least {FEWEST_REPEATS} repeats.",
        requires(repeats=FEWEST_REPEATS, one=True),
        worst(spread),
        CELL,
        choices,
        sense="pattern",
    ),
    Metric(
        "buffer_at",
        "required buffer",
        "size",
        "device",
        "Largest backlog of a queue that is fed at the rate and served by the recorded operations, "
        f"{_LEADING}; the largest of its repeats. Several targets are fed with equal parts of it. "
        "Of a test that writes and reads, it is that of the writes.",
        "At most the offered rate if the test is paced.",
        requires(one=True, at_rate=True, stream=True),
        of_first(buffer),
        (Argument("rate", "rate", "Rate at which data arrives", required=True), *CELL_AT_RATE),
        choices_at_rate,
        sense="burden",
    ),
    Metric(
        "recovery.within",
        "time to recover from a cliff",
        "duration",
        "device",
        "The shortest rest between two trials after which the storage took nine tenths of the data "
        "that it took before its first cliff, as it did after every longer rest.",
        "Several idle times, and one target.",
        requires_recovery,
        recovers_within,
        sense="pattern",
    ),
    Metric(
        "dropped_at",
        "number of dropped frames",
        "count",
        "device",
        "Frames that would have been lost if each stream had memory for so many, the one in "
        f"transfer included, {_LEADING}; the most of its repeats.",
        _FRAMES,
        requires_frames,
        worst(dropped, paced=True),
        (Argument("frames", "count", "Frames of memory per stream", required=True), *CELL),
        choices,
        sense="burden",
    ),
    Metric(
        "frames.needed",
        "number of frames to buffer",
        "count",
        "device",
        "The smallest memory per stream, in frames, with which none would have been lost, "
        f"{_LEADING}; the most of its repeats.",
        _FRAMES,
        requires(paced=True, one=True, stream=True),
        worst(frames_needed, paced=True),
        CELL,
        choices,
        Possible(least=1),  # the one in transfer
        sense="burden",
    ),
    Metric(
        "backlog.end",
        "backlog at the end",
        "size",
        "application",
        "Bytes that were due but not begun when the last operation was due; the largest of all "
        "reliable trials.",
        "Pacing by a rate.",
        requires(paced=True),
        late,
        CELL,
        sense="burden",
    ),
)
