"""The settings of a path: the transfer with each, compared with its parts, and what limits it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from assay.analysis.flags import Rate
from assay.analysis.repeats import Repeats
from assay.analysis.statuses import COUNTED
from assay.base import words
from assay.base.worded import say
from assay.kinds.evidence import SECOND_NS
from assay.kinds.path import bottleneck as rules
from assay.kinds.path.bottleneck import CO_LIMIT, DISK_SIDES, PART_AT
from assay.kinds.path.fields import PARTS, READING, TRANSFERS, WRITING, Leg, Part
from assay.kinds.path.figures import PathPair, PathTrial
from assay.kinds.path.legs import PartRates, PathLeg, part_rates, rates_of, reliable_trials
from assay.kinds.path.observations import seen
from assay.kinds.run_record import RunRecord
from assay.kinds.transfer.bottleneck import Bottleneck
from assay.kinds.transfer.causes import network_causes
from assay.kinds.transfer.evidence import (
    LIMITS,
    NOMINAL,
    SIDES,
    Limit,
    LimitNames,
    Reason,
    Seen,
    limited_words,
)


def names_of(run: RunRecord) -> LimitNames:
    """Name what the pairs of a run have more than one of; disks of one host are those of it.

    Directories on the same devices are one disk.
    """
    found: dict[Limit, str] = {}
    for offset, side in enumerate(SIDES):
        sites = run.sites[offset::2]
        hosts = list(dict.fromkeys(site.machine for site in sites))
        if len({site.disks for site in sites}) > 1:
            of_host = len(hosts) == 1
            found[side.disk] = f"the disks of {hosts[0]}" if of_host else f"the {side.name}s' disks"
            found[side.files] = f"{LIMITS[side.files]}s"
            found["shared_disk"] = "the disks that sources and sinks share"
        if len(hosts) > 1:
            found[side.cpu] = f"the {side.end}s' CPUs"
            found[side.card] = f"the {side.name}s' network cards"
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
    said = say(
        "{} {}reach{} {}{}, any other one {} or more, each over its own time{}.",
        words.capital(_disks(slow_names)),
        reach,
        "" if many else "es",
        {"bytes_per_s": slowest},
        where,
        {"bytes_per_s": next_rate},
        ": the slowest pair decides when all data is durable" if decides else "",
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
        limited=limited_words(found.limit, found.others, [names.of(limit) for limit in limits]),
        disks=disks,
    )


TB_PER_HOUR = 1e12 / 3600
"""Bytes per second of one terabyte per hour."""

SCORECARD_TB_PER_HOUR_PER_GBIT = 0.1
"""ESnet's scorecard: 1 TB/h of a transfer node with 10 Gb/s, 10 TB/h with 100 Gb/s."""


@dataclass(frozen=True)
class PathSetting:
    """One block size and number of streams: its transfer, compared with its parts.

    Rates are means in bytes per second; null if a leg has none. `transfer` is the leg that is
    compared: *disk*, else the transfer that was measured; null if none was.
    """

    block: int
    streams: int | None
    transfer: Leg | None
    transfer_bytes_per_s: float | None
    tb_per_hour: float | None
    read_bytes_per_s: float | None
    memory_bytes_per_s: float | None
    write_bytes_per_s: float | None
    expected_bytes_per_s: float | None
    efficiency: float | None
    bottleneck: Bottleneck | None


@dataclass(frozen=True)
class Scorecard:
    """ESnet's data transfer scorecard: the volume per hour that the slower card should move.

    `meets` is null if a card's speed is unknown, or only nominal because data was faster, or
    nothing was measured.
    """

    link_bits_per_s: int | None
    required_tb_per_hour: float | None
    tb_per_hour: float | None
    meets: bool | None


