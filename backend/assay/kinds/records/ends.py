"""What the probes of both ends of a records trial report, as plain figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.analysis.histogram import Latency, of_steps
from assay.kinds.records.figures import ReceiverTime
from assay.kinds.run_record import AttemptRecord


@dataclass(frozen=True)
class ReceivedFrom:
    """A sender's records at the receiver; `window_records` arrived after the warm-up.

    `sent` is what its last frame said, null if that did not arrive. `stored` is how many of its
    intact records the file held when it was read back, and `lost` how many of those written or
    acknowledged it did not; both are null if it was not read to its end.
    """

    sent: int | None
    acknowledged: int | None
    intact: int
    wrong: int
    duplicate: int
    missing: int
    out_of_order: int
    stored: int | None
    lost: int | None
    window_records: int
    digest: str | None


@dataclass(frozen=True)
class Received:
    """All records at the receiver, of a trial with records of `record_bytes`.

    `stored_bytes` is what the sink's format made of all payload. `wrong_in_file` and
    `read_back_error` are of reading the file back; null if it was not, or without an error.
    """

    record_bytes: int
    senders: Sequence[ReceivedFrom]
    payload_bytes: int
    stored_bytes: int
    window_ns: int
    syncs: int
    longest_sync_ns: int | None
    wrong_in_file: int | None
    read_back_error: str | None

    @property
    def expansion(self) -> float:
        """Stored bytes ÷ payload."""
        return self.stored_bytes / self.payload_bytes if self.payload_bytes else 1.0

    @property
    def window_records(self) -> int:
        """Records that were stored in the window."""
        return sum(one.window_records for one in self.senders)


@dataclass(frozen=True)
class Sent:
    """A sender's own records, and their latencies.

    `due_latency` counts from the due times of records, if they are paced; `due_unfinished` of them
    are lower bounds, of records not acknowledged at the end. `ack_latency` is of whole batches.
    """

    sent: int
    acknowledged: int | None
    digest: str | None
    due_latency: Latency | None
    ack_latency: Latency | None
    due_unfinished: int | None


def sent(attempt: AttemptRecord | None) -> Sent | None:
    """Return what a sender reports; None before its attempt has a result."""
    detail = _detail(attempt)
    if detail is None:
        return None
    (row,) = detail["senders"]
    hist = detail["due_hist"]
    return Sent(
        sent=row["sent"] or 0,
        acknowledged=row["acknowledged"],
        digest=row["digest"],
        due_latency=_latency(hist, detail["due_max_ns"]),
        ack_latency=_latency(detail["ack_hist"], detail["ack_max_ns"]),
        due_unfinished=detail["due_unfinished"],
    )


def received(attempt: AttemptRecord | None) -> Received | None:
    """Return what the receiver reports; None before its attempt has a result."""
    detail = _detail(attempt)
    if attempt is None or detail is None:
        return None
    recount: Mapping[str, Any] | None = (attempt.result or {}).get("recount")
    kept = {row["sender"]: row for row in recount["senders"]} if recount else {}
    whole = bool(recount and recount["whole"])
    return Received(
        record_bytes=detail["record_bytes"],
        senders=[
            _from(row, kept.get(row["sender"]) if whole else None) for row in detail["senders"]
        ],
        payload_bytes=detail["payload_bytes"],
        stored_bytes=detail["stored_bytes"],
        window_ns=detail["window_ns"],
        syncs=detail["syncs"]["count"],
        longest_sync_ns=detail["syncs"]["max_ns"] if detail["syncs"]["count"] else None,
        wrong_in_file=recount["wrong"] if recount else None,
        read_back_error=recount["error"] if recount else None,
    )


def receiver_time(attempt: AttemptRecord | None) -> ReceiverTime | None:
    """Return what the receiver's threads did; None before the attempt has a result."""
    detail = _detail(attempt)
    if attempt is None or detail is None or not attempt.app_ns:
        return None
    spent: dict[str, int] = {one["name"]: one["call_ns"] for one in detail["stages"]}
    whole = len(detail["senders"]) * attempt.app_ns
    busy, lost = detail["cpu_ns"] / whole, (attempt.disturbance.get("cpu_lost_ns") or 0) / whole
    checking = spent.get("check", 0) / whole
    storing = (spent.get("write", 0) + detail["syncs"]["ns"]) / whole
    return ReceiverTime(
        receiving=spent.get("receive", 0) / whole,
        checking=checking,
        storing=storing,
        blocked=max(0.0, storing + checking - busy - lost),
    )


def rejected(attempt: AttemptRecord | None) -> int:
    """Return how many connections of others the receiver rejected."""
    detail = _detail(attempt)
    if detail is None:
        return 0
    named: Mapping[str, int] = detail["connections"]
    return sum(count for name, count in named.items() if name.startswith("rejected"))


def _from(row: Mapping[str, Any], kept: Mapping[str, Any] | None) -> ReceivedFrom:
    return ReceivedFrom(
        sent=row["sent"],
        acknowledged=row["acknowledged"],
        intact=row["intact"] or 0,
        wrong=row["wrong"] or 0,
        duplicate=row["duplicates"] or 0,
        missing=row["missing"] or 0,
        out_of_order=row["late"] or 0,
        stored=kept["intact"] if kept else None,
        lost=kept["lost"] if kept else None,
        window_records=row["window_records"] or 0,
        digest=row["digest"],
    )


def _latency(hist: Sequence[Sequence[int]] | None, longest_ns: int | None) -> Latency | None:
    """Return latencies of which only steps and the longest one are known."""
    return of_steps(hist, None, longest_ns or 0, 0) if hist else None


def _detail(attempt: AttemptRecord | None) -> Mapping[str, Any] | None:
    return (attempt.result or {}).get("detail") if attempt else None
