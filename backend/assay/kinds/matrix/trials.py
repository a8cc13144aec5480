"""The figures of a stored trial: rates, their sources, and flags.

Of a trial that several participants measured together, they are the aggregate and each one's share.
"""

from dataclasses import replace

from assay.analysis import flags, level_search, levels
from assay.analysis import flags as rules
from assay.analysis.contention import Contention, others_at
from assay.analysis.flags import VOID, Flag, Readings
from assay.analysis.histogram import merge
from assay.analysis.levels import HeldRate
from assay.analysis.together import Joint, score
from assay.analysis.too_short import sufficient_file_size
from assay.kinds import writeback
from assay.kinds.evidence import SYNC_SHARE, bytes_per_s, find, is_durable, part
from assay.kinds.matrix.cells import MatrixTrial, MeasuredSetting, ParticipantFigures, Setting
from assay.kinds.matrix.parameters import Operation
from assay.kinds.run_record import AttemptRecord, RunRecord, TrialRecord
from assay.kinds.together import TrialTogether


def measured(run: RunRecord, trial: TrialRecord) -> MeasuredSetting:
    """Return a trial with its figures: the aggregate if there are several participants."""
    of_each = [measured_at(run, trial, place) for place in range(len(run.sites))]
    found = of_each[0] if len(run.sites) == 1 else joint(TrialTogether(run, trial, of_each))
    return replace(found, figures=replace(found.figures, reason=trial.reason))


def joint(whole: TrialTogether[MeasuredSetting]) -> MeasuredSetting:
    """Return the trial of all participants; it counts if every participant's attempt does.

    Its levels are those of the aggregate throughput; if only one participant's throughput changes,
    that participant's figures have the levels.
    """
    of_each = [one.figures for one in whole.of_each]
    nothing = _waiting(whole.trial)
    known = replace(
        nothing.figures,
        status=whole.status,
        bytes=sum(one.bytes for one in of_each),
        flags=whole.flags,
        participants=_participants(whole, None),
    )
    if not whole.counts:
        return replace(nothing, figures=known)
    found = score([part(attempt) for attempt in whole.attempts])
    write = whole.run.parameters["operation"] == "write"
    latencies = [one.latency for one in whole.of_each if one.latency]
    figures = replace(
        known,
        application_bytes_per_s=found.application_bytes_per_s,
        durable_bytes_per_s=found.durable_bytes_per_s if write else None,
        bounded=any(one.bounded for one in of_each),
        verify_errors=sum(one.verify_errors for one in of_each),
        data_share=max((one.data_share for one in of_each if one.data_share), default=None),
        lat_max_ns=max(
            (one.lat_max_ns for one in of_each if one.lat_max_ns is not None), default=None
        ),
        flags=[*known.flags, *_of_all(whole, known, found)],
        contention=whole.contention,
        window_ns=found.window_ns,
        participants=_participants(whole, found),
    )
    return replace(
        nothing,
        figures=figures,
        latency=merge(latencies) if latencies else None,
        application_served_by=whole.application_served_by,
        durable_served_by=whole.durable_served_by,
    )


def _of_all(whole: TrialTogether[MeasuredSetting], known: MatrixTrial, found: Joint) -> list[Flag]:
    """Return the flags that only the aggregate shows; `known` has those of the participants."""
    if short := rules.short_overlap(found.window_ns, found.longest_ns):
        return [short]
    flags: list[Flag] = []
    suffices = _sufficient_file_size(whole.trial, found)
    short = rules.short_window(found.window_ns, suffices)
    if short and not any(flag.code == short.code for flag in known.flags):
        flags.append(short)
    clocks = whole.clocks(found.since_ns)
    seen = levels.held(level_search.find(found.course)) if found.course else []
    seen = levels.without(seen, lambda at_ns: others_at(at_ns, clocks))
    cliff = rules.cliff(seen, durable=_are_durable(whole.run, found))
    return [*flags, cliff] if cliff else flags


