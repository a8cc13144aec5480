"""Records runs as the probes of all senders and of the receiver would report them."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.analysis.streams import STREAM_COLUMNS
from assay.analysis.throughput import Intervals
from assay.kinds.records.records import RecordsKind
from assay.kinds.records.result import RecordsResult
from assay.kinds.run_record import (
    AttemptRecord,
    HostLoad,
    LeftFile,
    MemoryCourse,
    RunRecord,
    Site,
    TrialRecord,
)
from testing.spools import contention

KIND = RecordsKind()
MB = 10**6
SECOND = 10**9
WARM_UP_S, WINDOW_S = 2, 10
IDLE = HostLoad(0.4, 0.1, 0.2, 0.05, 0.05, 0, 0)
REASONS = ("address", "token", "malformed", "deadline", "surplus")
PARAMETERS: dict[str, Any] = {
    "senders": 3,
    "medium": "disk",
    "format": "raw",
    "rate_records_per_s": 0,
    "warm_up_ms": WARM_UP_S * 1000,
    "window_ms": WINDOW_S * 1000,
}


def stream(**given: int) -> list[int | None]:
    """Return a stream's TCP_INFO with these figures."""
    known = dict.fromkeys(STREAM_COLUMNS, 0) | {"bytes_sent": 10**9, "busy_ns": 10 * SECOND}
    return list((known | given).values())


def _detail(role: str, length: int, senders: Sequence[Mapping[str, Any]], **given: Any) -> Any:
    window = sum(one.get("window_records") or 0 for one in senders)
    total = sum(one["sent"] or 0 for one in senders)
    return {
        "role": role,
        "congestion": "cubic",
        "mss_bytes": 1448,
        "send_buffer_bytes": 10**6,
        "receive_buffer_bytes": 10**6,
        "card": {"name": "eth0", "speed_mbps": 10_000, "mtu_bytes": 1500, "numa_node": None},
        "rtt_idle_ns": 150_000,
        "streams": [stream()],
        "stages": [],
        "record_bytes": length,
        "ramp_records": total - window,
        "window_records": window,
        "tail_records": 0,
        "window_ns": WINDOW_S * SECOND,
        "payload_bytes": total * length,
        "stored_bytes": total * length,
        "syncs": {"count": 0, "ns": 0, "max_ns": 0, "hist": []},
        "cpu_ns": SECOND,
        "senders": senders,
        "ack_hist": None,
        "ack_max_ns": None,
        "due_hist": None,
        "due_max_ns": None,
        "due_unfinished": None,
        "connections": {"accepted": 1, **{f"rejected_{reason}": 0 for reason in REASONS}},
        **given,
    }


def _attempt(
    detail: Mapping[str, Any],
    number: int,
    length: int,
    *,
    status: str = "complete",
    more: Mapping[str, Any] = {},
    **given: Any,
) -> AttemptRecord:
    app_ns = (WARM_UP_S + WINDOW_S) * SECOND
    writes = detail["role"] == "receiver"
    stored = detail["stored_bytes"] if writes else None
    result = {
        "sync": "complete" if writes else "none",
        "dev_app_bytes": stored,
        "dev_durable_bytes": stored,
        "working_set_bytes": max(1, number * length),
        "mem_limit_bytes": 10**9,
        "resident_checked": 100,
        "resident_pages": 0,
        "resident_after_checked": 0,
        "resident_after_pages": 0,
        "first_read_bytes": None,
        "counter": {
            "source": "device" if writes else "none",
            "names": ["sda"] if writes else [],
            "disks": [],
            "copies": 1,
            "reason": None if writes else "no_device",
        },
        "contention": contention(written=stored) if writes else None,
        "detail": detail,
        **more,
    }
    known: dict[str, Any] = {
        "status": status,
        "reason": None,
        "bytes": number * length,
        "ops": number,
        "app_ns": app_ns,
        "durable_ns": app_ns + SECOND if writes else None,
        "result": result,
        "disturbance": {},
        "latency": None,
        "course": None,
        "load": IDLE,
    }
    return AttemptRecord(**known | given)


