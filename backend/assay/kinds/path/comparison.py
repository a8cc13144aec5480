"""Comparison of path tests: which of the first two is faster, leg by leg, and what limits each."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assay.analysis.noise import difference
from assay.kinds.examples import example
from assay.kinds.path.evidence import Limit
from assay.kinds.path.fields import NAME, Leg
from assay.kinds.path.legs import PathLeg, application_rates_of, direction_rates, rates_of
from assay.kinds.path.result import PathResult
from assay.kinds.result import BaseComparison

Answer = Literal["a_faster", "b_faster", "within_noise", "too_few_repeats", "not_comparable"]


class OneWayRatio(BaseModel):
    """A direction of a leg with full duplex ÷ the same transfer without traffic against it.

    Both are application rates. `answer` says whether the direction is slower by more than noise;
    `run` is the one with full duplex.
    """

    run: Literal["a", "b"]
    sources: list[str]
    sinks: list[str]
    bytes_per_s: float
    one_way_bytes_per_s: float
    ratio: float
    p: float | None
    answer: Literal["slower", "faster", "within_noise", "too_few_repeats"]


class LegRatio(BaseModel):
    """A divided by B in one leg with one setting; null if one of them has no reliable rate.

    If one of them is full duplex, its rate is the sum of both directions, and `one_way` has each
    direction for which the other run has the same transfer.
    """

    leg: Leg
    block: int
    streams: int | None
    a_bytes_per_s: float | None
    b_bytes_per_s: float | None
    ratio: float | None
    p: float | None
    answer: Answer
    one_way: list[OneWayRatio] = []
    a_files_per_s: float | None = None
    b_files_per_s: float | None = None


class PathComparison(BaseComparison):
    """Two path tests. `answer` is that of the transfers of their best settings.

    The ratio is run `a` divided by run `b`; `p` is Welch's, null if a tolerance decided.
    """

    model_config = ConfigDict(json_schema_extra=example("path", "comparison"))

    kind: Literal["path"]
    a: int
    b: int
    answer: Answer
    ratio: float | None
    p: float | None
    a_limit: Limit | None
    b_limit: Limit | None
    legs: list[LegRatio]


def compare(results: Sequence[PathResult]) -> PathComparison:
    """Compare the first path with the second."""
    a, b = results[:2]
    answer, ratio, p = answer_of(_best(a), _best(b))
    return PathComparison(
        kind=NAME,
        a=a.run_id,
        b=b.run_id,
        answer=answer if _leg(a) == _leg(b) else "not_comparable",
        ratio=ratio,
        p=p,
        a_limit=a.headline.limit if a.headline else None,
        b_limit=b.headline.limit if b.headline else None,
        legs=_legs(a, b),
    )


def _leg(result: PathResult) -> Leg | None:
    return result.settings[result.best].transfer if result.best is not None else None


def _best(result: PathResult) -> list[float]:
    """Return the reliable rates of the transfer of the best setting."""
    if result.best is None:
        return []
    setting = result.settings[result.best]
    if setting.transfer is None:
        return []
    return rates_of(result.leg(setting.transfer, setting.block, setting.streams))


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


def _legs(a: PathResult, b: PathResult) -> list[LegRatio]:
    found: list[LegRatio] = []
    for one in a.legs:
        other = b.leg(one.leg, one.block, one.streams)
        if other is None:
            continue
        answer, ratio, p = answer_of(rates_of(one), rates_of(other))
        found.append(
            LegRatio(
                leg=one.leg,
                block=one.block,
                streams=one.streams,
                a_bytes_per_s=one.bytes_per_s.mean if one.bytes_per_s else None,
                b_bytes_per_s=other.bytes_per_s.mean if other.bytes_per_s else None,
                a_files_per_s=one.files_per_s.mean if one.files_per_s else None,
                b_files_per_s=other.files_per_s.mean if other.files_per_s else None,
                ratio=ratio,
                p=p,
                answer=answer,
                one_way=list(_one_way(a, b, one, other)),
            )
        )
    return found


def _one_way(a: PathResult, b: PathResult, of_a: PathLeg, of_b: PathLeg) -> Iterator[OneWayRatio]:
    """Yield how each direction of full duplex compares with the other run, which is one-way."""
    if a.full_duplex == b.full_duplex:
        return
    run: Literal["a", "b"] = "a" if a.full_duplex else "b"
    both, alone, single = (of_a, of_b, b) if a.full_duplex else (of_b, of_a, a)
    names = [f"{one.host} {one.path}" if one.path else one.host for one in single.participants]
    ends = list(dict.fromkeys(names[::2])), list(dict.fromkeys(names[1::2]))
    rates = application_rates_of(alone)
    for way, direction in enumerate(both.directions):
        found = direction_rates(both, way)
        if (list(direction.sources), list(direction.sinks)) != ends or not found or not rates:
            continue
        compared = difference(found, rates)
        answer = "slower" if compared.ratio < 1 else "faster"
        if not compared.significant:
            answer = "too_few_repeats" if compared.too_few else "within_noise"
        yield OneWayRatio(
            run=run,
            sources=list(direction.sources),
            sinks=list(direction.sinks),
            bytes_per_s=fmean(found),
            one_way_bytes_per_s=fmean(rates),
            ratio=compared.ratio,
            p=compared.p,
            answer=answer,
        )
