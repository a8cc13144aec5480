"""What reading a trial's files back after its final sync has verified."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

READ_BACK = {"none": 0, "same_host": 1, "other_host": 2}
"""Who reads the files of a write back, as the plan has it."""


@dataclass(frozen=True)
class ReadBackFigures:
    """Bytes that were read back and verified in full; of a ring, those that were written last.

    `elsewhere`: another host of the shared file system read them, else the writer.

    `whole`: everything that was left was read; else `error` is why not, or null after a stop.
    `pending`: nothing is known yet, because the files are still being read, or wait for it.
    `bytes_per_s` is the rate of these reads, which is in no other figure. `errors` are sectors of
    512 bytes; the first of them is at `first_offset_bytes` in the data of stream `first_stream`.
    `cached_share` is what was still in the page cache after it was dropped.
    """

    whole: bool
    error: str | None
    bytes: int
    ns: int
    bytes_per_s: float | None
    errors: int
    first_offset_bytes: int | None
    first_stream: int | None
    cached_share: float | None
    elsewhere: bool = False
    pending: bool = False


def read_back_of(detail: Mapping[str, Any], *, active: bool = False) -> ReadBackFigures | None:
    """Return what was verified; None if the files were not read back.

    `active`: the trial is the latest of a run that has not ended.
    """
    found: Mapping[str, Any] | None = detail.get("read_back")
    if found is None:
        return None
    checked = found["resident_checked"]
    return ReadBackFigures(
        whole=found["whole"],
        error=found["error"],
        bytes=found["bytes"],
        ns=found["ns"],
        bytes_per_s=_rate(found["bytes"], found["ns"]),
        errors=found["errors"],
        first_offset_bytes=found["first_offset_bytes"],
        first_stream=found["first_stream"],
        cached_share=found["resident_pages"] / checked if checked else None,
        elsewhere=found["elsewhere"],
        pending=active and not (found["whole"] or found["bytes"] or found["error"]),
    )


def merged(of_each: Sequence[ReadBackFigures | None]) -> ReadBackFigures | None:
    """Return the sum over several participants, with the place of the first error of one of them.

    They read at the same time, so the longest duration counts.
    """
    found = [one for one in of_each if one]
    if not found:
        return None
    wrong = next((one for one in found if one.errors), found[0])
    total, longest = sum(one.bytes for one in found), max(one.ns for one in found)
    return ReadBackFigures(
        whole=all(one.whole for one in found) and len(found) == len(of_each),
        error=next((one.error for one in found if one.error), None),
        bytes=total,
        ns=longest,
        bytes_per_s=_rate(total, longest),
        errors=sum(one.errors for one in found),
        first_offset_bytes=wrong.first_offset_bytes,
        first_stream=wrong.first_stream,
        cached_share=max(
            (one.cached_share for one in found if one.cached_share is not None), default=None
        ),
        elsewhere=any(one.elsewhere for one in found),
        pending=any(one.pending for one in found),
    )


def _rate(moved: int, ns: int) -> float | None:
    return moved * 1e9 / ns if moved and ns else None
