"""What the probes of a records trial report, as plain figures.

Of a receiver that died, it is what its file has of the records that it had acknowledged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.analysis.histogram import Latency, of_steps
from assay.kinds.evidence import bytes_per_s
from assay.kinds.records.figures import ReceiverTime, RecordCounts, RecordsLeft, SenderLeft
from assay.kinds.run_record import AttemptRecord, LeftFile, RunRecord, TrialRecord
from assay.kinds.transfer.streams import detail_of, total


@dataclass(frozen=True)
class ReceivedFrom:
    """A sender's records at the receiver; `window_records` arrived after the warm-up.

    `counts` are those of the receiver. `sent` is what the sender's last frame said, null if that
    did not arrive.
    """

    sent: int | None
    counts: RecordCounts
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

    def records_per_s(self, records: int) -> float | None:
        """Return the rate of so many records of the window."""
        return bytes_per_s(records, self.window_ns)

    def payload_bytes_per_s(self, records: int) -> float | None:
        """Return the payload per second of so many records of the window."""
        return bytes_per_s(records * self.record_bytes, self.window_ns)


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
    detail = detail_of(attempt)
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
    detail = detail_of(attempt)
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
    detail = detail_of(attempt)
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


def _from(row: Mapping[str, Any], kept: Mapping[str, Any] | None) -> ReceivedFrom:
    """Return a sender's records; `kept` are those that the file held when it was read back."""
    return ReceivedFrom(
        sent=row["sent"],
        counts=RecordCounts(
            sent=row["sent"] or 0,
            acknowledged=row["acknowledged"],
            intact=row["intact"] or 0,
            wrong=row["wrong"] or 0,
            duplicate=row["duplicates"] or 0,
            missing=row["missing"] or 0,
            out_of_order=row["late"] or 0,
            stored=kept["intact"] if kept else None,
            lost=kept["lost"] if kept else None,
        ),
        window_records=row["window_records"] or 0,
        digest=row["digest"],
    )


def _latency(hist: Sequence[Sequence[int]] | None, longest_ns: int | None) -> Latency | None:
    """Return latencies of which only steps and the longest one are known."""
    return of_steps(hist, None, longest_ns or 0, 0) if hist else None


def left_of(run: RunRecord, trial: TrialRecord) -> list[RecordsLeft]:
    """Return what each attempt whose receiver died left, the first one first."""
    return [_left(run, one) for one in trial.left]


def _left(run: RunRecord, file: LeftFile) -> RecordsLeft:
    rows: list[Mapping[str, Any]] = file.counted["senders"]
    senders: list[SenderLeft] = []
    for row in rows:
        place: int = row["sender"]
        own = sent(file.attempts[place])
        acknowledged = own.acknowledged if own else None
        senders.append(
            SenderLeft(
                participant_id=run.sites[place].participant_id,
                acknowledged=acknowledged,
                intact=row["intact"],
                lost=lost_of(row, acknowledged) if file.counted["whole"] else None,
            )
        )
    return RecordsLeft(
        attempt=file.number,
        acknowledged=total(one.acknowledged for one in senders),
        intact=sum(one.intact for one in senders),
        wrong=file.counted["wrong"],
        lost=total(one.lost for one in senders),
        senders=senders,
    )


def lost_of(row: Mapping[str, Any], acknowledged: int | None) -> int | None:
    """Return how many of a sender's first `acknowledged` records the file does not hold.

    Records are acknowledged in the order of their numbers. The file reaches up to `end`, and lacks
    `missing` records below it; `gaps` has the first ranges of those.
    """
    if acknowledged is None:
        return None
    if acknowledged >= row["end"]:
        return row["missing"] + acknowledged - row["end"]
    ranges = [(since, min(until, acknowledged)) for since, until in row["gaps"]]
    below = sum(max(0, until - since) for since, until in ranges)
    listed = sum(until - since for since, until in row["gaps"])
    beyond = row["gaps"][-1][1] if row["gaps"] else 0
    complete = listed == row["missing"] or beyond >= acknowledged
    return below if complete else None
