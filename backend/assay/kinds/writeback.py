"""What page-cache rates include, and the trials that stand out among their repeats, as words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from assay.analysis.flags import Rate
from assay.analysis.served_by import ServedBy
from assay.analysis.writeback import WritebackRate, writeback
from assay.base import words
from assay.base.worded import say
from assay.kinds.cells import RatedTrial
from assay.kinds.metrics import Doubt, Measurement
from assay.kinds.run_record import AttemptRecord

LEAST_DELAY = 0.02
"""A shorter time before writeback, as a share of all, is not worth a sentence."""

FAR_BELOW = 0.6
"""A rate below this share of the median of its other repeats stands out.

With two to ten repeats and 10 % noise, that happens in at most 0.1 % of cells.
"""


def of_attempt(
    attempt: AttemptRecord, cache: str, durable: ServedBy | None, *, ramp_ns: int = 0
) -> WritebackRate | None:
    """Return the writeback of a buffered write whose data the device has; None for others.

    Its times count from the end of the ramp-up, as those of the durable rate do.
    """
    seen = attempt.device
    whole = not (attempt.earlier or attempt.gaps)
    if cache != "page" or seen is None or attempt.durable_ns is None or not whole:
        return None
    if durable is None or durable.source != "device":
        return None
    found = writeback(seen, attempt.bytes, attempt.durable_ns)
    return found and replace(
        found,
        begins_ns=max(0, found.begins_ns - ramp_ns),
        duration_ns=found.duration_ns - ramp_ns,
    )


def delay(found: Sequence[tuple[str, WritebackRate | None]]) -> tuple[str, dict[str, float]] | None:
    """Return the message and figures of the time before writeback in the fastest of cells.

    `found` has where each cell was measured, such as `with two threads`, empty if there is only
    one, the fastest first.
    """
    late = [
        (name, one, one.bytes_per_s)
        for name, one in found
        if one and one.bytes_per_s is not None and one.share >= LEAST_DELAY
    ]
    if not late:
        return None
    name, one, rate = late[0]
    where = say(" {}", name) if name else ""
    message = say(
        "The durable rate includes the time before the kernel began to write back: {} "
        "of {}{}. From then on the data reached the device at {}.",
        words.duration(one.begins_ns),
        words.duration(one.duration_ns),
        where,
        {"bytes_per_s": rate},
    )
    figures = {
        "delay_ns": float(one.begins_ns),
        "duration_ns": float(one.duration_ns),
        "bytes_per_s": rate,
        "cells": float(len(late)),
        "of_cells": float(len(found)),
    }
    return message, figures


def reading(durable: Measurement, found: WritebackRate | None) -> Measurement:
    """Return the rate from the start of writeback; `durable` is the rate over all of the time."""
    if found is not None and found.bytes_per_s is not None:
        return replace(durable, value=found.bytes_per_s, spread=None)
    message = "No device showed when the kernel began to write back."
    doubts = [*durable.doubts, Doubt("not_measured", message)]
    return replace(durable, value=None, doubts=doubts, spread=None)


@dataclass(frozen=True)
class Repeat:
    """A repeat of a cell, with the rate by which it is compared; `again`: not the first attempt."""

    trial_id: int
    number: int
    bytes_per_s: float
    again: bool = False


def repeats_of(trials: Iterable[RatedTrial], rate: Rate) -> list[Repeat]:
    """Return the repeats of a cell whose rate is reliable, and did not change for good."""
    return [
        Repeat(one.id, one.repeat, value, one.attempts > 1)
        for one in trials
        if one.is_sound(rate)
        and not any(flag.code == "cliff" for flag in one.flags)
        and (value := one.rate(rate)) is not None
    ]


def far_below(repeats: Sequence[Repeat]) -> tuple[Repeat, float] | None:
    """Return the slowest repeat with the median of the others, if it is far below that."""
    if len(repeats) < 2:
        return None
    slowest = min(repeats, key=lambda one: one.bytes_per_s)
    others = median(one.bytes_per_s for one in repeats if one is not slowest)
    return (slowest, others) if slowest.bytes_per_s < FAR_BELOW * others else None


def below(
    found: Sequence[tuple[str, Sequence[Repeat]]], *, first_trial_id: int, allocates: bool
) -> tuple[str, dict[str, float]] | None:
    """Return the message and figures of the trial that is farthest below its repeats, if any is.

    `found` has where each cell was measured, as in `delay`, and its repeats. The run's first trial
    that writes is `first_trial_id`, and `allocates` if nothing was written in preparation.
    """
    seen = [(name, *one) for name, repeats in found if (one := far_below(repeats))]
    if not seen:
        return None
    name, trial, others = min(seen, key=lambda one: one[1].bytes_per_s / one[2])
    where = say(" {}", name) if name else ""
    more = len(seen) - 1
    others_said = f" {words.capital(words.count(more, 'other cell'))} had one, too." if more else ""
    cause = "The cause is unknown: look at what else happened then."
    if allocates and trial.trial_id == first_trial_id and not trial.again:
        cause = (
            "The run had written nothing before it: storage that allocates its space at the first "
            "write, such as a thin volume or a sparse image, is slower then. It may also have "
            "another cause."
        )
    message = say(
        "Repeat {}{} reached {}, {} below the median of its other repeats ({}), and is "
        "in the mean. {}{}",
        str(trial.number),
        where,
        {"bytes_per_s": trial.bytes_per_s},
        {"share": 1 - trial.bytes_per_s / others},
        {"bytes_per_s": others},
        cause,
        others_said,
    )
    figures = {
        "trial_id": float(trial.trial_id),
        "repeat": float(trial.number),
        "bytes_per_s": trial.bytes_per_s,
        "others_bytes_per_s": others,
        "cells": float(len(seen)),
    }
    return message, figures
