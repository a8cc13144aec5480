"""Trials grouped into cells: each cell has all repeats of one block, rate or burst."""

from collections.abc import Sequence
from dataclasses import replace

from assay.analysis.carry import GRAVITY, WHY, Backlog, Buffer, Carried, Carry, Stretch, gravity
from assay.analysis.flags import BOTH, Rate
from assay.analysis.writeback import mean_of
from assay.base import words
from assay.base.worded import Part, Words, say
from assay.kinds.cells import (
    described,
    flags_of,
    median_trial,
    reliable,
    repeats_of,
    repeats_words,
    sources_of,
    state_of,
    with_left_out,
)
from assay.kinds.run_record import TrialRecord
from assay.kinds.sustained.fields import Operation
from assay.kinds.sustained.figures import CarriedRate, DecidingStretch, SlowOperation, SustainedCell
from assay.kinds.sustained.latencies import curve, together
from assay.kinds.sustained.mixed import cell_directions
from assay.kinds.sustained.modes import mode_of
from assay.kinds.sustained.presets import PRESETS
from assay.kinds.sustained.trials import MeasuredSustained

SLOWEST = 100
SLOWEST_IN_SWEEP = 10
"""Slowest operations of a cell: alone, and of each of several cells."""


def gather(
    operation: Operation,
    records: Sequence[TrialRecord],
    measured: Sequence[MeasuredSustained],
    *,
    sweep: bool,
) -> SustainedCell:
    """Return the cell of these trials, which have the same parameters."""
    own = records[0].parameters
    shown = [m.figures for m in measured]
    counted = [m for m in measured if m.figures.is_counted]
    leading, chosen = _chosen(counted)
    figures = [m.figures for m in chosen]
    durable, application = (repeats_of(figures, rate) for rate in BOTH)
    kept = with_left_out(sorted(shown, key=lambda trial: trial.repeat), {leading: figures})
    return SustainedCell(
        key=records[0].cell,
        operation=operation,
        block=own["block"],
        streams=own["streams"],
        rate_bytes_per_s=own["rate_bytes_per_s"] or None,
        burst_blocks=own["burst_blocks"] or None,
        idle_ms=own.get("idle_ms", 0),
        offered_bytes_per_s=own["offered_bytes_per_s"],
        state=state_of(shown, len(counted)),
        repeats_done=len(counted),
        repeats_total=len(measured),
        durable=durable,
        application=application,
        served_by=sources_of(chosen, chosen),
        flags=flags_of(shown, (("durable", durable), ("application", application))),
        peak_ns=max((one.peak_ns for one in figures if one.peak_ns is not None), default=None),
        latency=curve(together(m.latencies for m in chosen)),
        due_latency=curve(together(m.due_latencies for m in chosen)),
        carry=_carry(chosen),
        backlogs=_backlogs(chosen),
        slowest=_slowest(chosen, SLOWEST_IN_SWEEP if sweep else SLOWEST),
        shown_trial_id=median_trial((one.rate(leading), one.id) for one in figures),
        trials=kept,
        repeats=repeats_words(
            kept,
            leading,
            durable if leading == "durable" else application,
            done=len(counted),
        ),
        writeback=mean_of([one.writeback for one in figures if one.writeback]),
        queue_depth=own.get("queue_depth", 1),
        mode=mode_of(own),
        iops=described(one.iops for one in figures),
        directions=cell_directions(figures, [m.directions for m in chosen]),
    )


def _chosen(counted: Sequence[MeasuredSustained]) -> tuple[Rate, Sequence[MeasuredSustained]]:
    """Return the leading rate, durable if any trial has it, and the trials that are reliable in it.

    Without any, they are all that count.
    """
    is_durable = any(m.figures.is_sound("durable") for m in counted)
    leading: Rate = "durable" if is_durable else "application"
    return leading, reliable(counted, leading)


def _slowest(chosen: Sequence[MeasuredSustained], most: int) -> list[SlowOperation]:
    every = [one for m in chosen for one in m.slowest]
    return sorted(every, key=lambda one: -one.ns)[:most]


def _backlogs(chosen: Sequence[MeasuredSustained]) -> list[Backlog]:
    """Return the largest backlog of the repeats at each rate, and the largest one at an end."""
    largest: dict[int, Backlog] = {}
    for one in (one for m in chosen for one in m.backlogs):
        known = largest.get(one.bytes_per_s, one)
        most = max(known, one, key=lambda each: each.most_bytes)
        largest[one.bytes_per_s] = replace(most, end_bytes=max(known.end_bytes, one.end_bytes))
    return [largest[rate] for rate in sorted(largest)]


