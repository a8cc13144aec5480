"""Path runs as the probes of both ends would report them."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.analysis.streams import STREAM_COLUMNS
from assay.analysis.throughput import Intervals
from assay.kinds.path.fields import READING, TRANSFERS, WRITING, Leg
from assay.kinds.path.path import PathKind
from assay.kinds.path.result import PathResult
from assay.kinds.run_record import AttemptRecord, HostLoad, RunRecord, Site, TrialRecord
from testing.spools import contention

KIND = PathKind()
MB = 10**6
SECOND = 10**9
BLOCK = 2**20
IDLE = HostLoad(0.4, 0.1, 0.2, 0.05, 0.05, 0, 0)
_REASONS = ("address", "token", "malformed", "deadline", "surplus")
NO_STRANGERS = {f"rejected_{reason}": 0 for reason in _REASONS}
PARAMETERS: dict[str, Any] = {
    "pacing_bytes_per_s": 0,
    "source_cache": "direct",
    "sink_cache": "direct",
}


def stream(**given: int | None) -> list[int | None]:
    known = dict.fromkeys(STREAM_COLUMNS, 0) | {
        "bytes_sent": 10**9,
        "busy_ns": 10 * SECOND,
        "rtt_ns": 200_000,
    }
    return list((known | given).values())


def stage(name: str, busy: float, full: float = 0.0, empty: float = 0.0) -> dict[str, Any]:
    shares = {"call_ns": busy, "full_ns": full, "empty_ns": empty}
    ns = {field: round(value * 1e10) for field, value in shares.items()}
    return {"name": name, "threads": 1, "bytes": 10**9, **ns}


def attempt(
    role: str,
    leg: Leg,
    rate: float,
    *,
    seconds: float = 10.0,
    sync_s: float = 0.0,
    ramp_s: float = 0.0,
    status: str = "complete",
    device: float = 1.0,
    others: int = 0,
    load: HostLoad | None = IDLE,
    course: Sequence[float] = (),
    **detail: Any,
) -> AttemptRecord:
    """Return an end's attempt at a leg that reached `rate` bytes per second in the measured part.

    `device` is the part of its bytes that the device moved, `others` are bytes of other I/O.
    """
    idle = (role == "sender" and leg == "write") or (role == "receiver" and leg == "read")
    moved = 0 if idle else round(rate * seconds)
    app_ns = round((seconds + ramp_s) * SECOND)
    uses_disk = leg in (READING if role == "sender" else WRITING)
    on_disk = round(device * moved) if uses_disk else None
    writes = role == "receiver" and leg in WRITING
    own = (0, moved) if writes else (moved, 0)
    names = ["sda"] if uses_disk else []
    result = {
        "sync": "complete" if writes else "none",
        "dev_app_bytes": on_disk,
        "dev_durable_bytes": on_disk if writes else None,
        "working_set_bytes": max(1, moved),
        "mem_limit_bytes": 10**9,
        "resident_checked": 100,
        "resident_pages": 0,
        "resident_after_checked": 0,
        "resident_after_pages": 0,
        "first_read_bytes": None if writes else moved,
        "counter": {
            "source": "device" if uses_disk else "none",
            "names": names,
            "disks": [],
            "copies": 1,
            "reason": None if uses_disk else "no_device",
        },
        "contention": contention(*own, others_read=others) if uses_disk else None,
        "detail": {
            "role": role,
            "congestion": "cubic",
            "mss_bytes": 1448,
            "send_buffer_bytes": 10**6,
            "receive_buffer_bytes": 10**6,
            "card": {"name": "eth0", "speed_mbps": 10_000, "mtu_bytes": 1500, "numa_node": None},
            "rtt_idle_ns": 150_000,
            "streams": [stream()] if leg in TRANSFERS else [],
            "stages": [],
            "ramp_bytes": 0,
            "ramp_ns": round(ramp_s * SECOND),
            "cpu_ns": SECOND,
            "crc_errors": 0,
            "digest": None,
            "peer_digest": None,
            "connections": {"accepted": 1, **NO_STRANGERS},
            **detail,
        },
    }
    step = round(seconds * SECOND / max(1, len(course)))
    intervals = Intervals(
        [step * (number + 1) for number in range(len(course))],
        [step] * len(course),
        [round(one * step / SECOND) for one in course],
        [None] * len(course),
    )
    return AttemptRecord(
        status=status,
        reason=None,
        bytes=moved,
        ops=moved // BLOCK,
        app_ns=app_ns,
        durable_ns=app_ns + round(sync_s * SECOND) if writes else None,
        result=result,
        disturbance={"cpu_lost_ns": 9 * SECOND} if status == "starved" else {},
        latency=None,
        course=intervals if course else None,
        load=load,
    )


Ends = Sequence[AttemptRecord | None]
"""The attempts of a sender and a receiver; of several pairs, one after the other."""


def both(leg: Leg, rate: float, **given: Any) -> Ends:
    """Return the attempts of both ends, with the same details."""
    return attempt("sender", leg, rate, **given), attempt("receiver", leg, rate, **given)


def together(*pairs: Ends) -> Ends:
    """Return the attempts of several pairs in one trial."""
    return [end for pair in pairs for end in pair]


def judged(
    legs: Mapping[Leg, Sequence[Ends]],
    more: Mapping[int, Mapping[Leg, Sequence[Ends]]] | None = None,
    *,
    boots: Sequence[str] = ("a", "b"),
    disks: Sequence[str] = (),
    entries: Sequence[str] = (),
    **parameters: Any,
) -> PathResult:
    """Return the result of a run with these trials of each leg, one for each repeat.

    `more` has those of other numbers of streams than four. `boots` are the boot ids of the hosts of
    all ends: the same one is the same host. `disks` are the devices of all ends, which are mounted
    by their names; by default each host has one. `entries` are the names of the host entries, by
    default those of the hosts.
    """
    given = [(4, *one) for one in legs.items()]
    given += [(count, *one) for count, those in (more or {}).items() for one in those.items()]
    trials = [
        TrialRecord(
            id=100 * place + repeat,
            repeat=repeat,
            cell=f"{leg}x{streams}",
            parameters={
                "leg": leg,
                "block": BLOCK,
                "streams": streams if leg in TRANSFERS else 0,
                "length_bytes": 10**10,
                "duration_ms": 0,
            },
            attempts=1,
            again=False,
            deciding=ends,
        )
        for place, (streams, leg, repeats) in enumerate(given, 1)
        for repeat, ends in enumerate(repeats, 1)
    ]
    names = entries or [f"host-{boot}" for boot in boots]
    sites = [
        Site(
            number + 1,
            names[number],
            f"/mnt/{disk}",
            boot,
            "xfs",
            None,
            None,
            role="receiver" if number % 2 else "sender",
            devices=(disk,) if disks else (),
            same_as=names[boots.index(boot)],
        )
        for number, (boot, disk) in enumerate(zip(boots, disks or boots, strict=True))
    ]
    run = RunRecord(7, PARAMETERS | parameters, trials, sites, None)
    return KIND.judge(run)
