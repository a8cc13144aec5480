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
from assay.analysis.noise import difference
from assay.kinds.path.causes import (
    causes_of,
    cpu_causes,
    disk_causes,
    file_causes,
    network_causes,
    throttled_ends,
)
from assay.kinds.path.evidence import (
    LIMITS,
    ONE_PAIR,
    Cause,
    End,
    JointCauses,
    Limit,
    LimitNames,
    Reason,
    Seen,
    Side,
    joint,
)
from assay.kinds.path.parts import (
    PartCandidate,
    PartCause,
    against_slowest,
    departs,
    doubted,
    indistinct,
    is_expectation,
    lowered,
    reached_alone,
    refuted,
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

CO_LIMIT = 0.10
"""Parts within this of the slowest one limit the transfer as well."""


@dataclass(frozen=True)
class Bottleneck:
    """What limits a transfer, by which rule, with the evidence.

    `others` limit it as well, or are what cannot be told apart. `expected_bytes_per_s` is what the
    slowest part reaches by itself; null if a part was not measured. `names` are the limit, if it is
    known, and the others in words, if there are several pairs; else empty. `disks` are the places
    of those of several disks that are the limit; empty if all are, or none is.
    """

    limit: Limit
    others: Sequence[Limit]
    rule: Rule
    sentence: str
    evidence: Sequence[Reason]
    expected_bytes_per_s: float | None
    efficiency: float | None
    names: Sequence[str] = field(default_factory=list[str])
    disks: Sequence[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Rates:
    """The rates of the repeats of each part by itself, and of the transfer, in bytes per second.

    `causes` has the parts whose rates are only bounds, and why.
    """

    read: Sequence[float] = ()
    memory: Sequence[float] = ()
    write: Sequence[float] = ()
    transfer: Sequence[float] = ()
    causes: Mapping[Part, frozenset[PartCause]] = field(
        default_factory=dict[Part, frozenset[PartCause]]
    )


@dataclass(frozen=True)
class Shown:
    """The evidence in the transfer and in the parts by themselves, and the names of limits."""

    transfer: Sequence[Seen]
    alone: Mapping[Part, Sequence[Seen]]
    names: LimitNames


def name(
    rates: Rates,
    transfer: Sequence[Seen],
    alone: Mapping[Part, Sequence[Seen]],
    *,
    needs: Sequence[Part],
    shared_disk: bool = False,
    causes: Callable[[Seen], Iterable[Cause]] = causes_of,
    names: LimitNames = ONE_PAIR,
) -> Bottleneck | None:
    """Return what limits a transfer of the parts `needs`; None if nothing was measured.

    `transfer` is the evidence in the transfer itself, `alone` that of the parts by themselves,
    each for every pair of source and sink. `shared_disk`: source and sink use one device, which
    reads and writes each byte. `causes` yields what the evidence in a transfer shows. `names` are
    the words for the limits.
    """
    throttled = joint(transfer, throttled_ends)
    if throttled.causes and not rates.transfer:
        limits: list[Limit] = list(dict.fromkeys(one for one, _ in throttled.causes))
        reasons = [one for _, one in throttled.causes]
        return _conclude(limits[0], limits[1:], "own_evidence", reasons, names)
    parts: dict[Part, Sequence[float]] = {part: getattr(rates, part) for part in needs}
    if not rates.transfer:
        return _of_one_part(parts, alone, names)
    if all(parts.values()):
        candidates = _candidates(parts, rates.causes, alone, shared_disk=shared_disk)
        return _of_parts(rates.transfer, candidates, Shown(transfer, alone, names))
    return _decide(joint(transfer, causes), "own_evidence", names)


def _of_one_part(
    parts: Mapping[Part, Sequence[float]], alone: Mapping[Part, Sequence[Seen]], names: LimitNames
) -> Bottleneck | None:
    """Return the limit of the part between memories, if it is all that is measured."""
    if not parts.get("memory") or len(parts) > 1:
        return None
    causes = joint(alone.get("memory", [Seen()]), network_causes)
    return _decide(causes, "own_evidence", names, fallback="network")


def _candidates(
    parts: Mapping[Part, Sequence[float]],
    causes: Mapping[Part, frozenset[PartCause]],
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
        of_part[part]: PartCandidate(rates, causes.get(part, frozenset()))
        for part, rates in parts.items()
    }
    if shared_disk and {"source_disk", "sink_disk"} <= found.keys():
        reads, writes = found.pop("source_disk"), found.pop("sink_disk")
        pairs = zip(reads.rates, writes.rates, strict=False)
        joint = [1 / (1 / one + 1 / other) for one, other in pairs]
        found["shared_disk"] = PartCandidate(joint, reads.causes | writes.causes)
    return found


def _of_parts(
    reached: Sequence[float],
    parts: Mapping[Limit, PartCandidate],
    shown: Shown,
) -> Bottleneck:
    """Return what limits a transfer of these parts, compared with its slowest part."""
    slowest = _slowest(parts)
    found = _compared(reached, parts, shown)
    if not is_expectation(parts, slowest):
        return found
    expected = parts[slowest].mean
    efficiency = fmean(reached) / expected
    return replace(found, expected_bytes_per_s=expected, efficiency=efficiency)


def _slowest(parts: Mapping[Limit, PartCandidate]) -> Limit:
    return min(parts, key=lambda limit: (parts[limit].mean, limit))


def _compared(
    reached: Sequence[float],
    parts: Mapping[Limit, PartCandidate],
    shown: Shown,
    *,
    faster: frozenset[Limit] = frozenset(),
    before: Sequence[Reason] = (),
) -> Bottleneck:
    """Return what limits a transfer of these parts, without the figures of the comparison.

    `faster` are other parts, which a transfer was faster than because they were disturbed while
    they were measured by themselves; `before` says so.
    """
    slowest, mean, names = _slowest(parts), fmean(reached), shown.names
    efficiency = mean / parts[slowest].mean
    compared = [*before, against_slowest(mean, slowest, parts[slowest].mean, names)]
    differs = not difference(reached, parts[slowest].rates).within_noise
    is_clear = differs and departs(reached, parts[slowest].rates)
    if efficiency < REACHED and differs:
        causes = joint(shown.transfer, causes_of)
        if is_clear and not causes.causes and (slower := lowered(parts) | faster):
            # without its cache, or undisturbed, such a part may be as slow as the transfer
            told = [*compared, *reached_alone(parts, slowest, names)]
            return _conclude("undetermined", sorted(slower), "bounded_parts", told, names)
        if is_clear or causes.causes:
            return _decide(causes, "interaction", names, compared)
    rest: dict[Limit, PartCandidate] = {
        limit: one for limit, one in parts.items() if limit != slowest
    }
    if efficiency > EXCEEDED and is_clear and rest and parts[slowest].is_bound("lower"):
        told = [*before, refuted(mean, slowest, parts[slowest], names)]
        behind: set[Limit] = {*faster, slowest}
        return _compared(reached, rest, shown, faster=frozenset(behind), before=told)
    if efficiency > EXCEEDED and is_clear:
        exceeded = Reason(
            "faster_than_parts",
            "The transfer is clearly faster, so the parts by themselves do not show its limit.",
        )
        causes = joint(shown.transfer, causes_of)
        return _decide(causes, "own_evidence", names, [*compared, exceeded])
    below = differs and efficiency < 1 / (1 + CO_LIMIT)
    also = faster if below else frozenset[Limit]()  # they may be as slow as the transfer
    return _of_slowest(slowest, parts, reached, shown, compared=compared, faster=also)


def _of_slowest(
    slowest: Limit,
    parts: Mapping[Limit, PartCandidate],
    reached: Sequence[float],
    shown: Shown,
    *,
    compared: Sequence[Reason],
    faster: frozenset[Limit],
) -> Bottleneck:
    """Return the slowest part as the limit of a transfer that reaches it, or what else it may be.

    If rates are only bounds, so that the slowest is in doubt, or if `faster` parts may limit it as
    well, the evidence of the transfer itself may name the limit.
    """
    alone, names = shown.alone, shown.names
    means: dict[Limit, float] = {limit: one.mean for limit, one in parts.items()}
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
    evidence = [*compared, *reached_alone(parts, slowest, names)]
    others = doubted(parts, slowest, reached)
    if others is not None or faster:
        causes = joint(shown.transfer, causes_of)
        if len({limit for limit, _ in causes.causes}) == 1 and causes.shared:
            return _decide(causes, "own_evidence", names, evidence)
        among: set[Limit] = {slowest, *(others or ()), *faster, *equal}
        candidates: list[Limit] = sorted(among)
        return _conclude("undetermined", candidates, "bounded_parts", evidence, names)
    if equal:
        alike: list[Limit] = sorted([slowest, *equal])
        said = Reason(
            "equal_parts",
            f"{words.capital(names.listed(alike))} {_equality(means, alike)}.",
            {f"{limit}_bytes_per_s": means[limit] for limit in alike},
        )
        also: set[Limit] = {one for limit in alike for one, _ in _unclear(limit, alone)}
        candidates = sorted(also.union(alike))
        return _conclude("undetermined", candidates, "equal_parts", [*evidence, said], names)
    unclear = [cause for limit in (slowest, *near) for cause in _unclear(limit, alone)]
    if unclear:
        may_be: list[Limit] = sorted({slowest, *near, *(limit for limit, _ in unclear)})
        told = [*evidence, *{reason.message: reason for _, reason in unclear}.values()]
        return _conclude("undetermined", may_be, "own_evidence", told, names)
    found = _within(slowest, alone)
    named: set[Limit] = {cause for cause, _ in found.causes}
    limit: Limit = next(iter(named)) if len(named) == 1 and found.shared else slowest
    told = [*evidence, *(reason for _, reason in found.causes)]
    return _conclude(limit, sorted(near), "slowest_part", told, names)


def _within(slowest: Limit, alone: Mapping[Part, Sequence[Seen]]) -> JointCauses:
    """Return what limits the slowest part itself: a disk is slow also for lack of CPU."""
    match slowest:
        case "network":
            return joint(alone.get("memory", [Seen()]), network_causes)
        case "source_disk" | "source_files":
            return joint(alone.get("read", [Seen()]), lambda seen: disk_causes(seen, "source"))
        case "sink_disk" | "sink_files":
            return joint(alone.get("write", [Seen()]), _causes_of_writing)
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


def _decide(
    found: JointCauses,
    rule: Rule,
    names: LimitNames,
    compared: Sequence[Reason] = (),
    fallback: Limit = "undetermined",
) -> Bottleneck:
    """Return the only cause that the evidence of each pair shows, or that it is undetermined."""
    named: list[Limit] = sorted({cause for cause, _ in found.causes})
    evidence = [*compared, *(reason for _, reason in found.causes)]
    if len(named) == 1 and found.shared:
        return _conclude(named[0], [], rule, evidence, names)
    if len(named) > 1 and found.of_pairs:
        undecided = _conclude("undetermined", named, "pairs_differ", evidence, names)
        return replace(undecided, sentence=_differing(found.of_pairs))
    if named:
        return _conclude("undetermined", named, rule, evidence, names)
    none: Rule = rule if fallback != "undetermined" else "none"
    return _conclude(fallback, [], none, evidence, names)


def _differing(of_pairs: Mapping[str, Limit]) -> str:
    each = "; ".join(f"{pair}: {LIMITS[limit]}" for pair, limit in of_pairs.items())
    return f"The pairs have different limits. {each}."


def _conclude(
    limit: Limit, others: Sequence[Limit], rule: Rule, evidence: Sequence[Reason], names: LimitNames
) -> Bottleneck:
    sentence = names.sentence(limit, others)
    return Bottleneck(limit, others, rule, sentence, evidence, None, None)
