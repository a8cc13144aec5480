"""A trial that several participants measured together: the aggregate and each one's share."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.analysis import cliff as cliff_rules
from assay.analysis import flags as rules
from assay.analysis.contention import Contention, ContentionState
from assay.analysis.flags import BOTH, Flag, Rate
from assay.analysis.histogram import merge
from assay.analysis.served_by import ServedBy, weakest
from assay.analysis.statuses import COUNTED, of_trial
from assay.analysis.together import Joint, Part, score
from assay.analysis.too_short import sufficient_file_size
from assay.kinds.kind import AttemptRecord, HeldRate, RunRecord, TrialRecord
from assay.kinds.matrix.cells import Measured, ParticipantFigures, rate_of

_GRAVITY: tuple[ContentionState, ...] = (
    "none",
    "unknown",
    "others_or_amplification",
    "contended",
)


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
        application_served_by=_served_by(by_id, names, "application"),
        durable_served_by=_served_by(by_id, names, "durable") if write else None,
        flags=[*known.flags, *_of_all(run, trial, known, found)],
        contention=_contention(run, trial, by_id, names),
        window_ns=found.window_ns,
        participants=_figures(run, trial, of_each, found),
    )


def part(attempt: AttemptRecord) -> Part:
    """Return an attempt in the form used by the rules for several participants."""
    return Part(
        bytes=attempt.bytes,
        delay_ns=attempt.delay_ns,
        app_ns=attempt.app_ns or 0,
        durable_ns=attempt.durable_ns,
        course=attempt.course,
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


def _served_by(
    by_id: Mapping[int, Measured], names: Mapping[int, str], rate: Rate
) -> ServedBy | None:
    """Return the least conclusive source of the rate, with its participant."""
    sources = {
        participant_id: source
        for participant_id, one in by_id.items()
        if (source := one.durable_served_by if rate == "durable" else one.application_served_by)
    }
    least = weakest(sources.values())
    if least is None:
        return None
    whose = next(each for each, source in sources.items() if source is least)
    return replace(least, evidence=f"{names[whose]}: {least.evidence}", participant_id=whose)


def _contention(
    run: RunRecord, trial: TrialRecord, by_id: Mapping[int, Measured], names: Mapping[int, str]
) -> Contention | None:
    """Return the most severe contention; bytes are summed over devices if all are known."""
    found = {each: one.contention for each, one in by_id.items() if one.contention}
    if not found:
        return None
    whose, gravest = max(found.items(), key=lambda item: _GRAVITY.index(item[1].state))
    moved: dict[object, int | None] = {}
    for one, device in zip(by_id.values(), _devices(run, trial), strict=True):
        if one.contention is not None:  # participants on one device see the same I/O of others
            sums = moved.get(device, 0), one.contention.others_bytes
            moved[device] = None if None in sums else max(of or 0 for of in sums)
    return replace(
        gravest,
        others_bytes=None if None in moved.values() else sum(of or 0 for of in moved.values()),
        evidence=f"{names[whose]}: {gravest.evidence}",
        participant_id=whose,
    )


def _devices(run: RunRecord, trial: TrialRecord) -> list[object]:
    """Return what identifies the device of each participant: its host and its counter, if known."""
    found: list[object] = []
    for site, attempt in zip(run.sites, trial.deciding, strict=True):
        result: Mapping[str, Any] = (attempt.result if attempt else None) or {}
        counter: Mapping[str, Any] = result.get("counter") or {}
        names = tuple[str, ...](counter.get("names", ()))
        found.append((site.boot_id, names) if site.boot_id and names else site.participant_id)
    return found


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
