"""The figures of a trial of a records test, from the attempts of its senders and its receiver."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil

from assay.analysis import flags, words
from assay.analysis.contention import others_at
from assay.analysis.flags import Flag
from assay.analysis.histogram import Latency, merge
from assay.analysis.level_search import find as find_levels
from assay.analysis.statuses import COUNTED, of_trial
from assay.analysis.together import LEAST_OVERLAP, fairness
from assay.analysis.too_short import LEAST_NS
from assay.kinds.evidence import Findings, bytes_per_s, find
from assay.kinds.path.cards import HostEnd, HostTransfers, figures_of, shared_card
from assay.kinds.path.streams import EndFigures, end_figures, link_figures
from assay.kinds.records.cliffs import cliff_of, faded_in_window, in_window, no_cliff_within
from assay.kinds.records.ends import Received, ReceivedFrom, Sent, received, receiver_time, sent
from assay.kinds.records.fields import Sink
from assay.kinds.records.figures import (
    LatencyMark,
    ReceiverMemory,
    RecordCounts,
    RecordsSender,
    RecordsTrial,
    added,
)
from assay.kinds.records.left import left_of
from assay.kinds.run_record import AttemptRecord, RunRecord, Site, TrialRecord

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
    counts = status in COUNTED
    arrived = received(receiver) if counts else None
    found = (
        _findings(run, trial, arrived) if counts and run.parameters["medium"] == "disk" else None
    )
    shares = _senders(run, trial, arrived)
    rates = [one.records_per_s for one in shares if one.records_per_s is not None]
    own = [one for attempt in senders if (one := sent(attempt))] if counts else []
    latency = _merged(one.due_latency for one in own)
    changes = find_levels(receiver.course) if receiver and arrived and receiver.course else []
    cliff = cliff_of(
        changes,
        receiver,
        arrived,
        found.counter.copies if found else 1,
        lambda at_ns: others_at(at_ns, [(found.contention if found else None, 0)]),
    )
    by_others = len(changes) > 1 and cliff is None
    levels = (
        in_window(cliff.levels, warm_up_ns(run), arrived.window_ns) if cliff and arrived else []
    )
    faded = None if cliff or by_others else faded_in_window(run, receiver, arrived)
    known = RecordsTrial(
        id=trial.id,
        repeat=trial.repeat,
        status=status,
        reason=trial.reason,
        attempts=trial.attempts,
        again=trial.again,
        records=arrived.window_records if arrived else 0,
        warm_up_ns=warm_up_ns(run) if arrived else 0,
        window_ns=arrived.window_ns if arrived else 0,
        records_per_s=bytes_per_s(arrived.window_records, arrived.window_ns) if arrived else None,
        bytes_per_s=_payload_rate(arrived, arrived.window_records) if arrived else None,
        stored_bytes_per_s=_stored_rate(arrived),
        durable_bytes_per_s=bytes_per_s(receiver.bytes, receiver.durable_ns)
        if arrived and receiver
        else None,
        expansion=arrived.expansion if arrived else None,
        bounded=bool(receiver and (receiver.result or {}).get("sync") == "bounded"),
        counts=added(one.counts for one in shares if one.counts),
        file_wrong=arrived.wrong_in_file if arrived else None,
        read_back_error=arrived.read_back_error if arrived else None,
        fairness=fairness(rates) if len(rates) > 1 else None,
        slowest_participant_id=_slowest(shares),
        senders=shares,
        receiver=figures_of(receiver, _transfers(run, trial, len(senders))),
        receiver_time=receiver_time(receiver) if counts else None,
        receiver_ns_per_record=_cost(end_figures([receiver]), receiver) if counts else None,
        latency=curve(latency),
        due_unfinished=sum(one.due_unfinished or 0 for one in own),
        batch_latency=curve(_merged(one.ack_latency for one in own)),
        syncs=arrived.syncs if arrived else 0,
        longest_sync_ns=arrived.longest_sync_ns if arrived else None,
        cliff=cliff,
        no_cliff_within_bytes=no_cliff_within(run, receiver)
        if arrived and not cliff and not faded and not by_others
        else None,
        memory=_memory(receiver) if counts else None,
        left=left_of(run, trial),
        served_by=found.application if found else None,
        durable_served_by=found.durable if found else None,
        flags=(),
        levels=levels,
    )
    return MeasuredRecords(replace(known, flags=_flags(run, trial, known, found, faded)), latency)


def _findings(run: RunRecord, trial: TrialRecord, arrived: Received | None) -> Findings | None:
    """Return who served the sink's disk, and who else used it; what was stored is what counts."""
    receiver = trial.deciding[-1]
    if receiver is None or arrived is None:
        return None
    stored = replace(receiver, bytes=arrived.stored_bytes)
    alone = replace(trial, deciding=[stored])
    return find(replace(run, sites=run.sites[-1:]), alone, 0, operation="write", cache="page")


