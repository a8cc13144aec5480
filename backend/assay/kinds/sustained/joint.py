"""A trial that several participants measured together: the aggregate and each one's share.

Rates and bytes are those of all together, latencies and backlogs those of the worst one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.analysis import flags as rules
from assay.analysis import level_search, levels
from assay.analysis.carry import Backlog, Carry, Recording, carry_evenly, untested
from assay.analysis.contention import others_at
from assay.analysis.flags import Flag
from assay.analysis.levels import HeldRate
from assay.analysis.shape import shape, slow_down
from assay.analysis.statuses import COUNTED, of_trial
from assay.analysis.steady import ROUND_NS, steady
from assay.analysis.throughput import Intervals
from assay.analysis.together import (
    LEAST_OVERLAP,
    Joint,
    LeftOut,
    Part,
    disturbed,
    fairness,
    left_out,
    rounds,
    score,
)
from assay.kinds.evidence import after_ramp, part, ramp
from assay.kinds.run_record import AttemptRecord, RunRecord, TrialRecord
from assay.kinds.sustained import conformance, mixed, read_back
from assay.kinds.sustained.fields import is_random
from assay.kinds.sustained.figures import StreamShare, SustainedTrial, TrialLevels, merged_losses
from assay.kinds.sustained.latencies import merged_syncs, together
from assay.kinds.sustained.modes import used_by
from assay.kinds.sustained.presets import PRESETS
from assay.kinds.sustained.trials import (
    MeasuredSustained,
    iops,
    measured_at,
    shows_changes,
    with_steady,
)
from assay.kinds.together import TrialTogether

_ADDED = (
    *("ramp_bytes", "verify_errors", "due_unfinished", "unreturned", "asleep_ns"),
    "footprint_bytes",
)
_LONGEST = ("duration_ns", "ramp_ns", "mark_bytes")
_WORST = ("peak_ns", "p99_ns", "stall_ns", "due_peak_ns", "due_p99_ns", "backlog_most_bytes")
"""Figures of the trial: the sums over the participants, the largest, and the largest known ones."""


def measured(run: RunRecord, trial: TrialRecord) -> MeasuredSustained:
    """Return a trial with its figures: the aggregate if there are several participants."""
    of_each = [measured_at(run, trial, place) for place in range(len(run.sites))]
    found = of_each[0] if len(run.sites) == 1 else _joint(TrialTogether(run, trial, of_each))
    found = replace(found, figures=replace(found.figures, reason=trial.reason))
    return _with_others(trial, found) if trial.beside else found


def _with_others(trial: TrialRecord, own: MeasuredSustained) -> MeasuredSustained:
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


@dataclass(frozen=True)
class _CommonWindow:
    """The time in which all participants measured, without where one of them stood still.

    `common_ns` is the common part of all ramp-ups, from whose end the times of `found` count.
    `parts` are the attempts without their ramp-ups, `finest` the same by their marks, without what
    is left `out`.
    """

    common_ns: int
    parts: Sequence[Part]
    finest: Sequence[Part]
    out: LeftOut
    found: Joint

    @property
    def since_ns(self) -> int:
        """When it begins."""
        return self.out.resumed(self.found.since_ns)

    @property
    def until_ns(self) -> int:
        """When it ends."""
        return self.out.moment(self.found.since_ns + self.found.window_ns)

    def in_trial(self, level: HeldRate) -> HeldRate:
        """Return a level with its times from the beginning of the window, with what is left out."""
        return replace(
            level,
            from_ns=self.out.resumed(self.found.since_ns + level.from_ns) - self.since_ns,
            to_ns=self.out.moment(self.found.since_ns + level.to_ns) - self.since_ns,
        )


@dataclass(frozen=True)
class _JointCourse:
    """The throughput of all over time; `seen` is null if it is not that of the storage."""

    seen: Intervals | None
    levels: TrialLevels | None


def _joint(whole: TrialTogether[MeasuredSustained]) -> MeasuredSustained:
    """Return the trial of all participants; it counts if every participant's attempt does."""
    known = _known(whole)
    if not whole.counts:
        return MeasuredSustained(figures=known)
    window = _common_window(whole.attempts)
    course = _course(whole, known, window)
    recordings = _recordings(whole, window, course.levels)
    streams = not is_random(whole.run.parameters)
    figures = replace(
        known,
        **_combined([one.figures for one in whole.of_each]),
        **_of_window(whole, known, window),
        **_over_time(whole, course),
        flags=[*known.flags, *_of_all(window.found, course.levels)],
        contention=whole.contention,
        participants=_participants(whole, window.found),
    )
    judged = None if known.gaps else rounds(window.finest, window.found, ROUND_NS)
    settled = steady(judged) if judged else None
    return MeasuredSustained(
        figures=with_steady(whole.run, figures, settled, _cache(whole), whole=True),
        latencies=together(one.latencies for one in whole.of_each),
        due_latencies=together(one.due_latencies for one in whole.of_each),
        application_served_by=whole.application_served_by,
        durable_served_by=whole.durable_served_by,
        carried=_carried(recordings, window.found) if streams else (),
        backlogs=_backlogs(recordings) if streams else (),
        directions=mixed.merged([one.directions for one in whole.of_each]),
        slowest=sorted(
            (one for each in whole.of_each for one in each.slowest), key=lambda o: -o.ns
        ),
    )


