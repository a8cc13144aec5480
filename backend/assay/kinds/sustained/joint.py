"""A trial that several participants measured together: the aggregate and each one's share.

Rates and bytes are those of all together, latencies and backlogs those of the worst one.
"""

from collections.abc import Sequence
from dataclasses import replace

from assay.analysis import cliff as cliff_rules
from assay.analysis import flags as rules
from assay.analysis.backlog import Backlog
from assay.analysis.carry import Carry, Recording, carry_evenly, untested
from assay.analysis.flags import Flag, Rate
from assay.analysis.shape import shape
from assay.analysis.slow_down import slow_down
from assay.analysis.statuses import COUNTED, of_trial
from assay.analysis.steady import ROUND_NS, steady
from assay.analysis.together import LEAST_OVERLAP, Joint, fairness, rounds, score
from assay.kinds.evidence import after_ramp, gravest_contention, least_conclusive, part
from assay.kinds.run_record import AttemptRecord, RunRecord, TrialRecord
from assay.kinds.sustained import conformance, frames, mixed, read_back, syncs
from assay.kinds.sustained.fields import is_random
from assay.kinds.sustained.figures import StreamShare, SustainedTrial
from assay.kinds.sustained.latencies import together
from assay.kinds.sustained.modes import used_by
from assay.kinds.sustained.presets import PRESETS
from assay.kinds.sustained.trials import (
    MeasuredTrial,
    iops,
    levels,
    measured_at,
    ramp,
    shows_changes,
    waiting,
)


def measured(run: RunRecord, trial: TrialRecord) -> MeasuredTrial:
    """Return a trial with its figures: the aggregate if there are several participants."""
    of_each = [measured_at(run, trial, place) for place in range(len(run.sites))]
    found = of_each[0] if len(run.sites) == 1 else _joint(run, trial, of_each)
    return _with_others(trial, found) if trial.beside else found


def _with_others(trial: TrialRecord, own: MeasuredTrial) -> MeasuredTrial:
    """Return one direction of a trial that counts only if the other does, and ran meanwhile."""
    others = [one.attempt for one in trial.beside]
    status = of_trial([own.figures.status, *(one.status if one else "waiting" for one in others)])
    if status not in COUNTED:
        reasons = (one.reason for one in others if one and one.reason)
        reason = own.figures.reason or next(reasons, None)
        return replace(own, figures=replace(own.figures, status=status, reason=reason))
    attempts = [attempt for attempt in (*trial.deciding, *others) if attempt is not None]
    found = score([part(attempt) for attempt in attempts])
    short = rules.short_overlap(found.window_ns, found.longest_ns)
    # alone the direction was faster, also up to the end of its sync
    flags = [*own.figures.flags, *([replace(short, rates=rules.BOTH)] if short else [])]
    return replace(own, figures=replace(own.figures, flags=flags))


