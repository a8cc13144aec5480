"""What limits a transfer: pure rules, documented in `docs/measuring.md` (*Bottleneck*).

A transfer from disk to disk is compared with what its parts reach by themselves. If it reaches
about as much as the slowest part, that part is the limit; else its own evidence has to say what is.
Without a rule that applies, the limit is undetermined.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import fmean

from assay.analysis.noise import difference
from assay.base import words
from assay.kinds.path.fields import Part
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
from assay.kinds.transfer.bottleneck import Bottleneck, conclude, decide
from assay.kinds.transfer.causes import (
    causes_of,
    cpu_causes,
    disk_causes,
    file_causes,
    network_causes,
    throttled_ends,
)
from assay.kinds.transfer.evidence import (
    ONE_PAIR,
    SIDES,
    SINK,
    SOURCE,
    Cause,
    JointCauses,
    Limit,
    LimitNames,
    Reason,
    Seen,
    TransferSide,
    joint,
)

PART_AT: Mapping[TransferSide, Part] = {SOURCE: "read", SINK: "write"}
"""The part in which the disk of a side is used."""

DISK_SIDES: Mapping[Limit, Sequence[TransferSide]] = {
    SOURCE.disk: (SOURCE,),
    SINK.disk: (SINK,),
    "shared_disk": SIDES,
}
"""The sides at which a disk is used."""

REACHED = 0.9
"""A transfer that reaches this part of what its slowest part does is limited by that part."""

EXCEEDED = 1.1
"""A transfer that reaches more than this part of its slowest part is not limited by that part."""

CO_LIMIT = 0.10
"""Parts within this of the slowest one limit the transfer as well."""


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


@dataclass(frozen=True)
class BesideParts:
    """A transfer that reached these rates, beside what its parts reach by themselves.

    `faster` are other parts, which the transfer was faster than because they were disturbed while
    they were measured by themselves; `before` says so.
    """

    reached: Sequence[float]
    parts: Mapping[Limit, PartCandidate]
    shown: Shown
    faster: frozenset[Limit] = frozenset()
    before: Sequence[Reason] = ()

    @property
    def slowest(self) -> Limit:
        """The slowest part by itself."""
        return min(self.parts, key=lambda limit: (self.parts[limit].mean, limit))

    @property
    def rest(self) -> dict[Limit, PartCandidate]:
        """The other parts."""
        return {limit: one for limit, one in self.parts.items() if limit != self.slowest}

    @property
    def efficiency(self) -> float:
        """The mean of the transfer ÷ that of its slowest part."""
        return fmean(self.reached) / self.parts[self.slowest].mean

    @property
    def differs(self) -> bool:
        """Whether the transfer differs from its slowest part by more than noise."""
        return not difference(self.reached, self.parts[self.slowest].rates).within_noise

    @property
    def is_clear(self) -> bool:
        """Whether the transfer departs from its slowest part, even for no visible reason."""
        return self.differs and departs(self.reached, self.parts[self.slowest].rates)

    @property
    def causes(self) -> JointCauses:
        """What the evidence in the transfer itself shows."""
        return joint(self.shown.transfer, causes_of)

    @property
    def compared(self) -> list[Reason]:
        """How the transfer compares with its slowest part."""
        mean, expected = fmean(self.reached), self.parts[self.slowest].mean
        return [*self.before, against_slowest(mean, self.slowest, expected, self.shown.names)]

    @property
    def evidence(self) -> list[Reason]:
        """How the transfer compares, and what each part reaches by itself."""
        return [*self.compared, *reached_alone(self.parts, self.slowest, self.shown.names)]


def name(
    rates: Rates,
    transfer: Sequence[Seen],
    alone: Mapping[Part, Sequence[Seen]],
    *,
    needs: Sequence[Part],
    shared_disk: bool = False,
    names: LimitNames = ONE_PAIR,
) -> Bottleneck | None:
    """Return what limits a transfer of the parts `needs`; None if nothing was measured.

    `transfer` is the evidence in the transfer itself, `alone` that of the parts by themselves,
    each for every pair of source and sink. `shared_disk`: source and sink use one device, which
    reads and writes each byte. `names` are the words for the limits.
    """
    throttled = joint(transfer, throttled_ends)
    if throttled.causes and not rates.transfer:
        limits: list[Limit] = list(dict.fromkeys(one for one, _ in throttled.causes))
        reasons = [one for _, one in throttled.causes]
        return conclude(limits[0], limits[1:], "own_evidence", reasons, names)
    parts: dict[Part, Sequence[float]] = {part: getattr(rates, part) for part in needs}
    if not rates.transfer:
        return _of_one_part(parts, alone, names)
    if all(parts.values()):
        candidates = _candidates(parts, rates.causes, alone, shared_disk=shared_disk)
        return _of_parts(BesideParts(rates.transfer, candidates, Shown(transfer, alone, names)))
    return decide(joint(transfer, causes_of), "own_evidence", names)


def _of_one_part(
    parts: Mapping[Part, Sequence[float]], alone: Mapping[Part, Sequence[Seen]], names: LimitNames
) -> Bottleneck | None:
    """Return the limit of the part between memories, if it is all that is measured."""
    if not parts.get("memory") or len(parts) > 1:
        return None
    causes = joint(alone.get("memory", [Seen()]), network_causes)
    return decide(causes, "own_evidence", names, fallback="network")


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
        "memory": "network",
        **{part: _disk_or_files(side, alone) for side, part in PART_AT.items()},
    }
    found: dict[Limit, PartCandidate] = {
        of_part[part]: PartCandidate(rates, causes.get(part, frozenset()))
        for part, rates in parts.items()
    }
    if shared_disk and {SOURCE.disk, SINK.disk} <= found.keys():
        reads, writes = found.pop(SOURCE.disk), found.pop(SINK.disk)
        pairs = zip(reads.rates, writes.rates, strict=False)
        joint = [1 / (1 / one + 1 / other) for one, other in pairs]
        found["shared_disk"] = PartCandidate(joint, reads.causes | writes.causes)
    return found


def _of_parts(one: BesideParts) -> Bottleneck:
    """Return what limits a transfer of these parts, with the figures of the comparison."""
    found = _compared(one)
    if not is_expectation(one.parts, one.slowest):
        return found
    expected = one.parts[one.slowest].mean
    return replace(found, expected_bytes_per_s=expected, efficiency=one.efficiency)


def _compared(one: BesideParts) -> Bottleneck:
    """Return what limits a transfer of these parts, by how fast it is beside the slowest."""
    return _of_slower(one) or _of_faster(one) or _of_as_fast(one)


def _of_slower(one: BesideParts) -> Bottleneck | None:
    """Return what limits a transfer that does not reach its slowest part; None if it may do so.

    Without its cache, or undisturbed, a part whose rate is only a bound may be as slow as the
    transfer.
    """
    if one.efficiency >= REACHED or not one.differs:
        return None
    names, causes = one.shown.names, one.causes
    if not causes.causes and not one.is_clear:
        return None
    slower = lowered(one.parts) | one.faster
    if slower and not causes.causes:
        return conclude("undetermined", sorted(slower), "bounded_parts", one.evidence, names)
    return decide(causes, "interaction", names, one.compared)


def _of_faster(one: BesideParts) -> Bottleneck | None:
    """Return what limits a transfer that is clearly faster than its slowest part; None if it isn't.

    If that part was disturbed while it was measured by itself, its rate says nothing, and the other
    parts are compared.
    """
    if one.efficiency <= EXCEEDED or not one.is_clear:
        return None
    slowest, part, names = one.slowest, one.parts[one.slowest], one.shown.names
    if one.rest and part.is_bound("lower"):
        told = [*one.before, refuted(fmean(one.reached), slowest, part, names)]
        behind = one.faster | {slowest}
        return _compared(replace(one, parts=one.rest, faster=behind, before=told))
    exceeded = Reason(
        "faster_than_parts",
        "The transfer is clearly faster, so the parts by themselves do not show its limit.",
    )
    return decide(one.causes, "own_evidence", names, [*one.compared, exceeded])


def _of_as_fast(one: BesideParts) -> Bottleneck:
    """Return the slowest part as the limit of a transfer that reaches it, or what else it may be.

    Parts that the transfer was faster than may be as slow as it is if it is below the slowest.
    """
    slow = one.parts[one.slowest].rates
    equal: list[Limit] = [
        limit for limit, part in one.rest.items() if indistinct(part.rates, slow, one.reached)
    ]
    below = one.differs and one.efficiency < 1 / (1 + CO_LIMIT)
    faster = one.faster if below else frozenset[Limit]()
    others = doubted(one.parts, one.slowest, one.reached)
    if others is not None or faster:
        return _of_bounds(one, {one.slowest, *(others or ()), *faster, *equal})
    return _of_equal(one, equal) if equal else _of_limit(one)


def _of_bounds(one: BesideParts, among: Set[Limit]) -> Bottleneck:
    """Return what the transfer itself shows, if the rates of its parts are only bounds.

    `among` are the parts that may limit it.
    """
    causes, names = one.causes, one.shown.names
    if len({limit for limit, _ in causes.causes}) == 1 and causes.shared:
        return decide(causes, "own_evidence", names, one.evidence)
    return conclude("undetermined", sorted(among), "bounded_parts", one.evidence, names)


def _of_equal(one: BesideParts, equal: Sequence[Limit]) -> Bottleneck:
    """Return that the slowest part and others cannot be told apart."""
    names = one.shown.names
    alike: list[Limit] = sorted([one.slowest, *equal])
    means = {limit: one.parts[limit].mean for limit in alike}
    said = Reason(
        "equal_parts",
        f"{words.capital(names.listed(alike))} {_equality([*means.values()])}.",
        {f"{limit}_bytes_per_s": mean for limit, mean in means.items()},
    )
    also: set[Limit] = {found for limit in alike for found, _ in _unclear(limit, one.shown.alone)}
    candidates = sorted(also.union(alike))
    return conclude("undetermined", candidates, "equal_parts", [*one.evidence, said], names)


def _of_limit(one: BesideParts) -> Bottleneck:
    """Return the slowest part as the limit, with those that are nearly as slow."""
    slowest, alone, names = one.slowest, one.shown.alone, one.shown.names
    most = one.parts[slowest].mean * (1 + CO_LIMIT)
    near: list[Limit] = [limit for limit, part in one.rest.items() if part.mean <= most]
    unclear = [cause for limit in (slowest, *near) for cause in _unclear(limit, alone)]
    if unclear:
        may_be: list[Limit] = sorted({slowest, *near, *(limit for limit, _ in unclear)})
        told = [*one.evidence, *{reason.message: reason for _, reason in unclear}.values()]
        return conclude("undetermined", may_be, "own_evidence", told, names)
    found = _within(slowest, alone)
    named: set[Limit] = {cause for cause, _ in found.causes}
    limit: Limit = next(iter(named)) if len(named) == 1 and found.shared else slowest
    told = [*one.evidence, *(reason for _, reason in found.causes)]
    return conclude(limit, sorted(near), "slowest_part", told, names)


def _within(slowest: Limit, alone: Mapping[Part, Sequence[Seen]]) -> JointCauses:
    """Return what limits the slowest part itself: a disk is slow also for lack of CPU."""
    if slowest == "network":
        return joint(alone.get("memory", [Seen()]), network_causes)
    for side, part in PART_AT.items():
        if slowest in (side.disk, side.files):
            return joint(alone.get(part, [Seen()]), partial(_causes_of_disk, side=side))
    return JointCauses((), True, {})


def _causes_of_disk(seen: Seen, side: TransferSide) -> Iterable[Cause]:
    """Return what limits a side's disk; no CPU if the time went to the sink's final sync."""
    synced = side is SINK and seen.is_mostly_sync
    return file_causes(seen, side) if synced else disk_causes(seen, side)


def _disk_or_files(side: TransferSide, alone: Mapping[Part, Sequence[Seen]]) -> Limit:
    """Return the disk of a side, or its small files if these take the disk's time at each pair."""
    each = [{limit for limit, _ in file_causes(one, side)} for one in alone.get(PART_AT[side], ())]
    return side.files if each and all(one == {side.files} for one in each) else side.disk


def _unclear(disk: Limit, alone: Mapping[Part, Sequence[Seen]]) -> list[Cause]:
    """Return the causes that its small files give a disk, unless its CPU is already one."""
    sides = DISK_SIDES.get(disk, ())
    used = [(side, seen) for side in sides for seen in alone.get(PART_AT[side], ())]
    if len(sides) == 1 and any(any(cpu_causes(seen, side)) for side, seen in used):
        return []
    return [cause for side, seen in used for cause in file_causes(seen, side)]


def _equality(rates: Sequence[float]) -> str:
    """Return why parts with these mean rates cannot be told apart."""
    if max(rates) - min(rates) <= CO_LIMIT * max(rates):
        return "are equal within noise"
    return "cannot be told apart: their repeats are too few or vary too much"
