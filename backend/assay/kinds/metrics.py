"""Metrics: the figures of a result that a criterion may limit.

Each kind lists its metrics (`Kind.metrics`). Kinds that measure the same quantity give it the same
name and dimension, so that one criterion judges the runs of both.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf, isinf
from typing import Any, Literal

from assay.analysis.flags import Rate
from assay.base.worded import Words

Dimension = Literal["rate", "iops", "frequency", "duration", "size", "share", "count", "yes_no"]
"""The dimension of a value: bytes, operations or events per second, ns, bytes, a part of one, a
number, or 0 and 1."""

ArgumentDimension = Dimension | Literal["word"]
"""The dimension of an argument, which may be one of a few words."""

Concern = Literal["application", "durability", "device"]
"""What a metric is about. Who served the data matters only to durability and to the device."""

DoubtCode = Literal[
    "cache_served",
    "array_cache",
    "source_unknown",
    "contended",
    "suspended",
    "starved",
    "too_short",
    "short_overlap",
    "timed_out",
    "unstable",
    "bounded",
    "cliff",
    "censored",
    "too_few_repeats",
    "too_few_operations",
    "interrupted",
    "not_measured",
]

Bound = Literal["upper", "lower"]

Sense = Literal["rate", "latency", "burden", "defects", "pattern"]
"""What a doubt does to a metric: rates, and what follows from them, fall when the storage is
disturbed; latencies and what a test needs or wastes (its burden) rise; defects are counted whatever
the speed; a pattern (a change over time, a variation, a share) may come or go."""

Direction = Literal["more", "less"]
"""Which values of a metric are better."""

Arguments = Mapping[str, float]
"""The arguments of a criterion's metric, in bytes, ns, bytes per second or as numbers; of a word,
its index in the argument's `choices`."""


@dataclass(frozen=True)
class Argument:
    """An argument of a metric; the first one may be given without its name.

    One whose dimension is `word` has `choices`. `of_cell` reads it from a cell of a result, None if
    nothing names the cell by it; one that is not about the cell has none.
    """

    name: str
    dimension: ArgumentDimension
    definition: str
    required: bool = False
    choices: Sequence[str] = ()
    of_cell: Callable[[Any], float | None] | None = None


@dataclass(frozen=True)
class Doubt:
    """Why a measured value may not decide a criterion.

    `code` and `figures` contain everything that programs need; the names of figures contain their
    units. `message` is the same as text. `bound` is `upper` if the true value is at most the
    measured one, `lower` if it is at least that; None if it may be either. `strict`: it is not the
    measured value itself. `least` and `most` are the other ends of the true value's range, in the
    unit of the metric; None if it has no such end.
    """

    code: DoubtCode
    message: Words
    figures: Mapping[str, float] = field(default_factory=dict[str, float])
    bound: Bound | None = None
    least: float | None = None
    most: float | None = None
    strict: bool = False

    def ends(self, measured: float) -> tuple[float, float]:
        """Return the range of the true value, which has the measured one in it."""
        low = measured if self.bound == "lower" else -inf if self.least is None else self.least
        high = measured if self.bound == "upper" else inf if self.most is None else self.most
        return min(low, measured), max(high, measured)

    def bounded_by(self, bound: Bound | None, end: float = inf) -> "Doubt":
        """Return the same doubt about another value: the side, and an end of the range there."""
        known = None if isinf(end) else end
        least, most = (None, known) if bound == "lower" else (known, None)
        return replace(self, bound=bound, least=least, most=most, strict=False)

    def scaled(self, factor: float) -> "Doubt":
        """Return the same doubt about a multiple of the value."""
        ends = [None if one is None else factor * one for one in (self.least, self.most)]
        return replace(self, least=ends[0], most=ends[1])


@dataclass(frozen=True)
class EvidenceLocation:
    """Where a result shows the value: a trial, and the parameters that it was measured with.

    `cell` names the cell of the value in words, `participant` whose value it is, if it is that of
    the worst of several.
    """

    trial_id: int | None = None
    parameters: Mapping[str, int] = field(default_factory=dict[str, int])
    cell: str | None = None
    participant: str | None = None


@dataclass(frozen=True)
class Measurement:
    """The value of a metric in one result, in the unit of its dimension; None if not measured.

    It rests on `repeats` trials. `spread` is their standard deviation ÷ mean, if the value is a
    mean of several.
    """

    value: float | None
    evidence: EvidenceLocation = EvidenceLocation()
    doubts: Sequence[Doubt] = ()
    repeats: int = 0
    spread: float | None = None


MEAN_OF_RATE: Mapping[Rate, str] = {"durable": "durable.mean", "application": "app.mean"}
"""The metrics that are the mean rates of a test of storage."""

Operator = Literal[">=", ">", "<=", "<"]

OPPOSITE: Mapping[Operator, Operator] = {">=": "<", ">": "<=", "<=": ">", "<": ">="}
"""The operator that holds exactly where another one does not."""


@dataclass(frozen=True)
class Possible:
    """The values that a metric can have, in the unit of its dimension; None is no bound.

    `positive`: the lower bound is not among them.
    """

    least: float | None = 0
    most: float | None = None
    positive: bool = False

    def has(self, operator: Operator, limit: Fraction) -> bool:
        """Return whether some value meets the limit."""
        if operator == ">=":
            return self.most is None or limit <= self.most
        if operator == ">":
            return self.most is None or limit < self.most
        if operator == "<=" and not self.positive:
            return self.least is None or limit >= self.least
        return self.least is None or limit > self.least


ANY = Possible()
"""No value is negative."""

TIME = Possible(positive=True)
"""What takes time takes more than none."""

PART = Possible(most=1)
"""A part of a whole."""


@dataclass(frozen=True)
class Metric:
    """A figure of a kind's results.

    `label` is a noun phrase for sentences, `definition` says exactly what is measured, and `needs`
    what a test must have. `unavailable` returns why a test cannot give it with these arguments, or
    None; `read` takes it from a result of the kind. `choices` is of how many cells that fit the
    arguments the value is that of the leading one; None if it is of all of them. A limit that no
    value in `possible` meets, or misses, is refused. `percentile` names what is ranked, and
    the part of it that is not above the value (1 for the maximum): a higher one is never lower.
    `sense` says what doubts do to it. `more_is_better` is for those that are no rate: of rates, and
    where the answer is yes or no, more always is.
    """

    name: str
    label: str
    dimension: Dimension
    concern: Concern
    definition: str
    needs: str
    unavailable: Callable[[Any, Arguments], str | None]
    read: Callable[[Any, Arguments], Measurement]
    arguments: Sequence[Argument] = ()
    choices: Callable[[Any, Arguments], int] | None = None
    possible: Possible = ANY
    percentile: tuple[str, float] | None = None
    sense: Sense = field(kw_only=True)
    more_is_better: bool = field(default=False, kw_only=True)

    @property
    def better(self) -> Direction:
        """Return which values are better."""
        more = self.more_is_better or self.sense == "rate" or self.dimension == "yes_no"
        return "more" if more else "less"