def _known(whole: TrialTogether[MeasuredSustained]) -> SustainedTrial:
    """Return what is known of a trial in any state."""
    own = [one.figures for one in whole.of_each]
    return replace(
        SustainedTrial.waiting(whole.trial),
        status=whole.status,
        bytes=sum(one.bytes for one in own),
        operations=sum(one.operations for one in own),
        flags=whole.flags,
        gaps=[gap for one in own for gap in one.gaps],
        participants=_participants(whole, None),
    )


def _common_window(attempts: Sequence[AttemptRecord]) -> _CommonWindow:
    common = min(ramp(attempt)[1] for attempt in attempts)
    parts = [after_ramp(attempt, *ramp(attempt), common) for attempt in attempts]
    finest = [after_ramp(_finest(attempt), *ramp(attempt), common) for attempt in attempts]
    out = _left_out(attempts, parts, finest)
    found = score([out.without(one) for one in parts])
    return _CommonWindow(common, parts, [out.without(one) for one in finest], out, found)


def _course(
    whole: TrialTogether[MeasuredSustained], known: SustainedTrial, window: _CommonWindow
) -> _JointCourse:
    """Return the throughput and its lasting levels, after the bytes of all ramp-ups."""
    # what delayed one of them, or a moment at which it may have rested, is not left out
    uneven = any(gap.delays or not gap.is_stretch for gap in known.gaps)
    seen = None if uneven else window.found.course
    found = levels.held(level_search.find(seen)) if seen else []
    clocks = whole.clocks(window.since_ns + window.common_ns)
    held = levels.without(
        [window.in_trial(level) for level in found], lambda at_ns: others_at(at_ns, clocks)
    )
    before = sum(one.figures.ramp_bytes for one in whole.of_each)
    moved = [
        replace(level, from_bytes=before + level.from_bytes, to_bytes=before + level.to_bytes)
        for level in held
    ]
    durable = whole.run.parameters["operation"] != "read" and _cache(whole) == "direct"
    return _JointCourse(seen, TrialLevels(moved, durable) if moved else None)


def _cache(whole: TrialTogether[MeasuredSustained]) -> str:
    return used_by(whole.run.parameters, whole.trial.parameters, "cache")


