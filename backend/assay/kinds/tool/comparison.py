"""Comparison of tool tests with each other, and of a tool with Assay's own engine."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assay.base.worded import Words, say
from assay.kinds.comparison import Answer, faster_sentence, not_compared
from assay.kinds.examples import example
from assay.kinds.tool.parameters import NAME
from assay.kinds.transfer.comparison import Delivery, TransferComparison, answer_of

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


_OF_DELIVERY = DeliverySide.model_fields.keys() & Delivery.__dataclass_fields__.keys()


class ToolRatio(BaseModel):
    """A way of run A divided by the same, or by the only one, of run B."""

    a_name: str
    b_name: str
    ratio: float | None
    p: float | None
    answer: Answer


class ToolComparison(TransferComparison):
    """Two runs that move data. `answer` is that of the fastest way of each that lost nothing.

    `same_input` is whether both moved the same number of bytes, up to the rounding to whole blocks;
    ratios of different inputs say little. The ratio is run `a` divided by run `b`; `p` is Welch's,
    null if a tolerance decided.
    """

    model_config = ConfigDict(json_schema_extra=example("tool", "comparison"))

    kind: Literal["tool"]
    same_input: bool | None
    sides: list[DeliverySide]
    ratios: list[ToolRatio]


def compare(
    runs: Sequence[tuple[int, str, Sequence[Delivery]]],
) -> ToolComparison:
    """Compare the first run with the second, each given by its id, its kind and its deliveries."""
    (a, _, ours), (b, _, theirs) = runs[:2]
    best = _fastest(ours), _fastest(theirs)
    answer, ratio, p = answer_of(*(one.rates if one else () for one in best))
    same_input = _same_input([*ours, *theirs])
    sentences: list[Words] = [not_compared(a, b, "one of them has no reliable rate")]
    if answer != "not_comparable" and ratio is not None:
        names = [one.name if one else "nothing" for one in best]
        sentences = [faster_sentence(answer, ratio, a, b, say("({} against {})", *names))]
    if same_input is False:
        sentences.append("They moved different amounts of data, so the ratio says little.")
    return ToolComparison(
        kind=NAME,
        sentences=sentences,
        a=a,
        b=b,
        answer=answer,
        ratio=ratio,
        p=p,
        same_input=same_input,
        sides=[
            DeliverySide(
                run_id=run_id, kind=kind, **{name: getattr(one, name) for name in _OF_DELIVERY}
            )
            for run_id, kind, deliveries in runs[:2]
            for one in deliveries
        ],
        ratios=[*_ratios(ours, theirs)],
    )


def _fastest(deliveries: Sequence[Delivery]) -> Delivery | None:
    """Return the fastest way that lost nothing; the fastest, if all lost data."""
    whole = [one for one in deliveries if not one.lost]
    return max(whole or deliveries, key=lambda one: one.bytes_per_s or 0.0, default=None)


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