def settings_of(
    legs: Sequence[PathLeg], run: RunRecord, *, shared_device: bool
) -> list[PathSetting]:
    """Return a setting for each block and number of streams; without network, for each block."""
    moving = {(one.block, one.streams or 0) for one in legs if one.leg in TRANSFERS}
    keys = moving or {(one.block, 0) for one in legs}
    return [
        _setting(block, streams or None, legs, run, shared_device=shared_device)
        for block, streams in sorted(keys)
    ]


def _setting(
    block: int,
    streams: int | None,
    legs: Sequence[PathLeg],
    run: RunRecord,
    *,
    shared_device: bool,
) -> PathSetting:
    own: dict[Leg, PathLeg] = {
        one.leg: one
        for one in legs
        if one.block == block and (one.leg not in TRANSFERS or one.streams == streams)
    }
    order: tuple[Leg, ...] = ("disk", "memory_to_disk", "disk_to_memory", "memory")
    measured: list[Leg] = [leg for leg in order if leg in own]
    transfer = measured[0] if measured else None
    moved = own[transfer] if transfer else None
    mean = moved.bytes_per_s.mean if moved and moved.bytes_per_s else None
    found = _bottleneck(own, transfer, run, shared_device=shared_device)
    return PathSetting(
        block=block,
        streams=streams,
        transfer=transfer,
        transfer_bytes_per_s=mean,
        tb_per_hour=mean / TB_PER_HOUR if mean is not None else None,
        read_bytes_per_s=_mean(own.get("read")),
        memory_bytes_per_s=_mean(own.get("memory")),
        write_bytes_per_s=_mean(own.get("write")),
        expected_bytes_per_s=found.expected_bytes_per_s if found else None,
        efficiency=found.efficiency if found else None,
        bottleneck=found,
    )


def is_sound(setting: PathSetting, legs: Sequence[PathLeg]) -> bool:
    """Return whether the rate of a setting's transfer counts: reliable, without a cache's help."""
    return any(
        leg.reliable and not leg.inflated
        for leg in legs
        if (leg.leg, leg.block, leg.streams) == (setting.transfer, setting.block, setting.streams)
    )


def fastest(settings: Sequence[PathSetting], legs: Sequence[PathLeg]) -> PathSetting | None:
    """Return the setting with the highest rate that counts; without one, the highest of all."""
    rated = [one for one in settings if one.transfer_bytes_per_s is not None]
    sound = [one for one in rated if is_sound(one, legs)]
    return max(sound or rated, key=lambda one: one.transfer_bytes_per_s or 0.0, default=None)


def compared(settings: Sequence[PathSetting], legs: Sequence[PathLeg]) -> list[Repeats | None]:
    """Return the rates among which `fastest` chooses: those that count."""
    sound = {(one.transfer, one.block, one.streams) for one in settings if is_sound(one, legs)}
    return [leg.bytes_per_s for leg in legs if (leg.leg, leg.block, leg.streams) in sound]


def _mean(leg: PathLeg | None) -> float | None:
    return leg.bytes_per_s.mean if leg and leg.bytes_per_s else None


def _bottleneck(
    own: dict[Leg, PathLeg], transfer: Leg | None, run: RunRecord, *, shared_device: bool
) -> Bottleneck | None:
    """Return what limits the transfer of a setting; None without a reliable rate to explain."""
    if transfer is None or own[transfer].inflated:
        return None
    needs = parts_of(transfer)
    pacing = run.parameters.get("pacing_bytes_per_s") or None
    alone: dict[Part, list[Seen]] = {part: seen(own[part], pacing) for part in PARTS if part in own}
    # a durable rate is over the time up to the last pair's sync, and so are those of the parts
    shared = _is_shared(alone.get("memory", ()), run)
    parts: dict[Part, PartRates] = {
        part: part_rates(own.get(part), shared=shared, to_last_end=transfer in WRITING)
        for part in needs
    }
    reached = [] if transfer == "memory" else rates_of(own[transfer])
    names = names_of(run)
    found = rules.name(
        rules.Rates(
            **{part: one.rates for part, one in parts.items()},
            transfer=reached,
            causes={part: one.causes for part, one in parts.items()},
        ),
        seen(own[transfer], pacing),
        alone,
        needs=needs,
        shared_disk=shared_device and transfer == "disk",
        names=names,
    )
    if found is None:
        return None
    if any(one.bounded for one in reliable_trials(own[transfer])):
        said = "A final sync of the transfer timed out: its true rate is lower."
        found = replace(found, evidence=[*found.evidence, Reason("bounded_transfer", said)])
    slow = _slow_disks(run, own[transfer], parts, found) if found.limit in names.several else None
    return of_several(found, names, slow)