def _combined(own: Sequence[SustainedTrial]) -> dict[str, Any]:
    """Return the figures that follow from those of the participants alone."""
    ends = [one.backlog_end_bytes for one in own]
    return {
        **{name: sum(getattr(one, name) for one in own) for name in _ADDED},
        **{name: max(getattr(one, name) for one in own) for name in _LONGEST},
        **{name: _worst([getattr(one, name) for one in own]) for name in _WORST},
        # a participant without one may be the worst
        "backlog_end_bytes": None if None in ends else _worst(ends),
        "bounded": any(one.bounded for one in own),
        "frames": merged_losses([one.frames for one in own]),
        "syncs": merged_syncs([one.syncs for one in own]),
        "read_back": read_back.merged([one.read_back for one in own]),
        "preparation": conformance.merged([one.preparation for one in own]),
    }


def _of_window(
    whole: TrialTogether[MeasuredSustained], known: SustainedTrial, window: _CommonWindow
) -> dict[str, Any]:
    """Return the rates of all together, and how even those of the participants are."""
    application = window.found.application_bytes_per_s
    # it lasts up to the last sync, so what the others moved in a stretch cannot be left out
    is_durable = all(_is_durable(one.figures) for one in whole.of_each)
    durable = score(window.parts).durable_bytes_per_s if is_durable else None
    directions = mixed.trial_directions(
        mixed.merged([one.directions for one in whole.of_each]),
        known.gaps,
        application_bytes_per_s=application,
        durable_bytes_per_s=durable,
    )
    rates = [one or 0.0 for one in window.found.application]
    return {
        "application_bytes_per_s": application,
        "durable_bytes_per_s": None if directions else durable,
        "iops": iops(application, known.operations, known.bytes),
        "directions": directions,
        "window_ns": window.found.window_ns,
        "window_from_ns": window.since_ns + window.common_ns,
        "fairness": fairness(rates) if rates else None,
        "slowest_participant_id": list(whole.names)[rates.index(min(rates))] if rates else None,
    }


def _over_time(whole: TrialTogether[MeasuredSustained], course: _JointCourse) -> dict[str, Any]:
    """Return levels, or within which data a cliff is excluded, and the shape."""
    seen, changed = course.seen, course.levels
    paced = whole.trial.parameters["offered_bytes_per_s"] is not None
    within = None
    if seen and changed is None and shows_changes(seen, paced=paced):
        footprint = sum(one.figures.footprint_bytes for one in whole.of_each)
        within = _within(whole.run, sum(seen.bytes), footprint)
    return {
        "levels": changed,
        "no_cliff_within_bytes": within,
        "shape": shape(seen) if seen and not changed and not paced else None,
        "slow_down": slow_down(seen) if seen else None,
    }


def _recordings(
    whole: TrialTogether[MeasuredSustained], window: _CommonWindow, changed: TrialLevels | None
) -> list[Recording]:
    """Return what each participant shows within the common window, and when levels begin there."""
    found: list[Recording] = []
    for one, attempt in zip(whole.of_each, whole.attempts, strict=True):
        since = window.since_ns + window.common_ns - attempt.delay_ns
        begins = [since + level.from_ns for level in changed.held] if changed else []
        if one.recording:
            until = since + window.until_ns - window.since_ns
            found.append(one.recording.within(since, until, begins))
    return found


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
    whole: TrialTogether[MeasuredSustained], found: Joint | None
) -> list[StreamShare]:
    """Return each participant's figures."""
    rates = whole.rates(found)
    total = sum(one.application_bytes_per_s or 0 for one in rates)
    return [
        StreamShare(
            **vars(of),
            share=of.application_bytes_per_s / total
            if of.application_bytes_per_s is not None and total
            else None,
            peak_ns=one.figures.peak_ns,
            p99_ns=one.figures.p99_ns,
            due_peak_ns=one.figures.due_peak_ns,
            due_p99_ns=one.figures.due_p99_ns,
            backlog_most_bytes=one.figures.backlog_most_bytes,
            backlog_end_bytes=one.figures.backlog_end_bytes,
        )
        for of, one in zip(rates, whole.of_each, strict=True)
    ]
