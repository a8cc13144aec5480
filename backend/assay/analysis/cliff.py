"""Permanent changes of a trial's rate: a write cache that is full, a throttle that sets in.

The rule is documented in `docs/measuring.md` (*Cliff*). The mean of such a trial is a rate that was
never reached, so both levels are reported.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from math import ceil, comb, erfc, sqrt
from statistics import fmean, median

from assay.analysis import words
from assay.analysis.served_by import CLAIM_SHARE

LEAST_NS = 10**9
"""Minimum duration of each level, in ns."""

LEAST_SHARE = 0.05
"""In intervals of equal bytes, a first level with this share of the data may be shorter if it is
`BRIEF_CHANGE` faster: memory takes in its part of the data within moments."""

BRIEF_CHANGE = 0.5
"""Minimum difference of a shorter first level: the start of a trial is often somewhat faster."""

FEWEST_SAMPLES = 5
"""Minimum number of samples of each level."""

LEAST_CHANGE = 0.15
"""Minimum difference of the levels, as a share of the higher one."""

CONSISTENT = 0.9
"""Minimum share of each side's samples on its side of the midpoint."""

SIGNIFICANT = 0.001
"""Upper limit of the p-value, times the number of splits tried."""

EXACT = 20
"""Up to this many samples on a side, the p-value is computed exactly."""

SYNC_SHARE = 0.1
"""If the final sync takes a larger share of the write time, the durable rate has no cliff."""

FRAGMENT = 0.2
"""An interval below this share of the usual length is joined with the one before it."""


@dataclass(frozen=True)
class Intervals:
    """Neighboring intervals of a trial up to its last operation, one sequence per column.

    `device_bytes` is what the device moved, null if no counter measures it.
    """

    end_ns: Sequence[int]
    dt_ns: Sequence[int]
    bytes: Sequence[int]
    device_bytes: Sequence[int | None]


@dataclass(frozen=True)
class Level:
    """One side of a change. `device_bytes` is null if no counter measures them."""

    duration_ns: int
    bytes: int
    device_bytes: int | None

    @property
    def bytes_per_s(self) -> float:
        """Bytes divided by duration."""
        return self.bytes * 1e9 / self.duration_ns


@dataclass(frozen=True)
class Cliff:
    """A change of level; both levels together are all intervals.

    `at_ns` counts from the trial's start. `p` is corrected for the number of splits tried. `again`:
    one of the two levels changes too.
    """

    at_ns: int
    before: Level
    after: Level
    p: float
    again: bool

    def reached_device(self, copies: int) -> bool | None:
        """Return whether the device took the bytes of both levels; null without a counter.

        `copies` is how many times the device stores each byte.
        """
        taken = [(level.device_bytes, level.bytes) for level in (self.before, self.after)]
        if any(device is None for device, _ in taken):
            return None
        return all((device or 0) >= CLAIM_SHARE * copies * moved for device, moved in taken)

    def sentence(self) -> str:
        """When the rate changed, and from what to what."""
        verb = "fell" if self.after.bytes_per_s < self.before.bytes_per_s else "rose"
        end = "; the rate changed again within one of them" if self.again else " and stayed there"
        return (
            f"After {words.duration(self.at_ns)} and {words.size(self.before.bytes)} the rate "
            f"{verb} from {words.rate(self.before.bytes_per_s)} to "
            f"{words.rate(self.after.bytes_per_s)}{end}."
        )

    def figures(self) -> dict[str, float]:
        """The figures behind the sentence, with units in their names."""
        return {
            "changed_ns": self.at_ns,
            "before_bytes": self.before.bytes,
            "before_ns": self.before.duration_ns,
            "before_bytes_per_s": self.before.bytes_per_s,
            "after_bytes": self.after.bytes,
            "after_ns": self.after.duration_ns,
            "after_bytes_per_s": self.after.bytes_per_s,
            "p": self.p,
            "changed_again": float(self.again),
        }


@dataclass(frozen=True)
class _Span:
    """Sums over neighboring intervals."""

    duration_ns: int
    bytes: int
    device_bytes: int | None

    @property
    def rate(self) -> float:
        return self.bytes / self.duration_ns


Spans = Sequence[_Span]


def find(seen: Intervals, *, by_bytes: bool = False) -> Cliff | None:
    """Return the permanent change of level; null if none meets all conditions.

    `by_bytes`: the intervals have equal bytes, so that short ones are fast and not fragments.
    """
    course = _spans(seen) if by_bytes else _course(seen)
    found = _search(course, by_bytes=by_bytes)
    if found is None:
        return None
    before, after = _levels(_widened(course, found.width), found.split)
    if not _far_apart(before.bytes_per_s, after.bytes_per_s):
        return None
    place = found.split * found.width
    sides = course[:place], course[place:]
    again = any(_search(side, by_bytes=by_bytes) is not None for side in sides)
    begin = seen.end_ns[0] - seen.dt_ns[0]
    return Cliff(begin + before.duration_ns, before, after, found.p, again)


