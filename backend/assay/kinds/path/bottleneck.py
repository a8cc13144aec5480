"""What limits a transfer: pure rules, documented in `docs/measuring.md` (*Bottleneck*).

A transfer from disk to disk is compared with what its parts reach by themselves. If it reaches
about as much as the slowest part, that part is the limit; else its own evidence has to say what is.
Without a rule that applies, the limit is undetermined.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Literal, get_args

from assay.analysis import words
from assay.analysis.noise import difference, distinct
from assay.kinds.metrics import Bound
from assay.kinds.path.causes import (
    causes_of,
    cpu_causes,
    disk_causes,
    file_causes,
    network_causes,
    throttled_ends,
)
from assay.kinds.path.evidence import LIMITS, Cause, End, Limit, Reason, Seen, Side
from assay.kinds.path.parts import (
    PartCandidate,
    against_slowest,
    cached,
    doubted,
    indistinct,
    is_expectation,
    reached_alone,
)

Part = Literal["read", "memory", "write"]
PARTS: tuple[Part, ...] = get_args(Part)
Rule = Literal[
    "slowest_part",
    "equal_parts",
    "bounded_parts",
    "interaction",
    "own_evidence",
    "pairs_differ",
    "none",
]

REACHED = 0.9
"""A transfer that reaches this part of what its slowest part does is limited by that part."""

EXCEEDED = 1.1
"""A transfer that reaches more than this part of its slowest part is not limited by that part."""

CLEAR, CLEAR_FACTOR = 0.003, 2
"""Level and factor from which a transfer departs from its slowest part for no visible reason."""

CO_LIMIT = 0.10
"""Parts within this of the slowest one limit the transfer as well."""


@dataclass(frozen=True)
class Bottleneck:
    """What limits a transfer, by which rule, with the evidence.

    `others` limit it as well, or are what cannot be told apart. `expected_bytes_per_s` is what the
    slowest part reaches by itself; null if a part was not measured. `names` are the limit, if it is
    known, and the others in words, if there are several pairs; else empty.
    """

    limit: Limit
    others: Sequence[Limit]
    rule: Rule
    sentence: str
    evidence: Sequence[Reason]
    expected_bytes_per_s: float | None
    efficiency: float | None
    names: Sequence[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Rates:
    """The rates of the repeats of each part by itself, and of the transfer, in bytes per second.

    `bounds` has the parts whose rates are only bounds: `upper` if a cache helped, `lower` if others
    disturbed.
    """

    read: Sequence[float] = ()
    memory: Sequence[float] = ()
    write: Sequence[float] = ()
    transfer: Sequence[float] = ()
    bounds: Mapping[Part, Bound] = field(default_factory=dict[Part, Bound])


def name(
    rates: Rates,
    transfer: Sequence[Seen],
    alone: Mapping[Part, Sequence[Seen]],
    *,
    needs: Sequence[Part],
    shared_disk: bool = False,
) -> Bottleneck | None:
    """Return what limits a transfer of the parts `needs`; None if nothing was measured.

    `transfer` is the evidence in the transfer itself, `alone` that of the parts by themselves,
    each for every pair of source and sink. `shared_disk`: source and sink use one device, which
    reads and writes each byte.
    """
    throttled = _joint(transfer, throttled_ends)
    if throttled.causes and not rates.transfer:
        limits: list[Limit] = list(dict.fromkeys(one for one, _ in throttled.causes))
        reasons = [one for _, one in throttled.causes]
        return _conclude(limits[0], limits[1:], "own_evidence", reasons, None)
    parts: dict[Part, Sequence[float]] = {part: getattr(rates, part) for part in needs}
    if not rates.transfer:
        return _of_one_part(parts, alone)
    if all(parts.values()):
        candidates = _candidates(parts, rates.bounds, alone, shared_disk=shared_disk)
        return _of_parts(rates.transfer, candidates, transfer, alone)
    return _decide(_joint(transfer, causes_of), "own_evidence", None, None)


@dataclass(frozen=True)
class JointCauses:
    """The causes that the evidence of all pairs shows; of several pairs, with their names.

    `of_pairs` has the only cause of each pair by its name: empty unless every pair has exactly one.
    `shared` is whether each cause is that of every pair.
    """

    causes: Sequence[Cause]
    shared: bool
    of_pairs: Mapping[str, Limit]


def _joint(pairs: Sequence[Seen], causes_of: Callable[[Seen], Iterable[Cause]]) -> JointCauses:
    """Return the causes of all pairs; one that all show in the same words is given once."""
    each = [list(causes_of(one)) for one in pairs]
    if len(each) == 1:
        return JointCauses(each[0], True, {})
    limits: list[frozenset[Limit]] = [frozenset(limit for limit, _ in one) for one in each]
    named: list[Cause] = [
        (limit, reason if all((limit, reason) in one for one in each) else _of_pair(pair, reason))
        for pair, one in zip(pairs, each, strict=True)
        for limit, reason in one
    ]
    single: list[Limit] = [next(iter(one)) for one in limits if len(one) == 1]
    return JointCauses(
        causes=[one for place, one in enumerate(named) if one not in named[:place]],
        shared=len(set(limits)) == 1,
        of_pairs={pair.pair or "": limit for pair, limit in zip(pairs, single, strict=True)}
        if len(single) == len(pairs)
        else {},
    )


def _of_pair(pair: Seen, reason: Reason) -> Reason:
    return replace(reason, message=f"{pair.pair}: {reason.message}")


def _of_one_part(
    parts: Mapping[Part, Sequence[float]], alone: Mapping[Part, Sequence[Seen]]
) -> Bottleneck | None:
    """Return the limit of the part between memories, if it is all that is measured."""
    if not parts.get("memory") or len(parts) > 1:
        return None
    causes = _joint(alone.get("memory", [Seen()]), network_causes)
    return _decide(causes, "own_evidence", None, None, fallback="network")


def _candidates(
    parts: Mapping[Part, Sequence[float]],
    bounds: Mapping[Part, Bound],
    alone: Mapping[Part, Sequence[Seen]],
    *,
    shared_disk: bool,
) -> dict[Limit, PartCandidate]:
    """Return the rates of what may limit: disks and network; disks in one if they are shared.

    A disk whose small files take its time has the rate of these.
    """
    of_part: dict[Part, Limit] = {
        "read": "source_files"
        if _files_of("source_disk", alone) == {"source_files"}
        else "source_disk",
        "memory": "network",
        "write": "sink_files" if _files_of("sink_disk", alone) == {"sink_files"} else "sink_disk",
    }
    found: dict[Limit, PartCandidate] = {
        of_part[part]: PartCandidate(rates, frozenset({bounds[part]} if part in bounds else ()))
        for part, rates in parts.items()
    }
    if shared_disk and {"source_disk", "sink_disk"} <= found.keys():
        reads, writes = found.pop("source_disk"), found.pop("sink_disk")
        pairs = zip(reads.rates, writes.rates, strict=False)
        joint = [1 / (1 / one + 1 / other) for one, other in pairs]
        found["shared_disk"] = PartCandidate(joint, reads.bounds | writes.bounds)
    return found


def _of_parts(
    reached: Sequence[float],
    parts: Mapping[Limit, PartCandidate],
    transfer: Sequence[Seen],
    alone: Mapping[Part, Sequence[Seen]],
) -> Bottleneck:
    means: dict[Limit, float] = {limit: one.mean for limit, one in parts.items()}
    slowest: Limit = min(means, key=lambda limit: (means[limit], limit))
    expected, mean = means[slowest], fmean(reached)
    efficiency = mean / expected
    compared = against_slowest(mean, slowest, expected)
    held = (expected, efficiency) if is_expectation(parts, slowest) else (None, None)
    differs = not difference(reached, parts[slowest].rates).within_noise
    is_clear = differs and distinct(reached, parts[slowest].rates, level=CLEAR, factor=CLEAR_FACTOR)
    if efficiency < REACHED and differs:
        causes = _joint(transfer, causes_of)
        if is_clear and not causes.causes and (slower := cached(parts)):
            # without its cache, such a part may be as slow as the transfer
            told = [compared, *reached_alone(parts, slowest)]
            return _conclude("undetermined", sorted(slower), "bounded_parts", told, None)
        if is_clear or causes.causes:
            return _decide(causes, "interaction", *held, [compared])
    if efficiency > EXCEEDED and is_clear:
        faster = Reason(
            "faster_than_parts",
            "The transfer is clearly faster, so the parts by themselves do not show its limit.",
        )
        causes = _joint(transfer, causes_of)
        return _decide(causes, "own_evidence", *held, [compared, faster])
    return _of_slowest(slowest, parts, reached, [compared], alone)


def _of_slowest(
    slowest: Limit,
    parts: Mapping[Limit, PartCandidate],
    reached: Sequence[float],
    compared: Sequence[Reason],
    alone: Mapping[Part, Sequence[Seen]],
) -> Bottleneck:
    """Return the slowest part as the limit of a transfer that reaches it, or what else it may be.

    What a part reaches with the help of a cache, or disturbed, is no expectation.
    """
    means: dict[Limit, float] = {limit: one.mean for limit, one in parts.items()}
    expected = means[slowest] if is_expectation(parts, slowest) else None
    efficiency = fmean(reached) / expected if expected else None
    equal: list[Limit] = [
        limit
        for limit, one in parts.items()
        if limit != slowest and indistinct(one.rates, parts[slowest].rates, reached)
    ]
    near: list[Limit] = [
        limit
        for limit, mean in means.items()
        if limit != slowest and limit not in equal and mean <= means[slowest] * (1 + CO_LIMIT)
    ]
    evidence = [*compared, *reached_alone(parts, slowest)]
    if others := doubted(parts, slowest):
        among: set[Limit] = {slowest, *others, *equal}
        candidates: list[Limit] = sorted(among)
        return _conclude("undetermined", candidates, "bounded_parts", evidence, None)
    if equal:
        alike: list[Limit] = sorted([slowest, *equal])
        said = Reason(
            "equal_parts",
            f"{words.capital(_listed(alike))} {_equality(means, alike)}.",
            {f"{limit}_bytes_per_s": means[limit] for limit in alike},
        )
        also: set[Limit] = {one for limit in alike for one, _ in _unclear(limit, alone)}
        candidates = sorted(also.union(alike))
        return _conclude(
            "undetermined",
            candidates,
            "equal_parts",
            [*evidence, said],
            expected,
            efficiency,
        )
    unclear = [cause for limit in (slowest, *near) for cause in _unclear(limit, alone)]
    if unclear:
        may_be: list[Limit] = sorted({slowest, *near, *(limit for limit, _ in unclear)})
        told = [*evidence, *{reason.message: reason for _, reason in unclear}.values()]
        return _conclude("undetermined", may_be, "own_evidence", told, expected, efficiency)
    found = _within(slowest, alone)
    named: set[Limit] = {cause for cause, _ in found.causes}
    limit: Limit = next(iter(named)) if len(named) == 1 and found.shared else slowest
    told = [*evidence, *(reason for _, reason in found.causes)]
    return _conclude(limit, sorted(near), "slowest_part", told, expected, efficiency)


def _within(slowest: Limit, alone: Mapping[Part, Sequence[Seen]]) -> JointCauses:
    """Return what limits the slowest part itself: a disk is slow also for lack of CPU."""
    match slowest:
        case "network":
            return _joint(alone.get("memory", [Seen()]), network_causes)
        case "source_disk" | "source_files":
            return _joint(alone.get("read", [Seen()]), lambda seen: disk_causes(seen, "source"))
        case "sink_disk" | "sink_files":
            return _joint(alone.get("write", [Seen()]), _causes_of_writing)
        case _:
            return JointCauses((), True, {})


_SIDES: dict[Limit, tuple[tuple[Part, Side], ...]] = {
    "source_disk": (("read", "source"),),
    "sink_disk": (("write", "sink"),),
    "shared_disk": (("read", "source"), ("write", "sink")),
}
"""The parts in which disks are used, and their sides."""


def _file_causes(disk: Limit, alone: Mapping[Part, Sequence[Seen]]) -> list[Cause]:
    return [
        cause
        for part, side in _SIDES.get(disk, ())
        for seen in alone.get(part, ())
        for cause in file_causes(seen, side)
    ]


def _files_of(disk: Limit, alone: Mapping[Part, Sequence[Seen]]) -> set[Limit]:
    """Return what the small files of a disk show that limits it; nothing if a pair has no such."""
    [(part, side)] = _SIDES[disk]
    every = all(any(file_causes(seen, side)) for seen in alone.get(part, ()))
    return {limit for limit, _ in _file_causes(disk, alone)} if every else set()


def _unclear(disk: Limit, alone: Mapping[Part, Sequence[Seen]]) -> list[Cause]:
    """Return the causes that its small files give a disk, unless its CPU is already one."""
    ends: dict[Limit, End] = {"source_disk": "sender", "sink_disk": "receiver"}
    found = _file_causes(disk, alone)
    if disk in ends:
        [(part, _)] = _SIDES[disk]
        if any(any(cpu_causes(seen, ends[disk])) for seen in alone.get(part, ())):
            return []
    return found


def _causes_of_writing(seen: Seen) -> Iterable[Cause]:
    """Return what limits the sink's disk; no CPU if the time went to the final sync."""
    return file_causes(seen, "sink") if seen.is_mostly_sync else disk_causes(seen, "sink")


