"""What limits several pairs of source and sink, in words for what they have in common. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from assay.analysis import words
from assay.kinds.path.bottleneck import CO_LIMIT, Bottleneck
from assay.kinds.path.evidence import LIMITS, Limit, Reason
from assay.kinds.path.legs import PathLeg
from assay.kinds.run_record import RunRecord

Names = Mapping[Limit, str]
"""Words for the limits of a run's pairs that are not those of a single pair; all are plural."""

_SIDES: tuple[tuple[str, Limit, Limit, Limit, Limit], ...] = (
    ("source", "source_disk", "source_files", "sender_cpu", "source_card"),
    ("sink", "sink_disk", "sink_files", "receiver_cpu", "sink_card"),
)
_FILES = {
    "source": "the opening of files at the sources",
    "sink": "the creation of files at the sinks",
}
_CPUS = {"source": "the senders' CPUs", "sink": "the receivers' CPUs"}


def names_of(run: RunRecord) -> dict[Limit, str]:
    """Return what the pairs of a run have more than one of; disks of one host are those of it.

    Directories on the same devices are one disk.
    """
    found: dict[Limit, str] = {}
    for offset, (side, disk, files, cpu, card) in enumerate(_SIDES):
        sites = run.sites[offset::2]
        hosts = list(dict.fromkeys(site.host for site in sites))
        on_one_device = sites[0].devices and len({(one.host, one.devices) for one in sites}) == 1
        if len({site.name for site in sites}) > 1 and not on_one_device:
            found[disk] = f"the disks of {hosts[0]}" if len(hosts) == 1 else f"the {side}s' disks"
            found[files] = _FILES[side]
            found["shared_disk"] = "the disks that sources and sinks share"
        if len(hosts) > 1:
            found[cpu], found[card] = _CPUS[side], f"the {side}s' network cards"
    if len(run.sites) > 2:
        found["receive_buffer"] = "the receivers' socket buffers"
        found["send_buffer"] = "the senders' socket buffers"
    return found


@dataclass(frozen=True)
class SlowDisks:
    """Those of several disks that are slowest by themselves, and the evidence for it."""

    disks: Sequence[str]
    reason: Reason

    @property
    def name(self) -> str:
        """The disks in words."""
        return _disks(self.disks)


def _disks(names: Sequence[str]) -> str:
    return f"the disk{'' if len(names) == 1 else 's'} {words.listed(names)}"


def slow_disks(run: RunRecord, leg: PathLeg | None, limit: Limit) -> SlowDisks | None:
    """Return the disks that are slowest in a leg by itself; None if all are alike.

    Those within `CO_LIMIT` of the slowest count as slow, too.
    """
    if leg is None or limit not in ("source_disk", "sink_disk"):
        return None
    sites = run.sites[limit == "sink_disk" :: 2]
    rates: dict[str, list[float]] = {}
    for trial in leg.trials:
        reached = [one.durable_bytes_per_s or one.application_bytes_per_s for one in trial.pairs]
        of_disk: dict[str, float] = {}
        for site, rate in zip(sites, reached, strict=False):
            of_disk[site.name] = of_disk.get(site.name, 0.0) + (rate or 0.0)
        if None not in reached:
            for name, rate in of_disk.items():
                rates.setdefault(name, []).append(rate)
    means = {name: fmean(of_disk) for name, of_disk in rates.items()}
    slowest = min(means.values(), default=0.0)
    slow = [name for name, mean in means.items() if mean <= slowest * (1 + CO_LIMIT)]
    if len(slow) == len(means):
        return None
    next_rate = min(mean for name, mean in means.items() if name not in slow)
    reach = "itself reaches" if len(slow) == 1 else "themselves reach"
    said = (
        f"{words.capital(_disks(slow))} by {reach} {words.rate(slowest)}, any other one "
        f"{words.rate(next_rate)} or more: the slowest pair decides when all data is durable."
    )
    figures = {"slowest_bytes_per_s": slowest, "next_bytes_per_s": next_rate}
    return SlowDisks(slow, Reason("uneven_disks", said, figures))


def of_several(found: Bottleneck, names: Names, slow: SlowDisks | None = None) -> Bottleneck:
    """Return a conclusion in words for several pairs; of uneven disks it names the slow ones."""
    if not names:
        return found
    sentence, evidence = found.sentence, list(found.evidence)
    named = dict(names)
    if slow is not None:
        named[found.limit] = slow.name
        evidence.append(slow.reason)
    if found.rule != "pairs_differ":  # its sentence is about each pair
        for limit, name in named.items():
            is_one = slow is not None and limit == found.limit and len(slow.disks) == 1
            verb = "limits" if is_one else "limit"
            one = words.capital(LIMITS[limit])
            sentence = sentence.replace(f"{one} limits", f"{words.capital(name)} {verb}")
            sentence = _in_words(sentence, limit, name)
    for limit, name in names.items():
        evidence = [
            replace(reason, message=_in_words(reason.message, limit, name))
            if reason.code in _OF_ALL
            else reason
            for reason in evidence
        ]
    limits: list[Limit] = [one for one in (found.limit, *found.others) if one != "undetermined"]
    return replace(
        found,
        sentence=sentence,
        evidence=evidence,
        names=[named.get(limit, LIMITS[limit]) for limit in limits],
    )


def _in_words(text: str, limit: Limit, name: str) -> str:
    one = LIMITS[limit]
    return text.replace(one, name).replace(words.capital(one), words.capital(name))


_OF_ALL = frozenset({"expected", "part", "bounded_part", "equal_parts"})
"""The evidence about all pairs together."""