def parts_of(transfer: Leg) -> list[Part]:
    """Return the parts that a transfer is compared with."""
    needs: list[Part] = ["memory"]
    if transfer in READING:
        needs.append("read")
    if transfer in WRITING:
        needs.append("write")
    return needs


def _slow_disks(
    run: RunRecord, transfer: PathLeg, parts: Mapping[Part, PartRates], found: Bottleneck
) -> SlowDisks | None:
    """Return those of several disks that make them the limit: by themselves, or in the transfer.

    They are compared by themselves if it was these rates that named the disks.
    """
    alone = found.rule == "slowest_part"
    used: list[Part] = [PART_AT[side] for side in DISK_SIDES.get(found.limit, ())]
    trials: dict[Part, Sequence[PathTrial]] = {
        part: parts[part].trials if alone else reliable_trials(transfer)
        for part in used
        if not alone or part in parts
    }
    return slow_disks(run, trials, alone=alone, decides=transfer.leg in WRITING)


def _is_shared(pairs: Sequence[Seen], run: RunRecord) -> bool:
    """Return whether the pairs share what limits them between their memories.

    Those between the same two hosts do; others, if one card or one host's CPUs limit all of them.
    """
    ends = zip(run.sites[::2], run.sites[1::2], strict=True)
    if len({(one.machine, other.machine) for one, other in ends}) == 1:
        return True
    common: set[Limit] = {side.card for side in SIDES}
    for offset, side in enumerate(SIDES):
        if len({site.machine for site in run.sites[offset::2]}) == 1:
            common.add(side.cpu)
    return bool(pairs) and all(
        any(limit in common for limit, _ in network_causes(one)) for one in pairs
    )


def scorecard(best: PathSetting, legs: Sequence[PathLeg]) -> Scorecard:
    """Return whether a setting moves what ESnet expects of its slower card."""
    speed = _slower_side(
        one
        for leg in legs
        if leg.leg == best.transfer and leg.block == best.block and leg.streams == best.streams
        for one in leg.trials
        if one.status in COUNTED
    )
    rate = best.transfer_bytes_per_s or 0.0
    if speed and 8 * rate > NOMINAL * speed:
        speed = None
    required = speed / 1e9 * SCORECARD_TB_PER_HOUR_PER_GBIT if speed else None
    reached = best.tb_per_hour
    return Scorecard(
        link_bits_per_s=speed,
        required_tb_per_hour=required,
        tb_per_hour=reached,
        meets=reached >= required if required is not None and reached is not None else None,
    )


def _slower_side(trials: Iterable[PathTrial]) -> int | None:
    """Return the speed of all cards of the slower side, in bits per second; None if unknown."""
    sides: tuple[dict[object, int | None], dict[object, int | None]] = {}, {}
    for trial in trials:
        for one in trial.pairs or [trial]:
            pair = one if isinstance(one, PathPair) else None
            for cards, end, host in (
                (sides[0], one.sender, pair and pair.source_host),
                (sides[1], one.receiver, pair and pair.sink_host),
            ):
                card = end.card if end else None
                cards[host, card.name if card else None] = card.speed_bits_per_s if card else None
    known = [[speed for speed in side.values() if speed] for side in sides]
    if not all(known) or any(None in side.values() for side in sides):
        return None
    return min(map(sum, known))