def _equality(means: Mapping[Limit, float], limits: Sequence[Limit]) -> str:
    """Return why these parts cannot be told apart."""
    rates = [means[limit] for limit in limits]
    if max(rates) - min(rates) <= CO_LIMIT * max(rates):
        return "are equal within noise"
    return "cannot be told apart: their repeats are too few or vary too much"


def _decide(  # noqa: PLR0917 (the facts of one conclusion)
    found: JointCauses,
    rule: Rule,
    expected: float | None,
    efficiency: float | None,
    compared: Sequence[Reason] = (),
    fallback: Limit = "undetermined",
) -> Bottleneck:
    """Return the only cause that the evidence of each pair shows, or that it is undetermined."""
    named: list[Limit] = sorted({cause for cause, _ in found.causes})
    evidence = [*compared, *(reason for _, reason in found.causes)]
    if len(named) == 1 and found.shared:
        return _conclude(named[0], [], rule, evidence, expected, efficiency)
    if len(named) > 1 and found.of_pairs:
        undecided = _conclude("undetermined", named, "pairs_differ", evidence, expected, efficiency)
        return replace(undecided, sentence=_differing(found.of_pairs))
    if named:
        return _conclude("undetermined", named, rule, evidence, expected, efficiency)
    none: Rule = rule if fallback != "undetermined" else "none"
    return _conclude(fallback, [], none, evidence, expected, efficiency)


def _differing(of_pairs: Mapping[str, Limit]) -> str:
    each = "; ".join(f"{pair}: {LIMITS[limit]}" for pair, limit in of_pairs.items())
    return f"The pairs have different limits. {each}."


def _conclude(  # noqa: PLR0917 (the facts of one conclusion)
    limit: Limit,
    others: Sequence[Limit],
    rule: Rule,
    evidence: Sequence[Reason],
    expected: float | None,
    efficiency: float | None = None,
) -> Bottleneck:
    return Bottleneck(limit, others, rule, _sentence(limit, others), evidence, expected, efficiency)


def _sentence(limit: Limit, others: Sequence[Limit]) -> str:
    if limit != "undetermined":
        verb = "limit" if others else "limits"
        return f"{words.capital(_listed([limit, *others]))} {verb} the transfer."
    if others:
        return f"The limit is undetermined: it may be {_listed(others, 'or')}."
    return "The limit is undetermined: no evidence singles out a part of the path."


def _listed(limits: Sequence[Limit], joined: str = "and") -> str:
    return words.listed([LIMITS[limit] for limit in limits], joined)