def row(number: int, sent: int, **given: Any) -> dict[str, Any]:
    """Return what the receiver knows of a sender all of whose records arrived intact."""
    whole = {
        "sender": number,
        "sent": sent,
        "acknowledged": sent,
        "intact": sent,
        "wrong": 0,
        "duplicates": 0,
        "missing": 0,
        "late": 0,
        "window_records": sent * WINDOW_S // (WARM_UP_S + WINDOW_S),
        "digest": "0badcafe",
        "peer_digest": "0badcafe",
    }
    return whole | given


def recount(rows: Sequence[Mapping[str, Any]], **given: Any) -> dict[str, Any]:
    """Return what reading the file back found: all records, but for those that rows say."""
    senders: list[dict[str, Any]] = [
        {
            "sender": one["sender"],
            "intact": one["sent"],
            "duplicates": 0,
            "end": one["sent"],
            "missing": 0,
            "gaps": [],
            "expected": one["sent"],
            "lost": 0,
        }
        for one in rows
    ]
    whole: dict[str, Any] = {"whole": True, "error": None, "wrong": 0, "torn": 0}
    return whole | {"senders": senders} | given


def courses(rates: Sequence[float], device: Sequence[float] | None = None) -> Intervals:
    """Return a second of each of these rates, and of those of the device."""
    seconds = range(1, len(rates) + 1)
    return Intervals(
        [one * SECOND for one in seconds],
        [SECOND] * len(rates),
        [round(one) for one in rates],
        [round(one) for one in device] if device else [None] * len(rates),
    )


def trial(
    length: int = 1024,
    each: Sequence[int] = (12_000_000, 12_000_000, 12_000_000),
    *,
    repeat: int = 1,
    rows: Mapping[int, Mapping[str, Any]] = {},
    counted: Mapping[str, Any] | None = None,
    read_back: bool = True,
    receiver: Mapping[str, Any] = {},
    sender: Mapping[str, Any] = {},
    ends: Mapping[str, Any] = {},
    device: float = 1.0,
    statuses: Mapping[int, str] = {},
    left: Sequence[LeftFile] = (),
) -> TrialRecord:
    """Return a trial in which the senders sent so many records; `rows` changes single figures."""
    known = [row(place, sent, **rows.get(place, {})) for place, sent in enumerate(each)]
    parts = [
        _attempt(
            _detail(
                "sender",
                length,
                [{**one, "intact": None, "window_records": None}],
                **sender,
            ),
            one["sent"],
            length,
            status=statuses.get(place, "complete"),
        )
        for place, one in enumerate(known)
    ]
    detail = _detail("receiver", length, known, **receiver)
    stored = round(device * detail["stored_bytes"])
    more: dict[str, Any] = {"dev_app_bytes": stored}
    if read_back:
        more["recount"] = counted or recount(known)
    whole = sum(one["sent"] for one in known)
    last = _attempt(
        detail, whole, length, status=statuses.get(len(each), "complete"), more=more, **ends
    )
    return TrialRecord(
        id=100 * length + repeat,
        repeat=repeat,
        cell=str(length),
        parameters={"record_bytes": length, "duration_ms": 12_000, "file_bytes": 0},
        attempts=1,
        again=False,
        deciding=[*parts, last],
        left=left,
    )


def memory(dirty: Sequence[int]) -> MemoryCourse:
    """Return so much unwritten data at the end of each second."""
    return MemoryCourse(
        [one * SECOND for one in range(1, len(dirty) + 1)], dirty, [10**10 - one for one in dirty]
    )


def judged(*trials: TrialRecord, host: str = "log", **parameters: Any) -> RecordsResult:
    """Return the result of a run with these trials, whose receiver is on a host."""
    number = len(trials[0].deciding) - 1 if trials else 3
    sites = [
        Site(place + 1, f"web-{place + 1}", None, f"boot-{place}", None, None, None, role="sender")
        for place in range(number)
    ]
    sites.append(Site(number + 1, host, "/mnt/log", "boot-log", "xfs", None, None, role="receiver"))
    given = PARAMETERS | {"senders": number} | parameters
    return KIND.judge(RunRecord(7, given, trials, sites, None))
