"""A records test as CSV."""

import csv
import io

from assay.kinds.levels import LEVELS, level_values
from assay.kinds.records.figures import RecordsSender, RecordsTrial, total
from assay.kinds.records.result import RecordsResult

_TRIAL = (
    *("repeat", "status", "records", "warm_up_ns", "window_ns", "records_per_s", "bytes_per_s"),
    *("stored_bytes_per_s", "durable_bytes_per_s", "expansion", "fairness", "bounded"),
    *("receiver_ns_per_record", "no_cliff_within_bytes"),
)
_COUNTS = (
    *("sent", "acknowledged", "intact", "wrong", "duplicate", "missing", "out_of_order", "stored"),
    "lost",
)
_CLIFF = ("at_ns", "at_records", "cause", "dirty_bytes")
_MEMORY = ("most_dirty_bytes", "least_available_bytes")
_SENDER = ("participant_id", "records_per_s", "bytes_per_s", "share", "digest_agrees")


def records_csv(result: RecordsResult) -> str:
    """Return a row for each sender of each trial, and one with an empty sender for all of them.

    Rates are records or bytes per second, times in ns, shares parts of one.
    """
    columns = ["record_bytes", *_TRIAL, "flags", "served_by", "lost_after_death"]
    columns += [*(f"cliff_{name}" for name in _CLIFF), *LEVELS]
    columns += [*_MEMORY, *(f"sender_{name}" for name in _SENDER), *_COUNTS]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    for cell in result.cells:
        for trial in cell.trials:
            for sender in (None, *trial.senders):
                writer.writerow(map(_plain, [cell.record_bytes, *_row(trial, sender)]))
    return out.getvalue()


def _row(trial: RecordsTrial, sender: RecordsSender | None) -> list[object]:
    counts = sender.counts if sender else trial.counts
    row: list[object] = [
        *(getattr(trial, name) for name in _TRIAL),
        " ".join(flag.code for flag in trial.flags),
        trial.served_by.source if trial.served_by else None,
        total(one.lost for one in trial.left),
        *(getattr(trial.cliff, name) if trial.cliff else None for name in _CLIFF),
        *level_values(trial.cliff.levels if trial.cliff else ()),
        *(getattr(trial.memory, name) if trial.memory else None for name in _MEMORY),
        *(getattr(sender, name) if sender else None for name in _SENDER),
        *(getattr(counts, name) if counts else None for name in _COUNTS),
    ]
    return row


def _plain(value: object) -> object:
    """Format booleans as JSON and databases do."""
    return str(value).lower() if isinstance(value, bool) else value
