"""The figures of a trial of a records test, from the attempts of its senders and its receiver."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from assay.analysis import flags
from assay.analysis.flags import Flag, ordered
from assay.analysis.histogram import Latency, merge
from assay.analysis.statuses import COUNTED, of_trial
from assay.analysis.together import LEAST_OVERLAP, fairness
from assay.analysis.too_short import LEAST_NS
from assay.base import words
from assay.kinds.evidence import Findings, bytes_per_s, find
from assay.kinds.records.cliffs import changes_of, warm_up_ns
from assay.kinds.records.figures import (
    LatencyMark,
    ReceiverMemory,
    RecordCounts,
    RecordsSender,
    RecordsTrial,
    added,
)
from assay.kinds.records.observations import (
    Received,
    ReceivedFrom,
    Sent,
    left_of,
    received,
    receiver_time,
    sent,
)
from assay.kinds.records.parameters import Sink
from assay.kinds.run_record import AttemptRecord, RunRecord, Site, TrialRecord
from assay.kinds.transfer.cards import HostEnd, HostTransfers, figures_of, shared_card
from assay.kinds.transfer.cells import named
from assay.kinds.transfer.streams import EndFigures, end_figures, link_figures

SHARES = (0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999)
"""The shares of records of a latency curve; those finer than one record are left out."""


@dataclass(frozen=True)
class MeasuredRecords:
    """A trial as API type, and its latencies from the due times."""

    figures: RecordsTrial
    latency: Latency | None


def measured(run: RunRecord, trial: TrialRecord) -> MeasuredRecords:
    """Return a trial in any state; the receiver is the last participant."""
    *senders, receiver = trial.deciding
    status = of_trial([one.status if one else "waiting" for one in trial.deciding])
    arrived = received(receiver) if status in COUNTED else None
    shares = [_sender(run, trial, place, arrived) for place in range(len(senders))]
    known = RecordsTrial(
        id=trial.id,
        repeat=trial.repeat,
        status=status,
        reason=trial.reason,
        attempts=trial.attempts,
        again=trial.again,
        bounded=bool(receiver and (receiver.result or {}).get("sync") == "bounded"),
        counts=added(one.counts for one in shares if one.counts),
        senders=shares,
        receiver=figures_of(receiver, _transfers(run, trial, len(senders))),
        left=left_of(run, trial),
        flags=_disturbances(run, trial),
    )
    if receiver is None or status not in COUNTED:
        return MeasuredRecords(known, None)
    known = replace(
        known,
        receiver_time=receiver_time(receiver),
        receiver_ns_per_record=_cost(end_figures([receiver]), receiver),
        memory=_memory(receiver),
    )
    found, faded = None, None
    if arrived is not None:
        found = _findings(run, trial, receiver, arrived)
        changes = changes_of(run, receiver, arrived, found)
        faded = changes.faded
        known = replace(
            _with_rates(known, receiver, arrived),
            warm_up_ns=warm_up_ns(run),
            cliff=changes.cliff,
            no_cliff_within_bytes=changes.none_within,
            served_by=found.application if found else None,
            durable_served_by=found.durable if found else None,
            levels=changes.levels,
        )
    known = replace(known, flags=ordered(_flags(run, trial, known, found, faded)))
    return _with_latency(known, [one for each in senders if (one := sent(each))])


def _with_rates(known: RecordsTrial, receiver: AttemptRecord, arrived: Received) -> RecordsTrial:
    """Return a trial that counts with its rates, which the receiver reports."""
    rates = [one.records_per_s for one in known.senders if one.records_per_s is not None]
    payload = arrived.payload_bytes_per_s(arrived.window_records)
    return replace(
        known,
        records=arrived.window_records,
        window_ns=arrived.window_ns,
        records_per_s=arrived.records_per_s(arrived.window_records),
        bytes_per_s=payload,
        stored_bytes_per_s=None if payload is None else payload * arrived.expansion,
        durable_bytes_per_s=bytes_per_s(receiver.bytes, receiver.durable_ns),
        expansion=arrived.expansion,
        file_wrong=arrived.wrong_in_file,
        read_back_error=arrived.read_back_error,
        fairness=fairness(rates) if len(rates) > 1 else None,
        slowest_participant_id=_slowest(known.senders),
        syncs=arrived.syncs,
        longest_sync_ns=arrived.longest_sync_ns,
    )


def _with_latency(known: RecordsTrial, own: Sequence[Sent]) -> MeasuredRecords:
    """Return a trial that counts with the latencies at its senders."""
    latency = _merged(one.due_latency for one in own)
    figures = replace(
        known,
        latency=curve(latency),
        due_unfinished=sum(one.due_unfinished or 0 for one in own),
        batch_latency=curve(_merged(one.ack_latency for one in own)),
    )
    return MeasuredRecords(figures, latency)


def _findings(
    run: RunRecord, trial: TrialRecord, receiver: AttemptRecord, arrived: Received
) -> Findings | None:
    """Return who served the sink's disk, and who else used it; what was stored is what counts."""
    if run.parameters["medium"] != "disk":
        return None
    alone = replace(trial, deciding=[replace(receiver, bytes=arrived.stored_bytes)])
    return find(replace(run, sites=run.sites[-1:]), alone, 0, operation="write", cache="page")