def _senders(run: RunRecord, trial: TrialRecord, arrived: Received | None) -> list[RecordsSender]:
    """Return each sender's part: counts of both ends, rates of the receiver's window."""
    senders = trial.deciding[:-1]
    total = arrived.window_records if arrived else 0
    found: list[RecordsSender] = []
    for place, attempt in enumerate(senders):
        own, there = sent(attempt), arrived.senders[place] if arrived else None
        records = there.window_records if there else None
        agrees = None
        if own and there and own.digest is not None and there.digest is not None:
            agrees = own.digest == there.digest
        found.append(
            RecordsSender(
                participant_id=run.sites[place].participant_id,
                status=attempt.status if attempt else "waiting",
                reason=attempt.reason if attempt else None,
                records_per_s=bytes_per_s(records, arrived.window_ns)
                if arrived and records is not None
                else None,
                bytes_per_s=_payload_rate(arrived, records) if arrived else None,
                share=records / total if records is not None and total else None,
                start_delay_ns=attempt.delay_ns if attempt else None,
                digest_agrees=agrees,
                counts=_counts(own, there, run.parameters["medium"]) if own and there else None,
                end=figures_of(attempt, _transfers(run, trial, place)),
                link=link_figures([(attempt, None)]),
            )
        )
    return found


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


def warm_up_ns(run: RunRecord) -> int:
    """Return the part of each trial that counts in no rate."""
    return run.parameters["warm_up_ms"] * 10**6


def _payload_rate(arrived: Received, records: int | None) -> float | None:
    """Return the payload per second of so many records of the window."""
    if records is None:
        return None
    return bytes_per_s(records * arrived.record_bytes, arrived.window_ns)


def _stored_rate(arrived: Received | None) -> float | None:
    payload = _payload_rate(arrived, arrived.window_records) if arrived else None
    return payload * arrived.expansion if arrived and payload is not None else None


def _counts(own: Sent, there: ReceivedFrom, sink: Sink) -> RecordCounts:
    """Return what became of a sender's records."""
    sent_records = own.sent if there.sent is None else there.sent
    lost = there.lost
    if sink == "memory" and own.acknowledged is not None:
        lost = max(0, own.acknowledged - there.intact)
    return RecordCounts(
        sent=sent_records,
        acknowledged=own.acknowledged,
        intact=there.intact,
        wrong=there.wrong,
        duplicate=there.duplicate,
        missing=there.missing,
        out_of_order=there.out_of_order,
        stored=there.stored,
        lost=lost,
    )


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


def _flags(
    run: RunRecord,
    trial: TrialRecord,
    known: RecordsTrial,
    found: Findings | None,
    faded: Flag | None,
) -> list[Flag]:
    """Return the flags of all ends: disturbances of each, and those of the receiver's rate."""
    flagged: list[Flag] = []
    for site, attempt in zip(run.sites, trial.deciding, strict=True):
        one = attempt and flags.of_disturbance(attempt.status, attempt.disturbance, trial.attempts)
        flagged += [_at(site, one)] if one else []
    if known.status not in COUNTED:
        return flagged
    ends = [*(one.end for one in known.senders), known.receiver]
    moved = [one.bytes if one else 0 for one in trial.deciding[:-1]]
    for site, end, passed in zip(run.sites, ends, [*moved, sum(moved)], strict=True):
        shared = shared_card(end, passed)
        flagged += [_at(site, shared)] if shared else []
    contention = found.contention if found else None
    if contention and contention.state == "contended":
        figures = {**contention.figures, "others_bytes": float(contention.others_bytes or 0)}
        flagged.append(Flag("contended", contention.evidence, figures))
    flagged += _of_window(known, trial)
    changed = flags.cliff(known.levels, durable=False)
    if known.cliff and changed:
        flagged.append(replace(changed, evidence=known.cliff.message))
    flagged += [faded] if faded else []
    return sorted(flagged, key=lambda flag: flags.CODES.index(flag.code))


def _at(site: Site, flag: Flag) -> Flag:
    """Name the end in the evidence of a flag."""
    evidence = f"{words.capital(site.role)} {site.name}: {flag.evidence}"
    return replace(flag, evidence=evidence, participant_id=site.participant_id)


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