def _course(seen: Intervals) -> list[_Span]:
    """Return the intervals, each fragment joined with its predecessor."""
    usual = median(seen.dt_ns) if seen.dt_ns else 0
    joined: list[list[_Span]] = []
    for one in _spans(seen):
        if joined and one.duration_ns < FRAGMENT * usual:
            joined[-1].append(one)
        else:
            joined.append([one])
    return [_sum(group) for group in joined]


def _spans(seen: Intervals) -> list[_Span]:
    spans = map(_Span, seen.dt_ns, seen.bytes, seen.device_bytes)
    return [span for span in spans if span.duration_ns]


def _sum(spans: Sequence[_Span]) -> _Span:
    if len(spans) == 1:
        return spans[0]
    known = [span.device_bytes for span in spans if span.device_bytes is not None]
    return _Span(
        sum(span.duration_ns for span in spans),
        sum(span.bytes for span in spans),
        sum(known) if len(known) == len(spans) else None,
    )


def _widened(course: Spans, width: int) -> Spans:
    if width == 1:
        return course
    return [_sum(course[at : at + width]) for at in range(0, len(course), width)]


@dataclass(frozen=True)
class _Found:
    """A split of a series in which `width` intervals each were joined, with its corrected p."""

    width: int
    split: int
    p: float


def _search(course: Spans, *, by_bytes: bool) -> _Found | None:
    """Return the valid split, in intervals as narrow as possible.

    Blocks that take longer than an interval leave most intervals empty, so wider ones are tried if
    narrow ones have no valid split.
    """
    if sum(span.duration_ns for span in course) < 2 * LEAST_NS:
        return None
    candidates: list[tuple[int, int, Spans]] = []
    tried, width = 0, 1
    while len(course) >= 2 * FEWEST_SAMPLES * width:
        widened = _widened(course, width)
        rates = [span.rate for span in widened]
        if not _far_apart(min(rates), max(rates)):
            break  # the wider ones are between these
        allowed = _allowed(widened, by_bytes=by_bytes)
        tried += len(allowed)
        split = _best_split(rates, allowed)
        if split is not None and _holds(widened, split, by_bytes=by_bytes):
            candidates.append((width, split, widened))
        width *= 2
    for width, split, widened in candidates:
        p = p_of_ranks([span.rate for span in widened], split) * tried
        if p < SIGNIFICANT:
            return _Found(width, split, p)
    return None


def _allowed(course: Spans, *, by_bytes: bool) -> range:
    """Return splits that leave each side enough time and samples; index n has n on the left."""
    ends = list(accumulate(span.duration_ns for span in course))
    first = next(n for n, ns in enumerate(ends, 1) if ns >= LEAST_NS)
    if by_bytes:
        first = min(first, ceil(LEAST_SHARE * len(course)))
    last = max((n for n, ns in enumerate(ends, 1) if ends[-1] - ns >= LEAST_NS), default=0)
    return range(max(first, FEWEST_SAMPLES), min(last, len(course) - FEWEST_SAMPLES) + 1)


def _best_split(rates: Sequence[float], allowed: range) -> int | None:
    """Return the split with the largest rank difference, refined by the midpoint.

    Null if the levels are too close.
    """
    if not allowed:
        return None
    total = len(rates)
    excess = list(accumulate(rank - (total + 1) / 2 for rank in _ranks(rates)[0]))
    split = max(allowed, key=lambda n: excess[n - 1] ** 2 / (n * (total - n)))
    for _ in range(2):  # the second pass uses the midpoint of the better sides
        if not _far_apart(median(rates[:split]), median(rates[split:])):
            return None
        right = list(accumulate(_sides(rates, split)))
        split = max(allowed, key=lambda n: right[n - 1])
    return split


def _ranks(values: Sequence[float]) -> tuple[list[float], list[int]]:
    """Return the rank of each value from 1 on, ties at their mean; and the sizes of all ties."""
    ranks, ties, below = [0.0] * len(values), list[int](), 0
    order = sorted(range(len(values)), key=values.__getitem__)
    for _, group in groupby(order, key=values.__getitem__):
        same = list(group)
        for at in same:
            ranks[at] = below + (len(same) + 1) / 2
        ties.append(len(same))
        below += len(same)
    return ranks, ties


