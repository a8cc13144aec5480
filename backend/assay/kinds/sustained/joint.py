"""A trial that several participants measured together: the aggregate and each one's share.

Rates and bytes are those of all together, latencies and backlogs those of the worst one.
"""

from collections.abc import Sequence
from dataclasses import replace

from assay.analysis import flags as rules
from assay.analysis import level_search, levels
from assay.analysis.backlog import Backlog
from assay.analysis.carry import Carry, Recording, carry_evenly, untested
from assay.analysis.contention import others_at
from assay.analysis.flags import Flag
from assay.analysis.left_out import LeftOut, disturbed, left_out
from assay.analysis.levels import Held
from assay.analysis.shape import shape
from assay.analysis.slow_down import slow_down
from assay.analysis.statuses import COUNTED, of_trial
from assay.analysis.steady import ROUND_NS, steady
from assay.analysis.together import LEAST_OVERLAP, Joint, Part, fairness, rounds, score
from assay.kinds.evidence import after_ramp, gravest_contention, least_conclusive, part
from assay.kinds.run_record import AttemptRecord, RunRecord, TrialRecord
from assay.kinds.sustained import conformance, frames, mixed, read_back, syncs
from assay.kinds.sustained.fields import is_random
from assay.kinds.sustained.figures import StreamShare, SustainedTrial, TrialLevels
from assay.kinds.sustained.latencies import together
from assay.kinds.sustained.modes import used_by
from assay.kinds.sustained.presets import PRESETS
from assay.kinds.sustained.trials import (
    MeasuredTrial,
    iops,
    measured_at,
    ramp,
    shows_changes,
    waiting,
)


def measured(run: RunRecord, trial: TrialRecord) -> MeasuredTrial:
    """Return a trial with its figures: the aggregate if there are several participants."""
    of_each = [measured_at(run, trial, place) for place in range(len(run.sites))]
    found = of_each[0] if len(run.sites) == 1 else _joint(run, trial, of_each)
    found = replace(found, figures=replace(found.figures, reason=trial.reason))
    return _with_others(trial, found) if trial.beside else found


def _with_others(trial: TrialRecord, own: MeasuredTrial) -> MeasuredTrial:
    """Return one direction of a trial that counts only if the other does, and ran meanwhile."""
    others = [one.attempt for one in trial.beside]
    status = of_trial([own.figures.status, *(one.status if one else "waiting" for one in others)])
    if status not in COUNTED:
        return replace(own, figures=replace(own.figures, status=status))
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
    whole = [after_ramp(attempt, *ramp(attempt), common) for attempt in attempts]
    finest = [after_ramp(_finest(attempt), *ramp(attempt), common) for attempt in attempts]
    out = _left_out(attempts, whole, finest)
    finest = [out.without(one) for one in finest]
    found = score([out.without(one) for one in whole])
    is_durable = all(_is_durable(one.figures) for one in of_each)
    # it lasts up to the last sync, so what the others moved in a stretch cannot be left out
    durable = score(whole).durable_bytes_per_s if is_durable else None
    # what delayed one of them, or a moment at which it may have rested, is not left out
    uneven = any(gap.delays or not gap.is_stretch for gap in figures.gaps)
    seen = None if uneven else found.course
    measured_rounds = None if figures.gaps else rounds(finest, found, ROUND_NS)
    since_ns = out.resumed(found.since_ns)
    until_ns = out.moment(found.since_ns + found.window_ns)
    settled = steady(measured_rounds) if measured_rounds else None
    contention = gravest_contention(
        run, trial, {each: one.figures.contention for each, one in by_id.items()}, names
    )
    done = conformance.merged([one.figures.preparation for one in of_each])
    paced = trial.parameters["offered_bytes_per_s"] is not None
    writes = run.parameters["operation"] != "read"
    cache = used_by(run.parameters, trial.parameters, "cache")
    clocks = [
        (one.figures.contention, since_ns + common - attempt.delay_ns)
        for one, attempt in zip(of_each, attempts, strict=True)
    ]
    held = [
        replace(
            level,
            from_ns=out.resumed(found.since_ns + level.from_ns) - since_ns,
            to_ns=out.moment(found.since_ns + level.to_ns) - since_ns,
        )
        for level in (levels.held(level_search.find(seen)) if seen else [])
    ]
    changed = _levels(
        levels.without(held, lambda at_ns: others_at(at_ns, clocks)),
        sum(one.figures.ramp_bytes for one in of_each),
        durable=writes and cache == "direct",
    )
    recordings = [
        one.recording.within(*_window(attempt, since_ns, until_ns, common, changed))
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
            levels=changed,
            no_cliff_within_bytes=_within(run, sum(seen.bytes), sum(footprints))
            if seen and changed is None and shows_changes(seen, paced=paced)
            else None,
            shape=shape(seen) if seen and not changed and not paced else None,
            slow_down=slow_down(seen) if seen else None,
            flags=[*figures.flags, *_of_all(found, changed)],
            contention=contention,
            window_ns=found.window_ns,
            window_from_ns=since_ns + common,
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


def _left_out(
    attempts: Sequence[AttemptRecord], parts: Sequence[Part], finest: Sequence[Part]
) -> LeftOut:
    """Return where one of the participants stood still; a gap that delayed it stays in its rate."""
    return left_out(
        stretch
        for attempt, *views in zip(attempts, parts, finest, strict=True)
        for one in views
        for stretch in disturbed(one, _still(attempt))
    )


def _still(attempt: AttemptRecord) -> list[tuple[int, int]]:
    """Return the gaps that delay nothing, in ns since the end of the attempt's ramp-up."""
    ramp_ns = ramp(attempt)[1]
    return [
        (gap.from_ns - ramp_ns, gap.until_ns - ramp_ns)
        for gap in attempt.gaps
        if gap.is_stretch and not gap.delays
    ]


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


def _levels(found: Held, ramp_bytes: int, *, durable: bool) -> TrialLevels | None:
    """Return the levels of all together, after the bytes of their ramp-ups."""
    moved = [
        replace(
            level,
            from_bytes=ramp_bytes + level.from_bytes,
            to_bytes=ramp_bytes + level.to_bytes,
        )
        for level in found
    ]
    return TrialLevels(moved, durable) if moved else None


def _window(
    attempt: AttemptRecord,
    since_ns: int,
    until_ns: int,
    common_ns: int,
    changed: TrialLevels | None,
) -> tuple[int, int, list[int]]:
    """Return the common window and when levels begin in it, since the start of an attempt."""
    since = since_ns + common_ns - attempt.delay_ns
    begins = [since + level.from_ns for level in changed.held] if changed else []
    return since, since + until_ns - since_ns, begins


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


def _of_all(found: Joint, changed: TrialLevels | None) -> list[Flag]:
    """Return the flags that only the aggregate shows."""
    if short := rules.short_overlap(found.window_ns, found.longest_ns):
        return [short]
    cliff = rules.cliff(changed.held, durable=changed.durable) if changed else None
    return [cliff] if cliff else []


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