def _joint(run: RunRecord, trial: TrialRecord, of_each: Sequence[MeasuredTrial]) -> MeasuredTrial:
    """Return the trial of all participants; it counts if every participant's attempt does."""
    names = {site.participant_id: site.name for site in run.sites}
    by_id = dict(zip(names, of_each, strict=True))
    figures = replace(
        waiting(trial).figures,
        status=of_trial([one.figures.status for one in of_each]),
        reason=next((one.figures.reason for one in of_each if one.figures.reason), None),
        bytes=sum(one.figures.bytes for one in of_each),
        operations=sum(one.figures.operations for one in of_each),
        flags=rules.of_participants(
            {each: one.figures.flags for each, one in by_id.items()}, names
        ),
        participants=_participants(run, trial, of_each, None),
    )
    figures = replace(figures, gaps=[gap for one in of_each for gap in one.figures.gaps])
    known = MeasuredTrial(figures, trial.again)
    attempts = [attempt for attempt in trial.deciding if attempt is not None]
    if figures.status not in COUNTED or not all(one.counts for one in of_each):
        return known
    common = min(ramp(attempt)[1] for attempt in attempts)
    parts = [after_ramp(attempt, *ramp(attempt), common) for attempt in attempts]
    finest = [after_ramp(_finest(attempt), *ramp(attempt), common) for attempt in attempts]
    found = score(parts)
    is_durable = all(_is_durable(one.figures) for one in of_each)
    durable = found.durable_bytes_per_s if is_durable else None
    # the aggregate includes the gaps of each
    seen = None if figures.gaps else found.course
    change = cliff_rules.find(seen) if seen else None
    measured_rounds = None if figures.gaps else rounds(finest, found, ROUND_NS)
    settled = steady(measured_rounds) if measured_rounds else None
    contention = gravest_contention(
        run, trial, {each: one.figures.contention for each, one in by_id.items()}, names
    )
    done = conformance.merged([one.figures.preparation for one in of_each])
    paced = trial.parameters["offered_bytes_per_s"] is not None
    writes = run.parameters["operation"] != "read"
    cache = used_by(run.parameters, trial.parameters, "cache")
    held = change is not None and writes and cache == "direct"
    recordings = [
        one.recording.within(*_window(attempt, found, common, change))
        for one, attempt in zip(of_each, attempts, strict=True)
        if one.recording
    ]
    own, rates = [one.figures for one in of_each], [one or 0.0 for one in found.application]
    footprints = [one.footprint_bytes for one in own]
    ends = [one.backlog_end_bytes for one in own]
    random = is_random(run.parameters)
    directions = mixed.merged([one.directions for one in of_each])
    of_directions = mixed.trial_directions(
        directions,
        figures.gaps,
        application_bytes_per_s=found.application_bytes_per_s,
        durable_bytes_per_s=durable,
    )
    return replace(
        known,
        figures=replace(
            figures,
            application_bytes_per_s=found.application_bytes_per_s,
            durable_bytes_per_s=None if directions else durable,
            iops=iops(found.application_bytes_per_s, figures.operations, figures.bytes),
            directions=of_directions,
            bounded=any(one.bounded for one in own),
            duration_ns=max(one.duration_ns for one in own),
            ramp_ns=max(one.ramp_ns for one in own),
            ramp_bytes=sum(one.ramp_bytes for one in own),
            verify_errors=sum(one.verify_errors for one in own),
            due_unfinished=sum(one.due_unfinished for one in own),
            unreturned=sum(one.unreturned for one in own),
            frames=frames.merged([one.frames for one in own]),
            syncs=syncs.merged([one.syncs for one in own]),
            read_back=read_back.merged([one.read_back for one in own]),
            preparation=done,
            steady=settled,
            conformance=settled
            and conformance.conformance(
                {**run.parameters, "cache": cache},
                done,
                first=run.trials[0].id == trial.id,
                alone=contention is None or contention.state != "contended",
                reached=settled.reached,
                whole=True,
            ),
            asleep_ns=sum(one.asleep_ns for one in own),
            footprint_bytes=sum(footprints),
            mark_bytes=max(one.mark_bytes for one in own),
            peak_ns=_worst([one.peak_ns for one in own]),
            p99_ns=_worst([one.p99_ns for one in own]),
            stall_ns=_worst([one.stall_ns for one in own]),
            due_peak_ns=_worst([one.due_peak_ns for one in own]),
            due_p99_ns=_worst([one.due_p99_ns for one in own]),
            backlog_most_bytes=_worst([one.backlog_most_bytes for one in own]),
            # a participant without one may be the worst
            backlog_end_bytes=None if None in ends else _worst(ends),
            cliff=levels(
                change, sum(one.ramp_bytes for one in own) + change.before.bytes, durable=held
            )
            if change
            else None,
            no_cliff_within_bytes=_within(run, figures.bytes, sum(footprints))
            if change is None and shows_changes(seen, paced=paced)
            else None,
            shape=shape(seen) if seen and not change and not paced else None,
            slow_down=slow_down(seen) if seen else None,
            flags=[*figures.flags, *_of_all(found, change, held)],
            contention=contention,
            window_ns=found.window_ns,
            window_from_ns=found.since_ns + common,
            fairness=fairness(rates) if rates else None,
            slowest_participant_id=list(names)[rates.index(min(rates))] if rates else None,
            participants=_participants(run, trial, of_each, found),
        ),
        latencies=together(one.latencies for one in of_each),
        due_latencies=together(one.due_latencies for one in of_each),
        application_served_by=least_conclusive(
            {each: one.application_served_by for each, one in by_id.items()}, names
        ),
        durable_served_by=least_conclusive(
            {each: one.durable_served_by for each, one in by_id.items()}, names
        ),
        carried=() if random else _carried(recordings, found),
        backlogs=() if random else _backlogs(recordings),
        directions=directions,
        slowest=sorted((one for each in of_each for one in each.slowest), key=lambda o: -o.ns),
    )


