"""Recovery: how long a storage must rest after a cliff until it is as fast as before.

Trials of equal length follow each other, each after a rest. The first one that falls from a fast to
a slow level shows how much data the storage takes fast; a later one shows how much of it a rest has
restored. That is known only if the trial before it had ended at the slow level.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assay.base.worded import Quantity, Words, say

RESTORED = 0.9
"""Share of the first fast data from which on the storage counts as recovered."""

Restored = Literal["known", "at_least", "unknown"]


@dataclass(frozen=True)
class RestedTrial:
    """What a trial did: its fall, or its rate if it kept one.

    `fell` has the rate before its first lasting fall and its lowest level after that, in bytes per
    second, and the bytes before; null without a fall. `bytes_per_s` is the rate of the last level.
    `rest_ns` is how long the storage rested before the trial, null if that is unknown.
    """

    trial_id: int
    rest_ns: int | None
    bytes: int
    bytes_per_s: float
    fell: tuple[float, float, int] | None


@dataclass(frozen=True)
class AfterRest:
    """What a rest restored: data at the fast level, and its share of what the first trial had.

    `restored` is `at_least` if the trial ended before its fall, and `unknown` if the storage was
    not exhausted when the rest began; then share and bytes are null.
    """

    trial_id: int
    rest_ns: int
    restored: Restored
    bytes: int | None
    share: float | None


@dataclass(frozen=True)
class Recovery:
    """How much of the fast data each rest restored, in order of the rests.

    `within_ns` is the shortest rest that restored nine tenths, as did every longer one; null if
    none did. `beyond_ns` is the longest one that did not; null if all did. `words` say it.
    """

    fast_bytes_per_s: float
    slow_bytes_per_s: float
    fast_bytes: int
    rests: list[AfterRest]
    within_ns: int | None
    beyond_ns: int | None
    words: Words


def recovery(trials: Sequence[RestedTrial]) -> Recovery | None:
    """Return what rests restored, from trials in the order of time; None if none follows a fall."""
    first = next((place for place, one in enumerate(trials) if one.fell), None)
    if first is None:
        return None
    fast, slow, fast_bytes = trials[first].fell or (0.0, 0.0, 0)
    middle = (fast + slow) / 2
    rests: list[AfterRest] = []
    for before, one in zip(trials[first:], trials[first + 1 :], strict=False):
        if one.rest_ns is None:
            continue
        rests.append(_restored(one, middle, fast_bytes, known=before.bytes_per_s < middle))
    if not rests:
        return None
    rests.sort(key=lambda one: one.rest_ns)
    told = [one for one in rests if one.share is not None]
    lacking = [one.rest_ns for one in told if not _is_restored(one) and one.restored == "known"]
    beyond = max(lacking, default=None)
    enough = [one.rest_ns for one in told if _is_restored(one)]
    within = min((ns for ns in enough if beyond is None or ns > beyond), default=None)
    first_data = say("{} at {}", {"bytes": fast_bytes}, {"bytes_per_s": fast})
    return Recovery(
        fast, slow, fast_bytes, rests, within, beyond, _words(within, beyond, first_data)
    )


def _words(within_ns: int | None, beyond_ns: int | None, first_data: str) -> Words:
    """Return how long the storage must rest, and what it takes in then."""
    beyond: Quantity = {"duration_ns": beyond_ns or 0}
    if within_ns is not None:
        return say(
            "After {} of rest the storage again takes at least nine tenths of the first {}{}.",
            {"duration_ns": within_ns},
            first_data,
            "" if beyond_ns is None else say("; {} were not enough", beyond),
        )
    if beyond_ns is None:
        return "Whether the storage recovers is not known: no rest followed a full cache."
    sentence = "After {} of rest the storage had not recovered: at first it took {}."
    return say(sentence, beyond, first_data)


def _restored(one: RestedTrial, middle: float, fast_bytes: int, *, known: bool) -> AfterRest:
    rest_ns = one.rest_ns or 0
    if not known:
        return AfterRest(one.trial_id, rest_ns, "unknown", None, None)
    if one.fell and one.fell[0] >= middle:
        return AfterRest(one.trial_id, rest_ns, "known", one.fell[2], one.fell[2] / fast_bytes)
    if one.fell is None and one.bytes_per_s >= middle:
        share = one.bytes / fast_bytes
        return AfterRest(one.trial_id, rest_ns, "at_least", one.bytes, share)
    return AfterRest(one.trial_id, rest_ns, "known", 0, 0.0)


def _is_restored(one: AfterRest) -> bool:
    return one.share is not None and one.share >= RESTORED
