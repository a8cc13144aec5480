"""Where the bytes of a stored attempt came from or went, and who else used the device."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from assay.analysis import contention as contention_rules
from assay.analysis import served_by
from assay.analysis.contention import Contention, ContentionState, Traffic
from assay.analysis.excess import FEWEST, DeviceCourse, course_of
from assay.analysis.levels import Level
from assay.analysis.served_by import CLAIM_SHARE, Counter, Evidence, ServedBy, weakest
from assay.analysis.together import Part
from assay.base.worded import say
from assay.kinds.run_record import AttemptRecord, RunRecord, Site, TrialRecord

Operation = Literal["write", "read", "mixed"]

SECOND_NS = 10**9

SYNC_SHARE = 0.1
"""If the final sync takes a larger share of the write time, the durable rate has no levels."""

_GRAVITY: tuple[ContentionState, ...] = (
    "none",
    "unknown",
    "others_or_amplification",
    "contended",
)


@dataclass(frozen=True)
class Findings:
    """The sources of an attempt's rates; `durable` is null for a read.

    `siblings_bytes` are those of other participants in the same counter; None without any.
    """

    counter: Counter
    contention: Contention
    application: ServedBy
    durable: ServedBy | None
    siblings_bytes: int | None = None


def find(
    run: RunRecord, trial: TrialRecord, place: int, *, operation: Operation, cache: str
) -> Findings | None:
    """Return the findings of the participant `place`; None before its attempt has a result."""
    attempt, site = trial.deciding[place], run.sites[place]
    if attempt is None or attempt.result is None:
        return None
    result = attempt.result
    own = counter(result)
    siblings = _siblings(run, trial, place)
    opposite = _opposite(run, trial, place)
    beside = [one for one in siblings if _shares(one, own)]
    siblings_bytes = _bytes_meanwhile(attempt, beside) if beside else None
    against = [one for one in opposite if _shares(one, own)]
    neighbors = _neighbors(attempt, [*siblings, *opposite], own)
    shares_time = bool(beside or against or neighbors)
    read_bytes = _read_bytes(attempt) if operation == "mixed" else 0
    contention = contention_rules.judge(
        Traffic(
            kind=operation,
            bytes=attempt.bytes,
            elapsed_ns=attempt.durable_ns or attempt.app_ns or 0,
            readings=None if own.reason else result.get("contention"),
            unseen=_unseen(site),
            copies=own.copies,
            siblings_bytes=siblings_bytes,
            siblings_host_bytes=_bytes_meanwhile(attempt, siblings),
            opposite_bytes=_bytes_meanwhile(attempt, against) if against else None,
            opposite_host_bytes=_bytes_meanwhile(attempt, opposite),
            read_bytes=read_bytes,
            disks=own.disks,
            neighbors_bytes=neighbors,
            course=None if shares_time else _course(attempt, trial, own, operation, cache),
            direct=cache == "direct",
        )
    )
    evidence = Evidence(
        kind="read" if operation == "read" else "write",
        cache=cache,
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
        counter=own,
        sync=result["sync"],
        contention=contention.state,
        siblings_bytes=siblings_bytes,
    )
    if operation == "mixed":
        return Findings(own, contention, *_of_mixed(evidence, read_bytes, result.get("contention")))
    durable = served_by.durable(evidence) if operation == "write" else None
    return Findings(own, contention, served_by.application(evidence), durable, siblings_bytes)


def _course(
    attempt: AttemptRecord, trial: TrialRecord, own: Counter, operation: Operation, cache: str
) -> DeviceCourse | None:
    """Return what an attempt's device moved over time; None if unknown."""
    if attempt.device is None or own.reason or len(attempt.device.end_ns) < FEWEST:
        return None
    asked = trial.parameters
    threads = asked.get("threads") or asked.get("streams") or 1
    return course_of(
        attempt.device,
        operation,
        buffered=cache != "direct",
        copies=own.copies,
        in_flight=(asked.get("block") or 0) * threads * (asked.get("queue_depth") or 1),
    )


