"""The columns of a records test: those of trials, and those of the senders of one."""

from collections.abc import Iterator

from assay.kinds.export import (
    OF_PART,
    ExportedRatio,
    ExportedTrial,
    computed,
    figure,
    figures,
    of_levels,
    of_part,
    within,
)
from assay.kinds.records.comparison import RecordsComparison
from assay.kinds.transfer.comparison import exported_ratio
from assay.kinds.transfer.streams import total

_COUNTS = (
    *("sent", "acknowledged", "intact", "wrong", "duplicate", "missing", "out_of_order"),
    *("stored", "lost"),
)


def _lost_after_death(one: ExportedTrial) -> int | None:
    """Return what receivers that died had acknowledged and lost; None if unknown."""
    left = one.at("left")
    return None if left is None else total(each.lost for each in left)


COLUMNS = (
    *figures("number", "records_per_s", "bytes_per_s", "stored_bytes_per_s"),
    *figures("number", "durable_bytes_per_s", "expansion"),
    figure("bounded", "boolean"),
    *figures("integer", "records", "warm_up_ns", "window_ns"),
    *within("counts", "records_", "integer", *_COUNTS),
    computed("records_lost_after_death", "integer", _lost_after_death),
    figure("fairness"),
    figure("receiver_ns_per_record"),
    *within("receiver_time", "receiver_", "number", "receiving", "checking", "storing", "blocked"),
    *figures("integer", "due_unfinished", "syncs", "longest_sync_ns", "no_cliff_within_bytes"),
    *of_levels(lambda one: one.at("cliff", "levels")),
    figure("cliff_cause", "text", "cliff.cause"),
    *within("cliff", "cliff_cause_", "integer", "at_ns", "at_records", "dirty_bytes"),
    *within("memory", "", "integer", "most_dirty_bytes", "least_available_bytes"),
    figure("served_by", "text", "served_by.source"),
    figure("durable_served_by", "text", "durable_served_by.source"),
)

OF_SENDER = (
    OF_PART,
    of_part("sender_participant_id", "integer", "participant_id"),
    of_part("share"),
    of_part("start_delay_ns", "integer"),
    of_part("digest_agrees", "boolean"),
)
"""What only the senders of a trial have."""


def ratios(found: RecordsComparison) -> Iterator[ExportedRatio]:
    """Yield the rate of each record length that both have."""
    for one in found.cells:
        rates = one.a_records_per_s, one.b_records_per_s
        yield exported_ratio(found, one, str(one.record_bytes), "records_per_s", rates)
