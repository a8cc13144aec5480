"""Comparison of path tests: which of the first two is faster, leg by leg, and what limits each."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assay.analysis.noise import difference
from assay.base import words
from assay.base.worded import Quantity, Words, joined, say
from assay.kinds.comparison import Answer, faster_sentence, not_compared, run
from assay.kinds.examples import example
from assay.kinds.path.fields import LEGS, NAME, Leg
from assay.kinds.path.legs import PathLeg, application_rates_of, direction_rates, rates_of
from assay.kinds.path.report import trial_words
from assay.kinds.path.result import PathResult
from assay.kinds.transfer.comparison import TransferComparison, answer_of, limit_sentences
from assay.kinds.transfer.evidence import Limit


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


class PathComparison(TransferComparison):
    """Two path tests. `answer` is that of the transfers of their best settings.

    The ratio is run `a` divided by run `b`; `p` is Welch's, null if a tolerance decided.
    """

    model_config = ConfigDict(json_schema_extra=example("path", "comparison"))

    kind: Literal["path"]
    a_limit: Limit | None
    b_limit: Limit | None
    legs: list[LegRatio]
    leg_sentences: list[Words]


def compare(results: Sequence[PathResult]) -> PathComparison:
    """Compare the first path with the second."""
    a, b = results[:2]
    ours, theirs = a.best_leg, b.best_leg
    answer, ratio, p = answer_of(rates_of(ours), rates_of(theirs))
    if (ours and ours.leg) != (theirs and theirs.leg):
        answer = "not_comparable"
    a_limit = a.headline.limit if a.headline else None
    b_limit = b.headline.limit if b.headline else None
    legs = _legs(a, b)
    return PathComparison(
        kind=NAME,
        sentences=[
            _faster(a, b, answer, ratio),
            *limit_sentences((a.run_id, a_limit), (b.run_id, b_limit)),
        ],
        a=a.run_id,
        b=b.run_id,
        answer=answer,
        ratio=ratio,
        p=p,
        a_limit=a_limit,
        b_limit=b_limit,
        legs=legs,
        leg_sentences=[said for leg in legs for said in _leg_sentences(leg)],
    )


def _faster(a: PathResult, b: PathResult, answer: Answer, ratio: float | None) -> Words:
    """Return which of two paths is faster."""
    one, other = _reached(a), _reached(b)
    if not one and not other:
        return not_compared(a.run_id, b.run_id, "neither has a reliable rate")
    if answer == "not_comparable" or ratio is None:
        each = joined(
            "; ",
            [
                say("{} has {}", run(result.run_id), reached or "no reliable rate")
                for result, reached in ((a, one), (b, other))
            ],
        )
        return not_compared(a.run_id, b.run_id, each)
    details = say("({} against {})", one, other)
    return faster_sentence(answer, ratio, a.run_id, b.run_id, details)


def _reached(result: PathResult) -> Words:
    """Return the headline's rate and what it was measured of; empty without one."""
    headline = result.headline
    if headline is None or headline.bytes_per_s is None or headline.leg is None:
        return ""
    return say("{} {}", {"bytes_per_s": headline.bytes_per_s}, LEGS[headline.leg].lower())


def _leg_sentences(leg: LegRatio) -> Iterator[Words]:
    """Yield the small files per second of a leg in both runs, and its directions against one."""
    if leg.a_files_per_s is not None and leg.b_files_per_s is not None:
        setting = trial_words(leg.model_dump())
        a: Quantity = {"count": round(leg.a_files_per_s)}
        b: Quantity = {"count": round(leg.b_files_per_s)}
        yield say("{}: {} against {} small files per second.", setting, a, b)
    for way in leg.one_way:
        yield say(
            "{}, {} → {}: with traffic in both directions {} times its rate one way "
            "({} against {}){}.",
            LEGS[leg.leg],
            " + ".join(way.sources),
            " + ".join(way.sinks),
            words.figure(way.ratio),
            {"bytes_per_s": way.bytes_per_s},
            {"bytes_per_s": way.one_way_bytes_per_s},
            ", a difference within noise" if way.answer == "within_noise" else "",
        )


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