def _read_bytes(attempt: AttemptRecord) -> int:
    """Return how many bytes of a mixed attempt were read: the share of its measured part."""
    detail: Mapping[str, Any] = (attempt.result or {}).get("detail") or {}
    found: Mapping[str, Mapping[str, int]] | None = detail.get("directions")
    if not found:
        return 0
    read, written = found["read"]["bytes"], found["write"]["bytes"]
    return round(attempt.bytes * read / (read + written)) if read + written else 0


def _of_mixed(
    whole: Evidence, read_bytes: int, readings: Mapping[str, Any] | None
) -> tuple[ServedBy, ServedBy]:
    """Return the sources of a mixed trial: the weaker of its directions, and that of its writes.

    The counter of the trial adds both directions; that of the contention has the reads apart.
    """
    came = None if whole.device_app is None or not readings else readings["dev_read_bytes"]
    if came is None:  # only both together are known
        return served_by.application(whole), served_by.durable(whole)
    writes = replace(
        whole,
        claimed=whole.claimed - read_bytes,
        device_app=_less(whole.device_app, came),
        device_durable=_less(whole.device_durable, came),
    )
    reads = replace(
        whole,
        kind="read",
        claimed=read_bytes,
        device_app=came,
        device_durable=None,
        resident_checked=None,
        resident_pages=None,
        resident_after_checked=whole.resident_checked,
        resident_after_pages=whole.resident_pages,
    )
    each = [served_by.application(one) for one in (reads, writes) if one.claimed]
    return weakest(each) or served_by.application(whole), served_by.durable(writes)


def _less(total: int | None, part: int) -> int | None:
    return None if total is None else max(0, total - part)


def part(attempt: AttemptRecord) -> Part:
    """Return an attempt in the form used by the rules for several participants."""
    return Part(
        bytes=attempt.bytes,
        delay_ns=attempt.delay_ns,
        app_ns=attempt.app_ns or 0,
        durable_ns=attempt.durable_ns,
        course=attempt.course,
    )


def ramp(attempt: AttemptRecord) -> tuple[int, int]:
    """Return the bytes and the ns of an attempt's ramp-up."""
    detail: Mapping[str, Any] = (attempt.result or {}).get("detail") or {}
    return detail.get("ramp_bytes", 0), detail.get("ramp_ns", 0)


def after_ramp(attempt: AttemptRecord, ramp_bytes: int, ramp_ns: int, common_ns: int) -> Part:
    """Return an attempt without its ramp-up, from the end of the common part of all ramp-ups."""
    whole = part(attempt)
    course = whole.course
    return replace(
        whole,
        bytes=whole.bytes - ramp_bytes,
        delay_ns=whole.delay_ns + ramp_ns - common_ns,
        app_ns=max(0, whole.app_ns - ramp_ns),
        durable_ns=None if whole.durable_ns is None else max(0, whole.durable_ns - ramp_ns),
        course=course and replace(course, end_ns=[end - ramp_ns for end in course.end_ns]),
    )


def is_durable(levels: Sequence[Level], attempt: AttemptRecord, found: Counter, cache: str) -> bool:
    """Return whether levels are those of the durable rate, too: the sync had little to write."""
    if attempt.app_ns is None or attempt.durable_ns is None:
        return False
    if attempt.durable_ns > (1 + SYNC_SHARE) * attempt.app_ns:
        return False
    taken = [(level.device_bytes, CLAIM_SHARE * found.copies * level.bytes) for level in levels]
    if any(device is None for device, _ in taken):
        return cache == "direct"
    return all((device or 0) >= claimed for device, claimed in taken)


def counter(result: Mapping[str, Any] | None) -> Counter:
    """Return the counter of a trial's bytes; none before its result."""
    if result is None:
        return Counter(source="none")
    told = result["counter"]
    names, disks = tuple(told["names"]), tuple(told["disks"])
    return Counter(told["source"], names, told["copies"], told["reason"], disks)