def _finest(attempt: AttemptRecord) -> AttemptRecord:
    """Return an attempt with its throughput over marks, if they are finer than its samples.

    Those of hours are joined into hundreds of intervals, which may be longer than a round.
    """
    marks, seen = attempt.marks, attempt.course
    if marks and (seen is None or max(marks.bytes) < max(seen.bytes, default=0)):
        return replace(attempt, course=marks.intervals)
    return attempt


def _is_durable(figures: SustainedTrial) -> bool:
    """Return whether what a participant wrote has a durable rate."""
    if not figures.directions:
        return figures.durable_bytes_per_s is not None
    writes = (one for one in figures.directions if one.operation == "write")
    return all(one.durable_bytes_per_s is not None for one in writes)


def _worst(values: Sequence[int | None]) -> int | None:
    """Return the largest value of any participant; None if all are unknown."""
    return max((one for one in values if one is not None), default=None)


def _within(run: RunRecord, moved: int, footprint: int) -> int:
    """Return the data within which a trial without a cliff excludes one."""
    overwrites = is_random(run.parameters) and run.parameters["operation"] != "read"
    return moved if overwrites else min(moved, footprint)


def _window(
    attempt: AttemptRecord, found: Joint, common_ns: int, change: cliff_rules.Cliff | None
) -> tuple[int, int, int | None]:
    """Return the common window and the time of a cliff, since the start of an attempt."""
    since = found.since_ns + common_ns - attempt.delay_ns
    return since, since + found.window_ns, since + change.at_ns if change else None


def _carried(recordings: Sequence[Recording], found: Joint) -> list[Carry]:
    """Return whether all participants together carry each preset's rate."""
    if found.overlap < LEAST_OVERLAP:
        return [untested(preset.bytes_per_s, "short_overlap") for preset in PRESETS]
    return [carry_evenly(recordings, preset.bytes_per_s) for preset in PRESETS]


def _backlogs(recordings: Sequence[Recording]) -> list[Backlog]:
    """Return the backlogs of all participants at rates of which each gets an equal part."""
    of_each = [{one.bytes_per_s: one for one in of.backlogs} for of in recordings]
    found: list[Backlog] = []
    for rate in sorted(set[int]().union(*of_each)):
        rows = [of[rate] for of in of_each if rate in of]
        if len(rows) < len(of_each):
            continue
        found.append(
            Backlog(
                rate * len(rows),
                sum(one.most_bytes for one in rows),
                sum(one.end_bytes for one in rows),
                max(rows, key=lambda one: one.most_bytes).most_at_ns,
            )
        )
    return found


def _of_all(found: Joint, change: cliff_rules.Cliff | None, held: bool) -> list[Flag]:
    """Return the flags that only the aggregate shows."""
    if short := rules.short_overlap(found.window_ns, found.longest_ns):
        return [short]
    flags: list[Flag] = []
    if change is not None:
        rates: tuple[Rate, ...] = rules.BOTH if held else ("application",)
        flags.append(Flag("cliff", change.sentence(), change.figures(), rates))
    return flags


def _participants(
    run: RunRecord, trial: TrialRecord, of_each: Sequence[MeasuredTrial], found: Joint | None
) -> list[StreamShare]:
    """Return each participant's figures; the application rate is over the common window."""
    rates: list[float | None] = found.application if found else [None] * len(of_each)
    total = sum(rate or 0 for rate in rates)
    return [
        StreamShare(
            participant_id=site.participant_id,
            status=one.figures.status,
            reason=one.figures.reason,
            bytes=one.figures.bytes,
            application_bytes_per_s=rate,
            durable_bytes_per_s=one.figures.durable_bytes_per_s,
            share=rate / total if rate is not None and total else None,
            peak_ns=one.figures.peak_ns,
            start_delay_ns=attempt.delay_ns if attempt else None,
            p99_ns=one.figures.p99_ns,
            due_peak_ns=one.figures.due_peak_ns,
            due_p99_ns=one.figures.due_p99_ns,
            backlog_most_bytes=one.figures.backlog_most_bytes,
            backlog_end_bytes=one.figures.backlog_end_bytes,
        )
        for site, one, attempt, rate in zip(run.sites, of_each, trial.deciding, rates, strict=True)
    ]