def _sides(rates: Sequence[float], split: int) -> list[int]:
    """Return 1 for each rate on the first side of the midpoint of both medians, else -1."""
    before, after = median(rates[:split]), median(rates[split:])
    middle, falls = (before + after) / 2, before > after
    return [1 if (rate > middle) == falls and rate != middle else -1 for rate in rates]


def _holds(course: Spans, split: int, *, by_bytes: bool) -> bool:
    """Return whether the levels differ enough and each persists, the second one to its end.

    A median of zero is not a level but a stall.
    """
    rates = [span.rate for span in course]
    medians = median(rates[:split]), median(rates[split:])
    if min(medians) == 0 or not _far_apart(*medians):
        return False
    side = _sides(rates, split)
    sides = (range(split), 1), (range(split, len(side)), -1)
    for places, own in sides:
        held = [course[at].duration_ns for at in places if side[at] == own]
        is_brief = sum(held) < LEAST_NS
        if is_brief and not (
            by_bytes and places.start == 0 and medians[1] <= BRIEF_CHANGE * medians[0]
        ):
            return False
        if len(held) < CONSISTENT * len(places):
            return False
    left = accumulate(span.duration_ns for span in reversed(course))
    last = max(FEWEST_SAMPLES, next(n for n, ns in enumerate(left, 1) if ns >= LEAST_NS))
    return sum(side[-last:]) < 0 and _is_step(course, split)


def _is_step(course: Spans, split: int) -> bool:
    """Return whether two levels explain more of the variance than a line; false for a decline."""
    rates, total = [span.rate for span in course], len(course)
    mean, middle = fmean(rates), fmean(range(total))
    by_line = sum((at - middle) * (rate - mean) for at, rate in enumerate(rates)) ** 2 / sum(
        (at - middle) ** 2 for at in range(total)
    )
    by_step = sum(rate - mean for rate in rates[:split]) ** 2 * total / (split * (total - split))
    return by_step > by_line


def _far_apart(one: float, other: float) -> bool:
    low, high = sorted((one, other))
    return low < high and low <= (1 - LEAST_CHANGE) * high


def p_of_ranks(values: Sequence[float], split: int) -> float:
    """Return the two-sided p-value of the Mann–Whitney test that both sides are equal.

    Exact if a side is small, with conservative treatment of ties; else by the normal approximation
    with corrections for ties and continuity. SciPy has it too, but takes seconds to import.
    """
    total, rest = len(values), len(values) - split
    ranks, ties = _ranks(values)
    u = sum(ranks[:split]) - split * (split + 1) / 2
    u = min(u, split * rest - u)
    if min(split, rest) <= EXACT:
        return min(1.0, 2 * _orders(ceil(u), split, rest) / comb(total, split))
    tied = sum(n**3 - n for n in ties) / (total * (total - 1))
    deviation = sqrt(split * rest / 12 * (total + 1 - tied))
    if deviation == 0:
        return 1.0
    return min(1.0, erfc((split * rest / 2 - u - 0.5) / deviation / sqrt(2)))


def _orders(u: int, few: int, many: int) -> int:
    """Return how many orders of the values have this U or less: a truncated Gaussian binomial."""
    counts = [1] + [0] * u
    for part in range(1, few + 1):
        for at in range(u, many + part - 1, -1):
            counts[at] -= counts[at - many - part]
        for at in range(part, u + 1):
            counts[at] += counts[at - part]
    return sum(counts)


def _levels(course: Spans, split: int) -> tuple[Level, Level]:
    """Return both sides; the interval in which the rate changed is divided to fit both."""
    before, after = _sum(course[:split]), _sum(course[split:])
    # of the two intervals at the split, the one that is closer to the other level
    towards = 1 if after.rate > before.rate else -1
    off_before = (course[split - 1].rate - before.rate) * towards
    off_after = (after.rate - course[split].rate) * towards
    mixed = split - 1 if off_before > off_after else split
    first, second, whole = _sum(course[:mixed]), _sum(course[mixed + 1 :]), _sum(course)
    apart = first.rate - second.rate
    share = (course[mixed].rate - second.rate) / apart if apart else 0.0
    share = min(1.0, max(0.0, share))
    ns = first.duration_ns + round(share * course[mixed].duration_ns)
    moved = first.bytes + min(
        round(share * course[mixed].duration_ns * first.rate), course[mixed].bytes
    )
    device = whole.device_bytes
    if device is None or first.device_bytes is None:
        return Level(ns, moved, None), Level(whole.duration_ns - ns, whole.bytes - moved, None)
    taken = first.device_bytes + round(share * (course[mixed].device_bytes or 0))
    rest = Level(whole.duration_ns - ns, whole.bytes - moved, device - taken)
    return Level(ns, moved, taken), rest
