"""The metrics of a records test: records and payload per second, what was lost, latencies."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from assay.base.words import block as block_words
from assay.kinds.doubts import FEWEST_REPEATS, PERCENTILES
from assay.kinds.metrics import PART, TIME, Argument, Arguments, Metric
from assay.kinds.records.readings import (
    choices,
    cliff_after,
    cost,
    fairness,
    least,
    lost,
    mean,
    of_counts,
    percentile,
    spread,
    sum_of,
)

LENGTH = (Argument("record", "size", "Record length", of_cell=lambda cell: cell.record_bytes),)

_LEADING = "of the record length that moves most payload, or of the one that is named"


def _for(
    *, file: bool = False, paced: bool = False, repeats: int = 1
) -> Callable[[Any, Arguments], str | None]:
    """Return a rule about tests: a file, a rate with acknowledgements, repeats, the length."""

    def unavailable(test: Any, arguments: Arguments) -> str | None:
        wanted = arguments.get("record")
        if wanted is not None and wanted not in test.record_bytes:
            known = ", ".join(block_words(one) for one in test.record_bytes)
            return f"it has no such record length: its lengths are {known}"
        if file and test.sink == "memory":
            return "its sink is memory, and only a file has it"
        if paced and not test.rate_records_per_s:
            return "its records have no due times: only `rate_records_per_s` gives them"
        if paced and test.acknowledge == "none":
            return "its records are not acknowledged, so their latency ends nowhere"
        if test.repeats < repeats:
            return f"it has {test.repeats} repeats; at least {repeats} are needed"
        return None

    return unavailable


_metric = partial(Metric, arguments=LENGTH, choices=choices)
"""A metric of the leading record length; with `choices` None, of all of them."""

_ANY = "A records test."
_COUNTED: Sequence[tuple[str, str, str]] = (
    ("missing", "that did not arrive", "Records that were sent and did not arrive"),
    ("wrong", "that arrived changed", "Records that arrived with another content than sent"),
    ("duplicate", "that arrived again", "Records that had arrived before"),
)

METRICS: tuple[Metric, ...] = (
    _metric(
        "records.rate",
        "rate of records",
        "frequency",
        "application",
        "Mean over the repeats of the records that the receiver took in during the window ÷ its "
        f"length, {_LEADING}.",
        _ANY,
        _for(),
        mean(lambda cell: cell.records_per_s, "application"),
        sense="rate",
    ),
    _metric(
        "records.min",
        "lowest rate of records",
        "frequency",
        "application",
        f"Lowest rate among the repeats {_LEADING}; the lowest lasting level if the rate changed "
        "for good in the window.",
        _ANY,
        _for(),
        least,
        sense="rate",
    ),
    _metric(
        "records.payload",
        "rate of payload",
        "rate",
        "application",
        "Mean over the repeats of the rate of records × their length, as they were sent, "
        f"{_LEADING}.",
        _ANY,
        _for(),
        mean(lambda cell: cell.bytes_per_s, "application"),
        sense="rate",
    ),
    _metric(
        "records.durable",
        "durable rate of payload",
        "rate",
        "durability",
        "Mean over the repeats of all payload ÷ the time from the start to the end of the final "
        f"sync, {_LEADING}.",
        "A sink that is a target.",
        _for(file=True),
        mean(lambda cell: cell.durable_bytes_per_s, "durability"),
        sense="rate",
    ),
    _metric(
        "records.lost",
        "number of lost records",
        "count",
        "application",
        "Records that were acknowledged to their sender and are not intact in the sink, in all "
        "trials, and in those in which the receiver died.",
        "Acknowledgements.",
        lambda test, arguments: (
            "its records are not acknowledged"
            if test.acknowledge == "none"
            else _for()(test, arguments)
        ),
        sum_of(lost, kept=True),
        choices=None,
        sense="defects",
    ),
    *(
        _metric(
            f"records.{name}",
            f"number of records {label}",
            "count",
            "application",
            f"{definition}, in all trials that ended.",
            _ANY,
            _for(),
            sum_of(of_counts(name)),
            choices=None,
            sense="defects",
        )
        for name, label, definition in _COUNTED
    ),
    _metric(
        "records.fairness",
        "fairness between senders",
        "share",
        "application",
        "Jain's index of the senders' rates in the receiver's window, the lowest of the repeats, "
        f"{_LEADING}: 1 if all are equal, 1/N if one has everything.",
        "Two or more senders.",
        _for(),
        fairness,
        possible=PART,
        sense="pattern",
        more_is_better=True,
    ),
    _metric(
        "records.cost",
        "CPU time of the receiver per record",
        "duration",
        "application",
        f"CPU time of the receiver's process ÷ the records that it took in, {_LEADING}.",
        _ANY,
        _for(),
        cost,
        possible=TIME,
        sense="pattern",
    ),
    *(
        _metric(
            f"due.{name}",
            f"{name} latency from the due time",
            "duration",
            "application",
            f"{name} of the times from when a record was due to its acknowledgement at the sender, "
            f"{_LEADING}; its repeats and senders are merged.",
            "A rate, and acknowledgements.",
            _for(paced=True),
            percentile(name),
            possible=TIME,
            percentile=("due", share),
            sense="latency",
        )
        for name, share in PERCENTILES.items()
    ),
    _metric(
        "cliff.after",
        "amount of data before the rate falls permanently",
        "size",
        "device",
        "Payload before the first lasting fall of the receiver's rate in any reliable trial "
        "of the run, or with the named length. Without one, it is more than that of the longest "
        "trial.",
        "A test without a rate; trials of at least the limit's size.",
        _for(),
        cliff_after,
        choices=None,
        sense="pattern",
        more_is_better=True,
    ),
    _metric(
        "repeat.cv",
        "variation between repeats",
        "share",
        "application",
        f"Standard deviation ÷ mean of the rates of the repeats, {_LEADING}.",
        f"At least {FEWEST_REPEATS} repeats.",
        _for(repeats=FEWEST_REPEATS),
        spread,
        sense="pattern",
    ),
)
"""The figures of a records test that criteria may limit."""