def _sender(
    run: RunRecord, trial: TrialRecord, place: int, arrived: Received | None
) -> RecordsSender:
    """Return a sender's part: counts of both ends, rates of the receiver's window."""
    attempt = trial.deciding[place]
    known = RecordsSender(
        participant_id=run.sites[place].participant_id,
        status=attempt.status if attempt else "waiting",
        reason=attempt.reason if attempt else None,
        start_delay_ns=attempt.delay_ns if attempt else None,
        end=figures_of(attempt, _transfers(run, trial, place)),
        link=link_figures([(attempt, None)]),
    )
    if arrived is None:
        return known
    own, there, total = sent(attempt), arrived.senders[place], arrived.window_records
    digests = (own.digest if own else None, there.digest)
    return replace(
        known,
        records_per_s=arrived.records_per_s(there.window_records),
        bytes_per_s=arrived.payload_bytes_per_s(there.window_records),
        share=there.window_records / total if total else None,
        digest_agrees=None if None in digests else digests[0] == digests[1],
        counts=_counts(own, there, run.parameters["medium"]) if own else None,
    )


def _transfers(run: RunRecord, trial: TrialRecord, place: int) -> HostTransfers:
    """Return the streams of records with an end on the host of a participant."""
    *senders, receiver = trial.deciding
    hosts = [site.machine for site in run.sites]
    sends = [
        HostEnd(one, one)
        for one, host in zip(senders, hosts[:-1], strict=True)
        if host == hosts[place]
    ]
    takes = [HostEnd(receiver, one) for one in senders if hosts[-1] == hosts[place]]
    return HostTransfers(*((sends, takes) if place < len(senders) else (takes, sends)))


def _counts(own: Sent, there: ReceivedFrom, sink: Sink) -> RecordCounts:
    """Return what became of a sender's records."""
    lost = there.counts.lost
    if sink == "memory" and own.acknowledged is not None:
        lost = max(0, own.acknowledged - there.counts.intact)
    sent_records = own.sent if there.sent is None else there.sent
    return replace(there.counts, sent=sent_records, acknowledged=own.acknowledged, lost=lost)


def _slowest(shares: Sequence[RecordsSender]) -> int | None:
    rated = [one for one in shares if one.records_per_s is not None]
    if len(rated) < 2:
        return None
    return min(rated, key=lambda one: one.records_per_s or 0.0).participant_id


def _cost(end: EndFigures | None, receiver: AttemptRecord | None) -> float | None:
    return end.cpu_ns / receiver.ops if end and receiver and receiver.ops else None


def _merged(latencies: Iterable[Latency | None]) -> Latency | None:
    """Return the latencies of all senders; None if none has any."""
    known = [one for one in latencies if one]
    return merge(known) if known else None


def curve(latency: Latency | None) -> list[LatencyMark]:
    """Return the latency at each share that is not finer than one record, and the longest."""
    if latency is None or not latency.count:
        return []
    shares = [share for share in SHARES if ceil((1 - share) * latency.count) > 1]
    points = [LatencyMark(share, round(latency.percentile(share) or 0)) for share in shares]
    return [*points, LatencyMark(1.0, latency.greatest_ns)]


def _memory(receiver: AttemptRecord | None) -> ReceiverMemory | None:
    seen = receiver.memory if receiver else None
    if seen is None:
        return None
    return ReceiverMemory(
        most_dirty_bytes=max(seen.dirty_bytes),
        least_available_bytes=min(seen.available_bytes),
        dirty_growth_bytes=seen.dirty_bytes[-1] - seen.dirty_bytes[0],
    )


def _disturbances(run: RunRecord, trial: TrialRecord) -> list[Flag]:
    """Return the flags of the ends that were suspended or starved."""
    found = [
        (site, flags.of_disturbance(one.status, one.disturbance, trial.attempts))
        for site, one in zip(run.sites, trial.deciding, strict=True)
        if one
    ]
    return [_named(site, flag) for site, flag in found if flag]


def _flags(
    run: RunRecord,
    trial: TrialRecord,
    known: RecordsTrial,
    found: Findings | None,
    faded: Flag | None,
) -> Iterator[Flag]:
    """Yield the flags of a trial that counts: those of all ends, and of the receiver's rate."""
    yield from known.flags
    ends = [*(one.end for one in known.senders), known.receiver]
    moved = [one.bytes if one else 0 for one in trial.deciding[:-1]]
    for site, end, passed in zip(run.sites, ends, [*moved, sum(moved)], strict=True):
        if shared := shared_card(end, passed):
            yield _named(site, shared)
    contention = found.contention if found else None
    if contention and contention.state == "contended":
        figures = {**contention.figures, "others_bytes": float(contention.others_bytes or 0)}
        yield Flag("contended", contention.evidence, figures)
    yield from _of_window(known, trial)
    changed = flags.cliff(known.levels, durable=False)
    if known.cliff and changed:
        yield replace(changed, evidence=known.cliff.message)
    if faded:
        yield faded


def _named(site: Site, flag: Flag) -> Flag:
    return named(flag, f"{site.role} {site.name}", site.participant_id)


def _of_window(known: RecordsTrial, trial: TrialRecord) -> list[Flag]:
    """Return the flags of a window that is too short, or in which not all senders were active."""
    if known.window_ns < LEAST_NS:
        figures = {"measured_ns": float(known.window_ns), "least_ns": float(LEAST_NS)}
        said = (
            f"The window lasted only {words.duration(known.window_ns)}; the minimum is one second. "
            "Raise `window_ms`."
        )
        return [Flag("too_short", said, figures)]
    overlap = _overlap_ns(trial, known.warm_up_ns)
    if overlap >= LEAST_OVERLAP * known.window_ns:
        return []
    short = flags.short_overlap(overlap, known.window_ns)
    return [short] if short else []


def _overlap_ns(trial: TrialRecord, since_ns: int) -> int:
    """Return how long all senders sent after the warm-up, by the clocks of their hosts."""
    senders = [one for one in trial.deciding[:-1] if one is not None]
    since = max(since_ns, *(one.delay_ns for one in senders))
    return max(0, min(one.delay_ns + (one.app_ns or 0) for one in senders) - since)