def bytes_per_s(size: int, duration_ns: int | None) -> float | None:
    """Return bytes per second; null if the duration is zero or unknown."""
    return size * SECOND_NS / duration_ns if duration_ns else None


def least_conclusive(
    sources: Mapping[int, ServedBy | None], names: Mapping[int, str]
) -> ServedBy | None:
    """Return the least conclusive source of several participants, with its participant."""
    known = {each: source for each, source in sources.items() if source}
    least = weakest(known.values())
    if least is None:
        return None
    whose = next(each for each, source in known.items() if source is least)
    return replace(
        least, evidence=say("{}: {}", names[whose], least.evidence), participant_id=whose
    )


def worst_contention(
    run: RunRecord,
    trial: TrialRecord,
    of_each: Mapping[int, Contention | None],
    names: Mapping[int, str],
) -> Contention | None:
    """Return the most severe contention; bytes are summed over devices if all are known."""
    found = {each: one for each, one in of_each.items() if one}
    if not found:
        return None
    whose, worst = max(found.items(), key=lambda item: _GRAVITY.index(item[1].state))
    moved: dict[object, int | None] = {}
    for one, device in zip(of_each.values(), _devices(run, trial), strict=True):
        if one is not None:  # participants on one device see the same I/O of others
            sums = moved.get(device, 0), one.others_bytes
            moved[device] = None if None in sums else max(of or 0 for of in sums)
    return replace(
        worst,
        others_bytes=None if None in moved.values() else sum(of or 0 for of in moved.values()),
        evidence=say("{}: {}", names[whose], worst.evidence),
        participant_id=whose,
    )


def _devices(run: RunRecord, trial: TrialRecord) -> list[object]:
    """Return what identifies the disks of each participant: its machine and them, if known."""
    found: list[object] = []
    for site, attempt in zip(run.sites, trial.deciding, strict=True):
        devices = tuple(counter(attempt.result).devices) if attempt else ()
        found.append((site.boot_id, devices) if site.boot_id and devices else site.participant_id)
    return found


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


def _opposite(run: RunRecord, trial: TrialRecord, place: int) -> list[AttemptRecord]:
    """Return the attempts on the same host that read while this one writes, or write."""
    boot_id = run.sites[place].boot_id
    return [
        one.attempt
        for one in trial.beside
        if one.attempt is not None and boot_id is not None and one.boot_id == boot_id
    ]


def _shares(other: AttemptRecord, own: Counter) -> bool:
    """Return whether an attempt's bytes are in the same counter."""
    return bool(set(counter(other.result).names) & set(own.names))


def _neighbors(own: AttemptRecord, others: Sequence[AttemptRecord], of: Counter) -> int:
    """Return what participants on the same disks moved there beside this one's counter.

    A participant's bytes count as often as its own device moved them.
    """
    found = 0
    for other in others:
        beside = counter(other.result)
        if _shares(other, of) or not set(beside.devices) & set(of.devices):
            continue
        moved = (other.result or {}).get("dev_durable_bytes")
        amplified = moved / other.bytes if moved and other.bytes else beside.copies
        found += round(_bytes_meanwhile(own, [other]) * max(1, amplified))
    return found


def _bytes_meanwhile(own: AttemptRecord, siblings: Sequence[AttemptRecord]) -> int:
    """Return the bytes that siblings transferred until the end of an attempt.

    Bytes from before its start are included, because the device may write them later. Without
    throughput over time, all bytes of a sibling's attempt are included.
    """
    end = own.delay_ns + (own.durable_ns or own.app_ns or 0)
    return sum(
        round(part(one).bytes_between(0, end)) if one.course else one.bytes for one in siblings
    )


def _unseen(site: Site) -> str | None:
    """Return why other hosts may use the storage without being visible to this host."""
    array = site.array_name
    if array is None:
        return None
    return f"The array {array} may serve other hosts, whose traffic is not visible from here."
