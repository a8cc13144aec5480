"""Comparison of records tests: which of the first two takes in more records of the same length."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assay.base import words
from assay.base.worded import Words, joined, say
from assay.kinds.comparison import Answer, faster_sentence, not_compared, run
from assay.kinds.examples import example
from assay.kinds.levels import HeldLevels
from assay.kinds.records.cells import is_reliable
from assay.kinds.records.figures import RecordsCell, RecordsTrial
from assay.kinds.records.parameters import NAME
from assay.kinds.records.result import RecordsResult, length_rate
from assay.kinds.result import HeadlineLevels
from assay.kinds.transfer.comparison import TransferComparison, answer_of, limit_sentences
from assay.kinds.transfer.evidence import Limit

Differing = Literal["senders", "sink", "format", "rate_records_per_s"]
CONDITIONS: dict[Differing, str] = {
    "senders": "the number of senders",
    "sink": "the sink (file or memory)",
    "format": "the format",
    "rate_records_per_s": "the paced rate",
}
"""What explains a difference, in words."""


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
    answer: Answer


class RecordsComparison(TransferComparison):
    """Two records tests; `answer` is that of the longest records that both measured.

    The ratio is run `a` divided by run `b`; `p` is Welch's, null if a tolerance decided. `differs`
    are the conditions that explain a difference: memory as the control shows what the disk costs.
    """

    model_config = ConfigDict(json_schema_extra=example("records", "comparison"))

    kind: Literal["records"]
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
    answer: Answer = last.answer if last else "not_comparable"
    a_limit, b_limit = _limit(a, length), _limit(b, length)
    differs: list[Differing] = [name for name in CONDITIONS if getattr(a, name) != getattr(b, name)]
    conditions = words.listed([CONDITIONS[name] for name in differs]) if differs else ""
    return RecordsComparison(
        kind=NAME,
        sentences=[
            _faster(a.run_id, b.run_id, rows, last),
            *limit_sentences((a.run_id, a_limit), (b.run_id, b_limit)),
            *([f"The runs differ in {conditions}."] if differs else []),
        ],
        a=a.run_id,
        b=b.run_id,
        answer=answer,
        ratio=last.ratio if last else None,
        p=last.p if last else None,
        a_limit=a_limit,
        b_limit=b_limit,
        differs=differs,
        cells=rows,
    )


def _faster(a: int, b: int, rows: Sequence[RecordsRatio], decided: RecordsRatio | None) -> Words:
    """Return which of two runs takes in more records, by the length that decides."""
    if decided is not None and decided.ratio is not None:
        one, other = _rate(decided.a_records_per_s), _rate(decided.b_records_per_s)
        details = say("with {} ({} against {})", _length(decided), one, other)
        return faster_sentence(decided.answer, decided.ratio, a, b, details)
    fell = next((row for row in reversed(rows) if row.a_levels or row.b_levels), None)
    if fell is None:
        return not_compared(a, b, "they have no reliable rate with the same record length")
    return say(
        "The rate changed for good: with {}, {} reached {}; {} {}.",
        _length(fell),
        run(a),
        _course(fell.a_levels, fell.a_records_per_s, fell.record_bytes),
        run(b),
        _course(fell.b_levels, fell.b_records_per_s, fell.record_bytes),
    )


def _length(row: RecordsRatio) -> Words:
    return say("{} records", {"block_bytes": row.record_bytes})


def _course(levels: HeldLevels | None, per_second: float | None, length: int) -> Words:
    """Return the records per second of a run, or of its levels."""
    if levels:
        return joined(" → ", [_rate(level.bytes_per_s / length) for level in levels])
    return _rate(per_second)


def _rate(per_second: float | None) -> Words:
    return "no rate" if per_second is None else say("{}", {"records_per_s": per_second})


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
    answer, ratio, p = answer_of([] if changed else ours, theirs)
    return RecordsRatio(
        record_bytes=a.record_bytes,
        a_records_per_s=of_a.records_per_s,
        b_records_per_s=of_b.records_per_s,
        a_levels=of_a.levels,
        b_levels=of_b.levels,
        ratio=ratio,
        p=p,
        answer=answer,
    )
