"""What follows a result: its files are read back, or their records counted again.

That may take hours, so the probe reports the result first: its death meanwhile costs nothing that
was measured. That result says that nothing was verified yet, which then holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.recording.records_detail import RecountEvent
from assay.recording.result_event import ReadBackEvent


@dataclass(frozen=True)
class StoredResult:
    """The stored `result` event of the attempt with this id."""

    id: int
    result: Mapping[str, Any]


def awaits_read_back(result: Mapping[str, Any]) -> bool:
    """Return whether the files of an attempt were to be read back, but nothing of it is known."""
    detail: Mapping[str, Any] = result.get("detail") or {}
    due: Mapping[str, Any] | None = detail.get("read_back")
    return due is not None and not due["whole"] and not due["bytes"] and not due["error"]


RECOUNT = "recount"
"""Key in a stored result: what counting the records in its file again has found, else absent."""


def recounted(result: Mapping[str, Any], recount: RecountEvent) -> dict[str, Any]:
    """Return a result with what counting the records in its file again has found."""
    return {**result, RECOUNT: recount.fields}


def verified(result: Mapping[str, Any], read_back: ReadBackEvent) -> dict[str, Any]:
    """Return a result with what was verified of its files, besides its own reads if it had any."""
    detail = {**result["detail"], "read_back": read_back.fields}
    errors = result["verify_errors"] + read_back.errors
    return {**result, "detail": detail, "verify_errors": errors}
