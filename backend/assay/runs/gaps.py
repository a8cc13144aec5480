"""Notices that an attempt repeats while they grow: of gaps, and of verification errors."""

from collections.abc import Iterable

from assay.tables.runs import Notice

GAP = "gap"
"""A stretch of an attempt that was not measured."""

WRONG_DATA = "verification_failed"
"""Data that differed from the written data, up to the notice."""


RECORDS_LEFT = "records_left"
"""Records that a probe that died left in its file."""


def without_superseded(notices: Iterable[Notice]) -> list[Notice]:
    """Return notices in the order of their reports; of gaps and wrong data, only the last reports.

    A gap is reported when it opens and again while it grows, each time with the same start. Wrong
    data is reported when it is found and again with what was found since; what a trial read and
    what was read back after it are counted apart.
    """
    kept: dict[tuple[object, ...], Notice] = {}
    for notice in notices:
        seen = notice.detail
        attempt = notice.participant_id, seen.get("trial"), seen.get("attempt")
        if notice.code == GAP:
            key = (*attempt, seen.get("from_ns"))
        elif notice.code == WRONG_DATA and "attempt" in seen:
            key = (*attempt, WRONG_DATA, seen.get("read_back", False))
        else:
            key = (notice.id,)
        kept[key] = notice
    return list(kept.values())
