"""Notices of gaps: stretches of an attempt that were not measured."""

from collections.abc import Iterable

from assay.runs.models import Notice

GAP = "gap"
"""The code of their notices."""


def without_superseded(notices: Iterable[Notice]) -> list[Notice]:
    """Return notices in the order of their reports, with only the last report of each gap.

    A gap is reported when it opens and again while it grows, each time with the same start.
    """
    kept: dict[tuple[object, ...], Notice] = {}
    for notice in notices:
        seen = notice.detail
        if notice.code == GAP:
            attempt = notice.participant_id, seen.get("trial"), seen.get("attempt")
            key = (*attempt, seen.get("from_ns"))
        else:
            key = (notice.id,)
        kept[key] = notice
    return list(kept.values())
