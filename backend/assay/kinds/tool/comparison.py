"""Comparison of tool tests with each other, and of a tool with Assay's own engine."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assay.kinds.examples import example
from assay.kinds.path.comparison import Answer, answer_of
from assay.kinds.result import BaseComparison, Delivery
from assay.kinds.tool.fields import NAME

ROUNDING = 0.01
"""Inputs that differ by at most this part are the same: lengths are rounded to whole blocks."""


class DeliverySide(BaseModel):
    """One way of moving data in one of both runs: what it reached, and at which cost.

    Rates are means over the repeats, in bytes per second, with the final sync if a disk is written;
    `cpu_s_per_gb` is all CPU time of both hosts meanwhile, with what they use anyway, so that tools
    and Assay's own transfers compare; `lost` counts files, records or blocks that did not arrive as
    sent. Null is unknown.
    """

    run_id: int
    kind: str
    name: str
    length_bytes: int | None
    bytes_per_s: float | None
    cpu_s_per_gb: float | None
    lost: int | None


class ToolRatio(BaseModel):
    """A way of run A divided by the same, or by the only one, of run B."""

    a_name: str
    b_name: str
    ratio: float | None
    p: float | None
    answer: Answer


class ToolComparison(BaseComparison):
    """Two runs that move data. `answer` is that of the fastest way of each that lost nothing.

    `same_input` is whether both moved the same number of bytes, up to the rounding to whole blocks;
    ratios of different inputs say little. The ratio is run `a` divided by run `b`; `p` is Welch's,
    null if a tolerance decided.
    """

    model_config = ConfigDict(json_schema_extra=example("tool", "comparison"))

    kind: Literal["tool"]
    a: int
    b: int
    answer: Answer
    ratio: float | None
    p: float | None
    same_input: bool | None
    sides: list[DeliverySide]
    ratios: list[ToolRatio]


def compare(
    runs: Sequence[tuple[int, str, Sequence[Delivery]]],
) -> ToolComparison:
    """Compare the first run with the second, each given by its id, its kind and its deliveries."""
    (a, _, ours), (b, _, theirs) = runs[:2]
    answer, ratio, p = answer_of(_fastest(ours), _fastest(theirs))
    return ToolComparison(
        kind=NAME,
        a=a,
        b=b,
        answer=answer,
        ratio=ratio,
        p=p,
        same_input=_same_input([*ours, *theirs]),
        sides=[
            DeliverySide(
                run_id=run_id,
                kind=kind,
                name=one.name,
                length_bytes=one.length_bytes,
                bytes_per_s=one.bytes_per_s,
                cpu_s_per_gb=one.cpu_s_per_gb,
                lost=one.lost,
            )
            for run_id, kind, deliveries in runs[:2]
            for one in deliveries
        ],
        ratios=[*_ratios(ours, theirs)],
    )


def _fastest(deliveries: Sequence[Delivery]) -> Sequence[float]:
    """Return the rates of the fastest way that lost nothing; of the fastest, if all lost data."""
    whole = [one for one in deliveries if not one.lost]
    best = max(whole or deliveries, key=lambda one: one.bytes_per_s or 0.0, default=None)
    return best.rates if best else ()


def _same_input(deliveries: Sequence[Delivery]) -> bool | None:
    lengths = [one.length_bytes for one in deliveries]
    known = [length for length in lengths if length]
    if not lengths or len(known) < len(lengths):
        return None
    return max(known) <= min(known) * (1 + ROUNDING)


def _ratios(ours: Sequence[Delivery], theirs: Sequence[Delivery]) -> Sequence[ToolRatio]:
    """Return each way of run A beside the same way of run B; beside all of them, without it."""
    found: list[ToolRatio] = []
    for one in ours:
        same = [other for other in theirs if other.name == one.name]
        for other in same or theirs:
            answer, ratio, p = answer_of(one.rates, other.rates)
            found.append(
                ToolRatio(a_name=one.name, b_name=other.name, ratio=ratio, p=p, answer=answer)
            )
    return found
