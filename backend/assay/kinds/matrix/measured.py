"""The rates of a stored trial, their sources, and its flags."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.analysis import cliff as cliff_rules
from assay.analysis import contention as contention_rules
from assay.analysis import flags, served_by
from assay.analysis.cliff import Cliff
from assay.analysis.contention import Traffic
from assay.analysis.flags import VOID, Readings
from assay.analysis.served_by import Counter, Evidence
from assay.kinds.kind import AttemptRecord, RunRecord, Site, TrialRecord
from assay.kinds.matrix.cells import Measured
from assay.kinds.matrix.joint import joint, part

SECOND_NS = 10**9


def waiting(trial: TrialRecord) -> Measured:
    """Return a trial without measurements."""
    own = trial.parameters
    return Measured(
        id=trial.id,
        repeat=trial.repeat,
        block=own["block"],
        threads=own["threads"],
        files=own["files"],
        status="waiting",
        attempts=trial.attempts,
    )


def measured(run: RunRecord, trial: TrialRecord) -> Measured:
    """Return a trial with its figures: the aggregate if there are several participants."""
    if len(run.sites) == 1:
        return measured_at(run, trial, 0)
    from_each = [measured_at(run, trial, place) for place in range(len(run.sites))]
    return joint(run, trial, waiting(trial), from_each)


def measured_at(run: RunRecord, trial: TrialRecord, place: int) -> Measured:
    """Return a trial with the figures of the deciding attempt of the participant `place`."""
    attempt, site = trial.deciding[place], run.sites[place]
    nothing, own = waiting(trial), trial.parameters
    if attempt is None:
        return nothing
    known = replace(
        nothing,
        status=attempt.status,
        again=trial.again,
        reason=attempt.reason,
        bytes=attempt.bytes,
    )
    result = attempt.result
    if result is None:
        return known
    write = run.parameters["operation"] == "write"
    counter = _counter(result)
    siblings = _siblings(run, trial, place)
    beside = [one for one in siblings if set(_counter(one.result).names) & set(counter.names)]
    siblings_bytes = _bytes_meanwhile(attempt, beside) if beside else None
    contention = contention_rules.judge(
        Traffic(
            kind="write" if write else "read",
            bytes=attempt.bytes,
            elapsed_ns=attempt.durable_ns or attempt.app_ns or 0,
            readings=None if counter.reason else result.get("contention"),
            unseen=_unseen(site),
            copies=counter.copies,
            siblings_bytes=siblings_bytes,
            siblings_host_bytes=_bytes_meanwhile(attempt, siblings),
        )
    )
    evidence = Evidence(
        kind="write" if write else "read",
        cache=str(run.parameters["cache"]),
        fs_type=site.fs_type,
        claimed=attempt.bytes,
        device_app=result["dev_app_bytes"],
        device_durable=result["dev_durable_bytes"],
        working_set=result["working_set_bytes"],
        mem_limit_bytes=result["mem_limit_bytes"],
        array_cache=site.array_cache_bytes,
        resident_checked=result["resident_checked"],
        resident_pages=result["resident_pages"],
        resident_after_checked=result.get("resident_after_checked"),
        resident_after_pages=result.get("resident_after_pages"),
        first_read=result.get("first_read_bytes"),
        counter=counter,
        sync=result["sync"],
        contention=contention.state,
        siblings_bytes=siblings_bytes,
    )
    alone = len(run.sites) == 1
    cliff = cliff_rules.find(attempt.course) if attempt.course and alone else None
    held = cliff is not None and _is_durable(cliff, run, attempt, counter)
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
            contention=contention,
            cliff=cliff,
            cliff_is_durable=held,
            attempts=trial.attempts,
            disturbance=attempt.disturbance,
        )
    )
    if attempt.status in VOID:
        return replace(known, flags=found)
    return replace(
        known,
        application_bytes_per_s=bytes_per_s(attempt.bytes, attempt.app_ns),
        durable_bytes_per_s=bytes_per_s(attempt.bytes, attempt.durable_ns) if write else None,
        bounded=result["sync"] == "bounded",
        verify_errors=result["verify_errors"],
        data_share=_share(result.get("data_ns"), own["threads"] * (attempt.app_ns or 0)),
        latency=attempt.latency,
        application_served_by=served_by.application(evidence),
        durable_served_by=served_by.durable(evidence) if write else None,
        flags=found,
        contention=contention,
    )


def _is_durable(cliff: Cliff, run: RunRecord, attempt: AttemptRecord, counter: Counter) -> bool:
    """Return whether a cliff's levels apply to the durable rate: the sync had little to write."""
    if attempt.app_ns is None or attempt.durable_ns is None:
        return False
    if attempt.durable_ns > (1 + cliff_rules.SYNC_SHARE) * attempt.app_ns:
        return False
    reached = cliff.reached_device(counter.copies)
    return run.parameters["cache"] == "direct" if reached is None else reached


def _siblings(run: RunRecord, trial: TrialRecord, place: int) -> list[AttemptRecord]:
    """Return the attempts of other participants on the same host."""
    boot_id = run.sites[place].boot_id
    return [
        attempt
        for other, attempt in enumerate(trial.deciding)
        if other != place
        and attempt is not None
        and boot_id is not None
        and run.sites[other].boot_id == boot_id
    ]


def _bytes_meanwhile(own: AttemptRecord, siblings: Sequence[AttemptRecord]) -> int:
    """Return the bytes that siblings transferred until the end of an attempt.

    Bytes from before its start are included, because the device may write them later. Without
    throughput over time, all bytes of a sibling's attempt are included.
    """
    end = own.delay_ns + (own.durable_ns or own.app_ns or 0)
    return sum(
        round(part(one).bytes_between(0, end)) if one.course else one.bytes for one in siblings
    )


def _share(part_ns: int | None, all_ns: int) -> float | None:
    """Return a share of all threads' time; earlier probes did not report it."""
    return None if part_ns is None or not all_ns else min(1.0, part_ns / all_ns)


def _counter(result: Mapping[str, Any] | None) -> Counter:
    """Return the counter of a trial's bytes, none before its result; old probes do not name it."""
    if result is None:
        return Counter(source="none")
    told = result.get("counter")
    if told is None:
        return Counter(source="none" if result["dev_app_bytes"] is None else "device")
    return Counter(told["source"], tuple(told["names"]), told["copies"], told["reason"])


def bytes_per_s(size: int, duration_ns: int | None) -> float | None:
    """Return bytes per second; null if the duration is zero or unknown."""
    return size * SECOND_NS / duration_ns if duration_ns else None


def _unseen(site: Site) -> str | None:
    """Return why other hosts may use the storage without being visible to this host."""
    array = site.array_name
    if array is None:
        return None
    return f"The array {array} may serve other hosts, whose traffic is not visible from here."
