"""Dropped frames: what sources with so many frames of memory would have lost."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

BUFFERED = tuple(2**power for power in range(11))
"""The memories that the probe simulates, in frames."""


@dataclass(frozen=True)
class Loss:
    """Frames that all streams would have lost, each with memory for `buffered` frames."""

    buffered: int
    dropped: int


@dataclass(frozen=True)
class FrameLosses:
    """The frames of a paced trial: a frame is a file of a sequence, else a block.

    `bytes` is the size of a frame, `count` the frames of all streams, and `needed` the smallest
    memory of a stream, in frames, that would have lost none. `growing`: more was needed the longer
    the trial ran, so a longer one would need more.
    """

    bytes: int
    count: int
    needed: int
    growing: bool
    losses: list[Loss]


def losses_of(detail: Mapping[str, Any]) -> FrameLosses | None:
    """Return the losses that an attempt reports; None without a rate, or without a whole frame."""
    found = detail.get("frames")
    if not found:
        return None
    losses = [Loss(buffered, dropped) for buffered, dropped in found["dropped"]]
    needed, at_end = found["needed"], found["needed_at_end"]
    growing = at_end > max(needed / 4, 2)
    return FrameLosses(found["bytes"], found["count"], needed, growing, losses)


def merged(of_each: Sequence[FrameLosses | None]) -> FrameLosses | None:
    """Return the losses of several participants together; None if those of one are unknown."""
    known = [one for one in of_each if one is not None]
    if not known or len(known) < len(of_each):
        return None
    dropped = Counter[int]()
    for loss in (loss for one in known for loss in one.losses):
        dropped[loss.buffered] += loss.dropped
    return FrameLosses(
        bytes=max(one.bytes for one in known),
        count=sum(one.count for one in known),
        needed=max(one.needed for one in known),
        growing=any(one.growing for one in known),
        losses=[Loss(buffered, dropped[buffered]) for buffered in sorted(dropped)],
    )


def lost_with(losses: FrameLosses, buffered: float) -> tuple[int, bool]:
    """Return the frames lost with memory for `buffered` frames, and whether that is exact.

    Between two memories that were simulated, the losses of the smaller one are an upper bound. The
    memory that was needed and any larger one lose none.
    """
    if buffered >= losses.needed:
        return 0, True
    smaller = [one for one in losses.losses if one.buffered <= buffered]
    if not smaller:
        return losses.count, False
    below = max(smaller, key=lambda one: one.buffered)
    return below.dropped, below.buffered == buffered
