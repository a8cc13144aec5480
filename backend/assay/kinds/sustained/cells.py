"""Trials grouped into cells: each cell has all repeats of one block, rate or burst."""

from collections.abc import Sequence
from dataclasses import replace

from assay.analysis import flags as rules
from assay.analysis import repeats
from assay.analysis.backlog import Backlog
from assay.analysis.carry import GRAVITY, Carry, gravity
from assay.analysis.flags import Flag, Rate
from assay.analysis.repeats import Repeats
from assay.analysis.served_by import weakest
from assay.analysis.writeback import mean_of
from assay.kinds.cells import SourcesOfRates, is_sound, rate_of, state_of
from assay.kinds.run_record import TrialRecord
from assay.kinds.sustained.fields import Direction, Operation
from assay.kinds.sustained.figures import (
    CarriedRate,
    DecidingStretch,
    LatencyPoint,
    SlowOperation,
    SustainedCell,
)
from assay.kinds.sustained.latencies import curve, together
from assay.kinds.sustained.mixed import DIRECTIONS, cell_directions, merged
from assay.kinds.sustained.modes import mode_of
from assay.kinds.sustained.presets import PRESETS
from assay.kinds.sustained.trials import MeasuredTrial

SLOWEST = 100
SLOWEST_IN_SWEEP = 10
"""Slowest operations of a cell: alone, and of each of several cells."""


def gather(
    operation: Operation,
    records: Sequence[TrialRecord],
    measured: Sequence[MeasuredTrial],
    *,
    sweep: bool,
) -> SustainedCell:
    """Return the cell of these trials, which have the same parameters."""
    own = records[0].parameters
    counted = [one for one in measured if one.counts]
    leading: Rate = (
        "durable" if any(is_sound(m.figures, "durable") for m in counted) else "application"
    )
    chosen = [one for one in counted if is_sound(one.figures, leading)] or counted
    durable, application = (_repeats(chosen, rate) for rate in rules.BOTH)
    sources = SourcesOfRates(
        weakest(m.application_served_by for m in chosen if m.application_served_by),
        weakest(m.durable_served_by for m in chosen if m.durable_served_by),
    )
    peaks = [m.figures.peak_ns for m in chosen if m.figures.peak_ns is not None]
    return SustainedCell(
        key=records[0].cell,
        operation=operation,
        block=own["block"],
        streams=own["streams"],
        rate_bytes_per_s=own["rate_bytes_per_s"] or None,
        burst_blocks=own["burst_blocks"] or None,
        idle_ms=own.get("idle_ms", 0),
        offered_bytes_per_s=own["offered_bytes_per_s"],
        state=state_of(((m.figures.status, m.again) for m in measured), len(counted)),
        repeats_done=len(counted),
        repeats_total=len(measured),
        durable=durable,
        application=application,
        served_by=sources if sources.application or sources.durable else None,
        flags=_flags(measured, durable, application),
        peak_ns=max(peaks, default=None),
        latency=curve(together(m.latencies for m in chosen)),
        due_latency=curve(together(m.due_latencies for m in chosen)),
        carry=_carry(chosen),
        backlogs=_backlogs(chosen),
        slowest=_slowest(chosen, SLOWEST_IN_SWEEP if sweep else SLOWEST),
        shown_trial_id=_shown(chosen, leading),
        trials=sorted((m.figures for m in measured), key=lambda trial: trial.repeat),
        writeback=mean_of([one for m in chosen if (one := m.figures.writeback)]),
        queue_depth=own.get("queue_depth", 1),
        mode=mode_of(own),
        iops=_iops(chosen),
        directions=cell_directions(
            [m.figures for m in chosen], [m.directions for m in chosen], _curves(chosen)
        ),
    )


def _iops(chosen: Sequence[MeasuredTrial]) -> Repeats | None:
    found = [m.figures.iops for m in chosen if m.figures.iops is not None]
    return repeats.describe(found) if found else None


