"""What a receiver that died left in its file, of what it had acknowledged."""

from collections.abc import Mapping
from typing import Any

from assay.kinds.records.ends import sent
from assay.kinds.records.figures import RecordsLeft, SenderLeft
from assay.kinds.run_record import LeftFile, RunRecord, TrialRecord


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
    lost, held = [one.lost for one in senders], [one.acknowledged for one in senders]
    return RecordsLeft(
        attempt=file.number,
        acknowledged=None if None in held else sum(one or 0 for one in held),
        intact=sum(one.intact for one in senders),
        wrong=file.counted["wrong"],
        lost=None if None in lost else sum(one or 0 for one in lost),
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
