"""The metrics of a matrix: figures of its best cell, of a named cell, or of all its trials."""

from collections.abc import Callable, Sequence
from typing import Any

from assay.base.words import block as block_words
from assay.kinds.doubts import (
    FEWEST_REPEATS,
    PERCENTILES,
)
from assay.kinds.matrix.readings import (
    Read,
    choices,
    cliff_after,
    least,
    longest,
    mean,
    of_writeback,
    percentile,
    spread,
    wrong_sectors,
)
from assay.kinds.metrics import (
    TIME,
    Argument,
    Arguments,
    Concern,
    Metric,
)

CELL = (
    Argument("block", "size", "Block size of the cell", of_cell=lambda cell: cell.block),
    Argument("threads", "count", "Threads of the cell", of_cell=lambda cell: cell.threads),
)


def _for(operation: str | None, *, repeats: int = 1) -> Callable[[Any, Arguments], str | None]:
    """Return a rule about tests: operation, repeats, and the cell that the arguments name."""

    def unavailable(test: Any, arguments: Arguments) -> str | None:
        if operation is not None and test.operation != operation:
            return f"it {test.operation}s, and only a {operation} has it"
        if test.repeats < repeats:
            return f"it has {test.repeats} repeats; at least {repeats} are needed"
        chosen = [
            [value for value in axis if arguments.get(name, value) == value]
            for name, axis in (("block", test.block), ("threads", test.threads))
        ]
        if not all(chosen):
            blocks = ", ".join(block_words(one) for one in test.block)
            threads = ", ".join(map(str, test.threads))
            return f"it has no such cell: its blocks are {blocks}, its threads {threads}"
        if arguments and any(len(values) > 1 for values in chosen):
            return "it has several such cells: give both block and threads"
        return None

    return unavailable


def _buffered(test: Any, arguments: Arguments) -> str | None:
    """Return why a test has no writeback."""
    if test.cache != "page":
        return "it bypasses the page cache"
    return _for("write")(test, arguments)


_WRITE, _READ = "A write test.", "A read test."
_BEST = "of the best cell, or of the cell that is named"


def _latencies(operation: str, needs: str) -> Sequence[Metric]:
    return [
        Metric(
            f"{operation}.{name}",
            f"{name} latency of a {operation}",
            "duration",
            "application",
            f"{name} of the latencies of all {operation}s {_BEST}; its repeats are merged.",
            f"{needs} {round(1 / (1 - share))} operations.",
            _for(operation),
            percentile(name),
            CELL,
            choices,
            TIME,
            (operation, share),
            sense="latency",
        )
        for name, share in PERCENTILES.items()
    ]


def _rate(
    name: str,
    label: str,
    concern: Concern,
    definition: str,
    needs: str,
    *,
    unavailable: Callable[[Any, Arguments], str | None],
    read: Read,
) -> Metric:
    """Return the metric of a rate of the best cell, or of a named one."""
    about = definition, needs, unavailable, read
    return Metric(name, label, "rate", concern, *about, CELL, choices, sense="rate")


METRICS: tuple[Metric, ...] = (
    _rate(
        "durable.mean",
        "mean durable rate",
        "durability",
        f"Mean over the repeats of the rate up to the end of the final sync, {_BEST}.",
        _WRITE,
        unavailable=_for("write"),
        read=mean("durable", "durability"),
    ),
    _rate(
        "durable.min",
        "lowest durable rate",
        "durability",
        f"Lowest durable rate among the repeats {_BEST}; the lowest lasting level if the rate "
        "changed for good.",
        _WRITE,
        unavailable=_for("write"),
        read=least("durable", "durability"),
    ),
    _rate(
        "writeback.mean",
        "mean rate from the start of writeback",
        "durability",
        f"Mean over the repeats of what the device took after the kernel began to write back, "
        f"÷ the time from then to the end of the final sync, {_BEST}. The durable rate includes "
        "the time before.",
        "A write test through the page cache, of one target whose device counts its bytes.",
        unavailable=_buffered,
        read=of_writeback,
    ),
    _rate(
        "app.mean",
        "mean application rate",
        "application",
        "Mean over the repeats of the rate up to the return of the last operation, regardless of "
        f"what served the data, {_BEST}.",
        "Any test.",
        unavailable=_for(None),
        read=mean("application", "application"),
    ),
    _rate(
        "app.min",
        "lowest application rate",
        "application",
        f"Lowest application rate among the repeats {_BEST}; the lowest lasting level if the rate "
        "changed for good.",
        "Any test.",
        unavailable=_for(None),
        read=least("application", "application"),
    ),
    _rate(
        "device.mean",
        "mean read rate of the device",
        "device",
        f"Mean over the repeats of the rate of reads that the device served, {_BEST}.",
        _READ,
        unavailable=_for("read"),
        read=mean("application", "device"),
    ),
    *_latencies("write", _WRITE),
    *_latencies("read", _READ),
    Metric(
        "stall.max",
        "longest operation",
        "duration",
        "application",
        "Longest write or read of all reliable trials of the run, or of the named cell.",
        "Any test.",
        _for(None),
        longest,
        CELL,
        possible=TIME,
        sense="latency",
    ),
    Metric(
        "cliff.after",
        "amount of data before the rate falls permanently",
        "size",
        "application",
        "Bytes before the first lasting fall of the application rate in any reliable trial of "
        "the run, or of the named cell. Without one, it is more than the bytes of the longest "
        "trial.",
        "Any test; trials of at least the limit's size.",
        _for(None),
        cliff_after,
        CELL,
        sense="pattern",
        more_is_better=True,
    ),
    Metric(
        "repeat.cv",
        "variation between repeats",
        "share",
        "application",
        f"Standard deviation ÷ mean of the rates of the repeats (durable for writes), {_BEST}.",
        f"At least {FEWEST_REPEATS} repeats.",
        _for(None, repeats=FEWEST_REPEATS),
        spread,
        CELL,
        choices,
        sense="pattern",
    ),
    Metric(
        "verify.errors",
        "number of wrong sectors",
        "count",
        "device",
        "Sectors of 512 bytes that did not contain the written data, in all trials of the run.",
        _READ,
        _for("read"),
        wrong_sectors,
        sense="defects",
    ),
)
