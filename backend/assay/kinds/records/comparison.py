"""Comparison of records tests: which of the first two takes in more records of the same length."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assay.analysis.noise import difference
from assay.kinds.examples import example
from assay.kinds.path.evidence import Limit
from assay.kinds.records.cells import is_reliable
from assay.kinds.records.fields import NAME
from assay.kinds.records.figures import RecordsCell, RecordsTrial
from assay.kinds.records.result import RecordsResult, length_rate
from assay.kinds.result import BaseComparison, HeadlineLevels

RecordsAnswer = Literal["a_faster", "b_faster", "within_noise", "too_few_repeats", "not_comparable"]
Differing = Literal["senders", "sink", "format", "rate_records_per_s"]
_CONDITIONS: tuple[Differing, ...] = ("senders", "sink", "format", "rate_records_per_s")


class RecordsRatio(BaseModel):
    """A divided by B with one record length; null if one of them has no reliable rate.

    So it is if the rate of one changed for good: then its levels replace its rate.
    """

    record_bytes: int
    a_records_per_s: float | None
    b_records_per_s: float | None
    a_levels: HeadlineLevels = None
    b_levels: HeadlineLevels = None
    ratio: float | None
    p: float | None
    answer: RecordsAnswer


class RecordsComparison(BaseComparison):
    """Two records tests; `answer` is that of the longest records that both measured.

    The ratio is run `a` divided by run `b`; `p` is Welch's, null if a tolerance decided. `differs`
    are the conditions that explain a difference: memory as the control shows what the disk costs.
    """

    model_config = ConfigDict(json_schema_extra=example("records", "comparison"))

    kind: Literal["records"]
    a: int
    b: int
    answer: RecordsAnswer
    ratio: float | None
    p: float | None
    a_limit: Limit | None
    b_limit: Limit | None
    differs: list[Differing]
    cells: list[RecordsRatio]


def compare(results: Sequence[RecordsResult]) -> RecordsComparison:
    """Compare the first result with the second."""
    a, b = results[:2]
    rows = [
        _ratio(one, other) for one in a.cells if (other := b.cell(one.record_bytes)) is not None
    ]
    decided = [row for row in rows if row.answer != "not_comparable"]
    last = decided[-1] if decided else None
    length = last.record_bytes if last else None
    return RecordsComparison(
        kind=NAME,
        a=a.run_id,
        b=b.run_id,
        answer=last.answer if last else "not_comparable",
        ratio=last.ratio if last else None,
        p=last.p if last else None,
        a_limit=_limit(a, length),
        b_limit=_limit(b, length),
        differs=[name for name in _CONDITIONS if getattr(a, name) != getattr(b, name)],
        cells=rows,
    )


def _limit(result: RecordsResult, record_bytes: int | None) -> Limit | None:
    cell = result.cell(record_bytes) if record_bytes is not None else None
    return cell.bottleneck.limit if cell and cell.bottleneck else None


def _used(cell: RecordsCell) -> list[RecordsTrial]:
    return [one for one in cell.trials if is_reliable(one)]


def _rates(cell: RecordsCell) -> list[float]:
    return [one.records_per_s for one in _used(cell) if one.records_per_s]


def _ratio(a: RecordsCell, b: RecordsCell) -> RecordsRatio:
    ours, theirs = _rates(a), _rates(b)
    of_a, of_b = length_rate(a), length_rate(b)
    changed = any(one.levels or one.faded for one in (*_used(a), *_used(b)))
    found = difference(ours, theirs) if ours and theirs and not changed else None
    answer: RecordsAnswer = "not_comparable"
    if found is not None:
        answer = "a_faster" if found.ratio > 1 else "b_faster"
        if found.too_few:
            answer = "too_few_repeats"
        elif not found.significant:
            answer = "within_noise"
    return RecordsRatio(
        record_bytes=a.record_bytes,
        a_records_per_s=of_a.records_per_s,
        b_records_per_s=of_b.records_per_s,
        a_levels=of_a.levels,
        b_levels=of_b.levels,
        ratio=found.ratio if found else None,
        p=found.p if found else None,
        answer=answer,
    )
