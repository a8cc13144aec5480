"""A trial that several participants measured together: the aggregate and each one's share."""

from collections.abc import Sequence
from dataclasses import replace

from assay.analysis import cliff as cliff_rules
from assay.analysis import flags as rules
from assay.analysis.flags import BOTH, Flag, Rate
from assay.analysis.histogram import merge
from assay.analysis.statuses import COUNTED, of_trial
from assay.analysis.together import Joint, score
from assay.analysis.too_short import sufficient_file_size
from assay.kinds.cells import rate_of
from assay.kinds.evidence import gravest_contention, least_conclusive, part
from assay.kinds.matrix.cells import Measured, ParticipantFigures
from assay.kinds.result import HeldRate
from assay.kinds.run_record import AttemptRecord, RunRecord, TrialRecord


def joint(
    run: RunRecord, trial: TrialRecord, nothing: Measured, of_each: Sequence[Measured]
) -> Measured:
    """Return the trial of all participants; `nothing` is the trial without measurements.

    It counts if every participant's attempt does. Cliffs are detected in the aggregate throughput;
    if only one participant's throughput changes, that participant's figures have the levels.
    """
    status = of_trial([one.status for one in of_each])
    names = {site.participant_id: site.name for site in run.sites}
    by_id = dict(zip(names, of_each, strict=True))
    known = replace(
        nothing,
        status=status,
        again=trial.again,
        reason=next((one.reason for one in of_each if one.reason), None),
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
        flags=[*known.flags, *_of_all(run, trial, known, found)],
        contention=gravest_contention(
            run, trial, {each: one.contention for each, one in by_id.items()}, names
        ),
        window_ns=found.window_ns,
        participants=_figures(run, trial, of_each, found),
    )


def _of_all(run: RunRecord, trial: TrialRecord, known: Measured, found: Joint) -> list[Flag]:
    """Return the flags that only the aggregate shows; `known` has those of the participants."""
    if short := rules.short_overlap(found.window_ns, found.longest_ns):
        return [short]
    flags: list[Flag] = []
    suffices = _sufficient_file_size(trial, found)
    short = rules.short_window(found.window_ns, suffices)
    if short and not any(flag.code == short.code for flag in known.flags):
        flags.append(short)
    if cliff := cliff_rules.find(found.course) if found.course else None:
        flags.append(Flag("cliff", cliff.sentence(), cliff.figures(), _rates_of_cliff(run, found)))
    return flags


def _sufficient_file_size(trial: TrialRecord, found: Joint) -> int | None:
    """Return the file size with which the common window would be long enough, if any."""
    own = trial.parameters
    fastest = max((rate for rate in found.application if rate), default=None)
    if fastest is None or any(one and one.status == "timed_out" for one in trial.deciding):
        return None
    return sufficient_file_size(
        fastest, block=own["block"], threads=own["threads"], files=own["files"]
    )


def _rates_of_cliff(run: RunRecord, found: Joint) -> tuple[Rate, ...]:
    """Return the rates that a change in the common window affects: the last sync may be later."""
    by_sync = (1 + cliff_rules.SYNC_SHARE) * found.window_ns
    held = found.durable_ns is not None and found.durable_ns <= by_sync
    return BOTH if held and run.parameters["cache"] == "direct" else ("application",)


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
            levels=_levels(attempt) if one.counts else None,
            start_delay_ns=attempt.delay_ns if attempt else None,
        )
        for site, one, attempt, rate in zip(run.sites, of_each, trial.deciding, window, strict=True)
    ]


def _levels(attempt: AttemptRecord | None) -> list[HeldRate] | None:
    """Return both levels of a participant's throughput if it changed permanently."""
    cliff = cliff_rules.find(attempt.course) if attempt and attempt.course else None
    if cliff is None:
        return None
    return [HeldRate(one.bytes_per_s, one.duration_ns) for one in (cliff.before, cliff.after)]