def _sufficient_file_size(trial: TrialRecord, found: Joint) -> int | None:
    """Return the file size with which the common window would be long enough, if any."""
    own = trial.parameters
    fastest = max((rate for rate in found.application if rate), default=None)
    if fastest is None or any(one and one.status == "timed_out" for one in trial.deciding):
        return None
    return sufficient_file_size(
        fastest, block=own["block"], threads=own["threads"], files=own["files"]
    )


def _are_durable(run: RunRecord, found: Joint) -> bool:
    """Return whether levels of the common window are durable, too: the last sync may be later."""
    by_sync = (1 + SYNC_SHARE) * found.window_ns
    held = found.durable_ns is not None and found.durable_ns <= by_sync
    return held and run.parameters["cache"] == "direct"


def _participants(
    whole: TrialTogether[MeasuredSetting], found: Joint | None
) -> list[ParticipantFigures]:
    parts = zip(whole.rates(found), whole.of_each, whole.trial.deciding, strict=True)
    return [
        ParticipantFigures(
            **vars(rates),
            levels=_levels(attempt, one.figures.contention) if one.figures.is_counted else None,
        )
        for rates, one, attempt in parts
    ]


def _levels(attempt: AttemptRecord | None, others: Contention | None) -> list[HeldRate] | None:
    """Return the levels of a participant's throughput if it changed for good."""
    seen = levels.held(level_search.find(attempt.course)) if attempt and attempt.course else []
    return levels.without(seen, lambda at_ns: others_at(at_ns, [(others, 0)])) or None


def _waiting(trial: TrialRecord) -> MeasuredSetting:
    own = trial.parameters
    return MeasuredSetting(
        figures=MatrixTrial.waiting(trial),
        setting=Setting(own["block"], own["threads"]),
        files=own["files"],
    )


def measured_at(run: RunRecord, trial: TrialRecord, place: int) -> MeasuredSetting:
    """Return a trial with the figures of the deciding attempt of the participant `place`."""
    attempt, nothing = trial.deciding[place], _waiting(trial)
    if attempt is None:
        return nothing
    own = trial.parameters
    known = replace(
        nothing.figures, status=attempt.status, reason=attempt.reason, bytes=attempt.bytes
    )
    result = attempt.result
    operation: Operation = run.parameters["operation"]
    cache = str(run.parameters["cache"])
    sources = find(run, trial, place, operation=operation, cache=cache)
    if result is None or sources is None:
        return replace(nothing, figures=known)
    alone = len(run.sites) == 1
    seen = level_search.find(attempt.course) if attempt.course and alone else []
    found = flags.judge(
        Readings(
            status=attempt.status,
            block=own["block"],
            threads=own["threads"],
            files=own["files"],
            bytes=attempt.bytes,
            operations=attempt.ops,
            app_ns=attempt.app_ns,
            durable_ns=attempt.durable_ns,
            contention=sources.contention,
            levels=levels.held(seen),
            levels_are_durable=is_durable(seen, attempt, sources.counter, cache),
            attempts=trial.attempts,
            disturbance=attempt.disturbance,
        )
    )
    if attempt.status in VOID:
        return replace(nothing, figures=replace(known, flags=found))
    latency, durable_ns = attempt.latency, attempt.durable_ns if operation == "write" else None
    figures = replace(
        known,
        application_bytes_per_s=bytes_per_s(attempt.bytes, attempt.app_ns),
        durable_bytes_per_s=bytes_per_s(attempt.bytes, durable_ns),
        bounded=result["sync"] == "bounded",
        verify_errors=result["verify_errors"],
        data_share=_share(result.get("data_ns"), own["threads"] * (attempt.app_ns or 0)),
        lat_max_ns=latency.greatest_ns if latency and latency.count else None,
        flags=found,
        contention=sources.contention,
        writeback=writeback.of_attempt(attempt, cache, sources.durable) if alone else None,
    )
    return replace(
        nothing,
        figures=figures,
        latency=latency,
        application_served_by=sources.application,
        durable_served_by=sources.durable,
    )


def _share(part_ns: int | None, all_ns: int) -> float | None:
    """Return a share of all threads' time; earlier probes did not report it."""
    return None if part_ns is None or not all_ns else min(1.0, part_ns / all_ns)
