"""Comparing two runs that move data: which one is faster, and what limits each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.analysis.noise import difference
from assay.base.worded import Words, say
from assay.kinds.comparison import Answer, run
from assay.kinds.export import ExportedRatio
from assay.kinds.result import BaseComparison
from assay.kinds.transfer.evidence import Limit, limited_words

GB = 10**9
"""Bytes to which CPU time is related."""


@dataclass(frozen=True)
class Delivery:
    """One way in which a run moved data from a source to a sink, for comparison across kinds.

    `rates` are the leading rates of its reliable trials, in bytes per second; `cpu_s_per_gb` is the
    CPU time of both hosts, with what they use anyway. `lost` counts what did not arrive as sent,
    null if that is unknown.
    """

    name: str
    length_bytes: int | None
    rates: Sequence[float]
    bytes_per_s: float | None
    cpu_s_per_gb: float | None
    lost: int | None


def answer_of(a: Sequence[float], b: Sequence[float]) -> tuple[Answer, float | None, float | None]:
    """Return which of two sets of rates is faster, their ratio, and Welch's p."""
    if not a or not b:
        return "not_comparable", None, None
    found = difference(a, b)
    if found.too_few:
        return "too_few_repeats", found.ratio, found.p
    if not found.significant:
        return "within_noise", found.ratio, found.p
    return ("a_faster" if found.ratio > 1 else "b_faster"), found.ratio, found.p


def limit_sentences(a: tuple[int, Limit | None], b: tuple[int, Limit | None]) -> Iterator[Words]:
    """Yield what limits two runs, each given by its id; nothing where one limit is not known."""
    (run_a, limit_a), (run_b, limit_b) = a, b
    if limit_a is None or limit_b is None:
        return
    words_a, words_b = limited_words(limit_a, []), limited_words(limit_b, [])
    if limit_a == limit_b:
        yield f"Both: {words_a}."
    else:
        yield say("{}: {}; {}: {}.", run(run_a), words_a, run(run_b), words_b)


class TransferComparison(BaseComparison):
    """Two runs that move data. The ratio is run `a` divided by run `b`; `p` is Welch's, null if a
    tolerance decided.
    """

    a: int
    b: int
    answer: Answer
    ratio: float | None
    p: float | None


class ComparedRow(Protocol):
    """A row of a comparison: the ratio of run A to run B."""

    ratio: float | None
    p: float | None
    answer: Answer


def exported_ratio(
    found: TransferComparison,
    row: ComparedRow,
    cell: str,
    figure: str,
    values: tuple[float | None, float | None],
) -> ExportedRatio:
    """Return a row of a comparison for an export; `values` are the figures of run A and B."""
    return ExportedRatio(
        base_run_id=found.a,
        run_id=found.b,
        cell=cell,
        figure=figure,
        base_value=values[0],
        value=values[1],
        ratio=row.ratio,
        p=row.p,
        answer=row.answer,
    )