def _carry(chosen: Sequence[MeasuredSustained]) -> list[CarriedRate]:
    """Return the worst answer of the repeats for each preset."""
    carried = [m for m in chosen if m.carried]
    if not carried:
        return []
    found: list[CarriedRate] = []
    for number, preset in enumerate(PRESETS):
        answers = [(m, m.carried[number]) for m in carried]
        tested = [one for one in answers if one[1].carried in GRAVITY]
        trial, worst = max(tested, key=lambda one: gravity(one[1])) if tested else answers[0]
        buffer, decides = worst.buffer, worst.decides
        found.append(
            CarriedRate(
                key=preset.key,
                label=preset.label,
                basis=preset.basis,
                bytes_per_s=preset.bytes_per_s,
                carried=worst.carried,
                reason=worst.reason,
                why=worst.reason and WHY[worst.reason],
                margin=worst.margin,
                margin_words=_margin_words(worst.margin),
                aggregate_margin=worst.aggregate_margin,
                aggregate_margin_words=_margin_words(worst.aggregate_margin),
                buffer_least_bytes=buffer.least_bytes if buffer else None,
                buffer_most_bytes=buffer.most_bytes if buffer else None,
                buffer_words=_buffer_words(worst.carried, buffer),
                exact=buffer.exact if buffer else False,
                by_peak_bytes=buffer.by_peak_bytes if buffer else None,
                decides=DecidingStretch(
                    trial_id=trial.figures.id,
                    participant_id=_participant(trial, worst),
                    begin_ns=decides.begin_ns,
                    end_ns=decides.end_ns,
                    begin_bytes=decides.begin_bytes,
                    end_bytes=decides.end_bytes,
                    capacity_bytes_per_s=decides.capacity_bytes_per_s if decides.busy_ns else 0.0,
                    words=_decided(worst, decides, len(trial.figures.participants) or 1),
                )
                if decides
                else None,
            )
        )
    return found


LARGE_MARGIN = 9
"""From this margin on, the capacity is given as a multiple of the rate."""

LEAST_MARGIN = 0.001
"""A smaller margin has no sign: `+0 %` would contradict a `no` beside it."""


def _margin_words(margin: float | None) -> str | None:
    """Return how far the capacity is above the rate: `+12 %`, `195 times` if it is far above."""
    if margin is None:
        return None
    if margin >= LARGE_MARGIN:
        return f"{words.figure(margin + 1)} times"
    size = abs(margin)
    if size < LEAST_MARGIN:
        return f"under {100 * LEAST_MARGIN:g} %"
    return f"{'−' if margin < 0 else '+'}{words.half_up(100 * size, 1 if size < 0.01 else 0)} %"


def _buffer_words(carried: Carried, buffer: Buffer | None) -> Words | None:
    """Return the memory that bridges all stalls: exact, between two rates, or at least so much."""
    if carried == "yes":
        return say("none")
    if buffer is None or carried not in ("buffered", "undecided"):
        return None
    least, most = buffer.least_bytes, buffer.most_bytes
    if most is None or carried == "undecided":
        return say("at least {}", {"bytes": least})
    if buffer.exact:
        return say("{}", {"bytes": most})
    return say("{} to {}", {"bytes": least}, {"bytes": most})


def _decided(answer: Carry, stretch: Stretch, participants: int) -> Words:
    """Return what happened in the stretch of a participant's data that decides an answer."""
    place: list[Part] = [{"bytes": stretch.begin_bytes}, {"bytes": stretch.end_bytes}]
    keeps_up = stretch.capacity_bytes_per_s >= answer.bytes_per_s / participants
    if answer.carried == "buffered" and keeps_up and answer.buffer and answer.buffer.at_ns:
        return say("stalls: the queue was longest from {} to {}", *place)
    if not stretch.busy_ns:
        return say("from {} to {}", *place)
    only = "" if keeps_up else "for a while only " if answer.carried == "buffered" else "only "
    return say("{}{} from {} to {}", only, {"bytes_per_s": stretch.capacity_bytes_per_s}, *place)


def _participant(trial: MeasuredSustained, answer: Carry) -> int | None:
    """Return the participant that decides, of several."""
    several = trial.figures.participants
    return several[answer.place].participant_id if several else None
