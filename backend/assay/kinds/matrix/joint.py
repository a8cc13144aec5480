"""A trial that several participants measured together: the aggregate and each one's share."""

from collections.abc import Sequence
from dataclasses import replace

from assay.analysis import flags as rules
from assay.analysis import level_search, levels
from assay.analysis.contention import others_at
from assay.analysis.flags import Flag
from assay.analysis.histogram import merge
from assay.analysis.levels import HeldRate
from assay.analysis.statuses import COUNTED, of_trial
from assay.analysis.together import Joint, score
from assay.analysis.too_short import sufficient_file_size
from assay.kinds.cells import rate_of
from assay.kinds.evidence import SYNC_SHARE, gravest_contention, least_conclusive, part
from assay.kinds.matrix.cells import Measured, ParticipantFigures
from assay.kinds.run_record import AttemptRecord, RunRecord, TrialRecord


def joint(
    run: RunRecord, trial: TrialRecord, nothing: Measured, of_each: Sequence[Measured]
) -> Measured:
    """Return the trial of all participants; `nothing` is the trial without measurements.

    It counts if every participant's attempt does. Its levels are those of the aggregate throughput;
    if only one participant's throughput changes, that participant's figures have the levels.
    """
    status = of_trial([one.status for one in of_each])
    names = {site.participant_id: site.name for site in run.sites}
    by_id = dict(zip(names, of_each, strict=True))
    known = replace(
        nothing,
        status=status,
        again=trial.again,
        reason=trial.reason,
        bytes=sum(one.bytes for one in of_each),
        flags=rules.of_participants({each: one.flags for each, one in by_id.items()}, names),
        participants=_figures(run, trial, of_each, None),
    )
    attempts = [attempt for attempt in trial.deciding if attempt is not None]
    if status not in COUNTED or not all(one.counts for one in of_each):
        return known
    found = score([part(attempt) for attempt in attempts])
    write = run.parameters["operation"] == "write"
    latencies = [one.latency for one in of_each if one.latency]
    return replace(
        known,
        application_bytes_per_s=found.application_bytes_per_s,
        durable_bytes_per_s=found.durable_bytes_per_s if write else None,
        bounded=any(one.bounded for one in of_each),
        verify_errors=sum(one.verify_errors for one in of_each),
        data_share=max((one.data_share for one in of_each if one.data_share), default=None),
        latency=merge(latencies) if latencies else None,
        application_served_by=least_conclusive(
            {each: one.application_served_by for each, one in by_id.items()}, names
        ),
        durable_served_by=least_conclusive(
            {each: one.durable_served_by for each, one in by_id.items()}, names
        ),
        flags=[*known.flags, *_of_all(run, trial, of_each, known, found)],
        contention=gravest_contention(
            run, trial, {each: one.contention for each, one in by_id.items()}, names
        ),
        window_ns=found.window_ns,
        participants=_figures(run, trial, of_each, found),
    )


def _of_all(
    run: RunRecord, trial: TrialRecord, of_each: Sequence[Measured], known: Measured, found: Joint
) -> list[Flag]:
    """Return the flags that only the aggregate shows; `known` has those of the participants."""
    if short := rules.short_overlap(found.window_ns, found.longest_ns):
        return [short]
    flags: list[Flag] = []
    suffices = _sufficient_file_size(trial, found)
    short = rules.short_window(found.window_ns, suffices)
    if short and not any(flag.code == short.code for flag in known.flags):
        flags.append(short)
    attempts = [attempt for attempt in trial.deciding if attempt is not None]
    clocks = [
        (one.contention, found.since_ns - attempt.delay_ns)
        for one, attempt in zip(of_each, attempts, strict=True)
    ]
    seen = levels.held(level_search.find(found.course)) if found.course else []
    seen = levels.without(seen, lambda at_ns: others_at(at_ns, clocks))
    cliff = rules.cliff(seen, durable=_are_durable(run, found))
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


def _figures(
    run: RunRecord, trial: TrialRecord, of_each: Sequence[Measured], found: Joint | None
) -> list[ParticipantFigures]:
    """Return each participant's figures; the application rate is over the common window."""
    window: list[float | None] = found.application if found else [None] * len(of_each)
    return [
        ParticipantFigures(
            participant_id=site.participant_id,
            status=one.status,
            reason=one.reason,
            bytes=one.bytes,
            application_bytes_per_s=rate,
            durable_bytes_per_s=rate_of(one, "durable"),
            levels=_levels(attempt, one) if one.counts else None,
            start_delay_ns=attempt.delay_ns if attempt else None,
        )
        for site, one, attempt, rate in zip(run.sites, of_each, trial.deciding, window, strict=True)
    ]


def _levels(attempt: AttemptRecord | None, own: Measured) -> list[HeldRate] | None:
    """Return the levels of a participant's throughput if it changed for good."""
    seen = levels.held(level_search.find(attempt.course)) if attempt and attempt.course else []
    return levels.without(seen, lambda at_ns: others_at(at_ns, [(own.contention, 0)])) or None
