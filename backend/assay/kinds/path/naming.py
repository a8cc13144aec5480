"""What limits several pairs of source and sink, in words for what they have in common. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from assay.analysis import words
from assay.analysis.flags import Rate
from assay.kinds.path.bottleneck import CO_LIMIT, Bottleneck, Part
from assay.kinds.path.evidence import SECOND_NS, Limit, LimitNames, Reason
from assay.kinds.path.trials import PathPair, PathTrial
from assay.kinds.run_record import RunRecord

_SIDES: tuple[tuple[str, Limit, Limit, Limit, Limit], ...] = (
    ("source", "source_disk", "source_files", "sender_cpu", "source_card"),
    ("sink", "sink_disk", "sink_files", "receiver_cpu", "sink_card"),
)
_FILES = {
    "source": "the opening of files at the sources",
    "sink": "the creation of files at the sinks",
}
_CPUS = {"source": "the senders' CPUs", "sink": "the receivers' CPUs"}


def names_of(run: RunRecord) -> LimitNames:
    """Name what the pairs of a run have more than one of; disks of one host are those of it.

    Directories on the same devices are one disk.
    """
    found: dict[Limit, str] = {}
    for offset, (side, disk, files, cpu, card) in enumerate(_SIDES):
        sites = run.sites[offset::2]
        hosts = list(dict.fromkeys(site.machine for site in sites))
        if len({site.disks for site in sites}) > 1:
            found[disk] = f"the disks of {hosts[0]}" if len(hosts) == 1 else f"the {side}s' disks"
            found[files] = _FILES[side]
            found["shared_disk"] = "the disks that sources and sinks share"
        if len(hosts) > 1:
            found[cpu], found[card] = _CPUS[side], f"the {side}s' network cards"
    if len(run.sites) > 2:
        found["receive_buffer"] = "the receivers' socket buffers"
        found["send_buffer"] = "the senders' socket buffers"
    return LimitNames(found)


@dataclass(frozen=True)
class SlowDisks:
    """Those of several disks that are slowest, and the evidence for it.

    A transfer to disks takes as long as its slowest pair, so that its slowest disk `decides`. The
    rate of any other one is the sum of all pairs, which each disk limits.
    """

    disks: Sequence[str]
    reason: Reason
    decides: bool


def _disks(names: Sequence[str]) -> str:
    return f"the disk{'' if len(names) == 1 else 's'} {words.listed(names)}"


DISK_PARTS: Mapping[Limit, Sequence[Part]] = {
    "source_disk": ("read",),
    "sink_disk": ("write",),
    "shared_disk": ("read", "write"),
}
"""The parts that use a disk."""


def slow_disks(
    run: RunRecord, parts: Mapping[Part, Sequence[PathTrial]], *, alone: bool, decides: bool
) -> SlowDisks | None:
    """Return the disks that are slowest in these trials; None if all are alike.

    `parts` has the trials in which disks are read or written: `alone`, by themselves. A disk that
    is read and written takes the time of both. Those within `CO_LIMIT` of the slowest count as
    slow, too. `decides` is that of SlowDisks.
    """
    each = [_means(run, part, trials) for part, trials in parts.items()]
    means = {
        disk: 1 / sum(1 / of_part[disk] for of_part in each)
        for disk in (each[0] if each else {})
        if all(disk in of_part for of_part in each)
    }
    slowest = min(means.values(), default=0.0)
    slow = [disk for disk, mean in means.items() if mean <= slowest * (1 + CO_LIMIT)]
    if len(slow) == len(means):
        return None
    names: dict[object, str] = {}
    for site in run.sites:
        names.setdefault(site.disks, site.name)
    next_rate = min(mean for disk, mean in means.items() if disk not in slow)
    slow_names = [names[disk] for disk in slow]
    many = len(slow) > 1
    reach = f"by {'themselves' if many else 'itself'} " if alone else ""
    where = "" if alone else " in the transfer"
    said = (
        f"{words.capital(_disks(slow_names))} {reach}reach{'' if many else 'es'} "
        f"{words.rate(slowest)}{where}, any other one {words.rate(next_rate)} or more, each over "
        f"its own time{': the slowest pair decides when all data is durable' if decides else ''}."
    )
    figures = {"slowest_bytes_per_s": slowest, "next_bytes_per_s": next_rate}
    return SlowDisks(slow_names, Reason("uneven_disks", said, figures), decides)


def _means(run: RunRecord, part: Part, trials: Sequence[PathTrial]) -> dict[object, float]:
    """Return the mean rate of each disk that a part uses, over the disk's own time."""
    sites = run.sites[part == "write" :: 2]
    rates: dict[object, list[float]] = {}
    for trial in trials:
        of_disk: dict[object, list[PathPair]] = {}
        for site, pair in zip(sites, trial.pairs, strict=False):
            of_disk.setdefault(site.disks, []).append(pair)
        for disk, pairs in of_disk.items():
            rate = _rate_of_disk(pairs, "durable" if part == "write" else "application")
            if rate:
                rates.setdefault(disk, []).append(rate)
    return {disk: fmean(of_trials) for disk, of_trials in rates.items()}


def _rate_of_disk(pairs: Sequence[PathPair], rate: Rate) -> float | None:
    """Return the bytes of all pairs that use a disk ÷ the time in which one of them did."""
    moved = [(one.start_delay_ns or 0, one.bytes, one.own(rate)) for one in pairs]
    ends = [since + size * SECOND_NS / own for since, size, own in moved if own]
    if len(ends) < len(moved):
        return None
    took_ns = max(ends) - min(since for since, _, _ in moved)
    return sum(size for _, size, _ in moved) * SECOND_NS / took_ns if took_ns else None


def of_several(found: Bottleneck, names: LimitNames, slow: SlowDisks | None = None) -> Bottleneck:
    """Return a conclusion about several pairs with its names; of uneven disks, the slow ones."""
    if not names.several:
        return found
    disks: Sequence[str] = slow.disks if slow is not None and slow.decides else ()
    sentence = found.sentence
    if disks:
        names = names.with_parts(found.limit, _disks(disks), len(disks))
        sentence = names.sentence(found.limit, found.others)
    limits: list[Limit] = [one for one in (found.limit, *found.others) if one != "undetermined"]
    return replace(
        found,
        sentence=sentence,
        evidence=[*found.evidence, slow.reason] if slow is not None else found.evidence,
        names=[names.of(limit) for limit in limits],
        disks=disks,
    )