def _curves(
    chosen: Sequence[MeasuredTrial],
) -> dict[Direction, tuple[list[LatencyPoint], list[LatencyPoint]]]:
    """Return the curves of each direction: of the service times, and from the due times."""
    found = {one.operation: one for one in merged([m.directions for m in chosen])}
    return {
        each: (curve(one.latencies), curve(one.due_latencies))
        for each in DIRECTIONS
        if (one := found.get(each))
    }


def _repeats(chosen: Sequence[MeasuredTrial], rate: Rate) -> Repeats | None:
    rates = [value for m in chosen if (value := rate_of(m.figures, rate)) is not None]
    return repeats.describe(rates) if rates else None


def _flags(
    measured: Sequence[MeasuredTrial], durable: Repeats | None, application: Repeats | None
) -> list[Flag]:
    found = rules.of_cell([m.figures.flags for m in measured if m.figures.status != "waiting"])
    stats: dict[Rate, Repeats | None] = {"durable": durable, "application": application}
    return found + [
        flag
        for rate, stat in stats.items()
        if stat and stat.cv is not None
        if (flag := rules.unstable(rate, stat.mean, stat.cv * stat.mean)) is not None
    ]


def _slowest(chosen: Sequence[MeasuredTrial], most: int) -> list[SlowOperation]:
    every = [one for m in chosen for one in m.slowest]
    return sorted(every, key=lambda one: -one.ns)[:most]


def _shown(chosen: Sequence[MeasuredTrial], rate: Rate) -> int | None:
    """Return the trial with the median rate; the lower one of two."""
    rated = sorted((rate_of(m.figures, rate) or 0.0, m.figures.id) for m in chosen)
    return rated[(len(rated) - 1) // 2][1] if rated else None


def _backlogs(chosen: Sequence[MeasuredTrial]) -> list[Backlog]:
    """Return the largest backlog of the repeats at each rate, and the largest one at an end."""
    largest: dict[int, Backlog] = {}
    for one in (one for m in chosen for one in m.backlogs):
        known = largest.get(one.bytes_per_s, one)
        most = max(known, one, key=lambda each: each.most_bytes)
        largest[one.bytes_per_s] = replace(most, end_bytes=max(known.end_bytes, one.end_bytes))
    return [largest[rate] for rate in sorted(largest)]


def _carry(chosen: Sequence[MeasuredTrial]) -> list[CarriedRate]:
    """Return the gravest answer of the repeats for each preset."""
    carried = [m for m in chosen if m.carried]
    if not carried:
        return []
    found: list[CarriedRate] = []
    for number, preset in enumerate(PRESETS):
        answers = [(m, m.carried[number]) for m in carried]
        tested = [one for one in answers if one[1].carried in GRAVITY]
        trial, gravest = max(tested, key=lambda one: gravity(one[1])) if tested else answers[0]
        buffer, decides = gravest.buffer, gravest.decides
        found.append(
            CarriedRate(
                key=preset.key,
                label=preset.label,
                basis=preset.basis,
                bytes_per_s=preset.bytes_per_s,
                carried=gravest.carried,
                reason=gravest.reason,
                margin=gravest.margin,
                aggregate_margin=gravest.aggregate_margin,
                buffer_least_bytes=buffer.least_bytes if buffer else None,
                buffer_most_bytes=buffer.most_bytes if buffer else None,
                exact=buffer.exact if buffer else False,
                by_peak_bytes=buffer.by_peak_bytes if buffer else None,
                decides=DecidingStretch(
                    trial_id=trial.figures.id,
                    participant_id=_participant(trial, gravest),
                    begin_ns=decides.begin_ns,
                    end_ns=decides.end_ns,
                    begin_bytes=decides.begin_bytes,
                    end_bytes=decides.end_bytes,
                    capacity_bytes_per_s=decides.capacity_bytes_per_s if decides.busy_ns else 0.0,
                )
                if decides
                else None,
            )
        )
    return found


def _participant(trial: MeasuredTrial, answer: Carry) -> int | None:
    """Return the participant that decides, of several."""
    several = trial.figures.participants
    return several[answer.place].participant_id if several else None
