"""The warnings of a path test's estimate."""

from collections.abc import Iterator

from assay.analysis.words import size as bytes_in_words
from assay.kinds.path import devices
from assay.kinds.path.fields import LEGS, READING, TRANSFERS, WRITING, Leg
from assay.kinds.path.planned import PathPlan, inodes
from assay.kinds.planning import Caution

CAUTIONS = frozenset(
    {
        "transfer_on_one_host",
        "transfer_on_one_device",
        "direct_not_real",
        "fits_in_memory",
        "served_by_unknown",
        "no_bottleneck",
        "small_files",
    }
).union(devices.CAUTIONS)
"""The codes of the warnings."""


def _of_small_files(run: PathPlan) -> Iterator[Caution]:
    """Yield what small files need, and that direct I/O does not apply to them."""
    test, legs = run.test, run.test.legs
    if not test.small_files:
        return
    ends = ((run.source, READING, run.pairs_at[0]), (run.sink, WRITING, run.pairs_at[1]))
    needed = " and ".join(
        f"{pairs * inodes(test):,} inodes at {place.name}"
        for place, used, pairs in ends
        if not place.is_memory and any(leg in used for leg in legs)
    )
    size = bytes_in_words(test.small_file_bytes)
    yield Caution(
        "small_files",
        f"{run.title} moves {test.small_files:,} small files of {size} "
        f"({bytes_in_words(test.small_files * test.small_file_bytes)}) in each trial that uses a "
        f"disk, which needs {needed}. Small files use the page cache at both ends.",
    )


def cautions(run: PathPlan) -> Iterator[Caution]:
    """Yield all warnings."""
    yield from _of_small_files(run)
    source, sink, legs = run.source, run.sink, run.test.legs
    moving = any(leg in TRANSFERS for leg in legs)
    if moving and not run.turned and source.machine == sink.machine:
        yield Caution(
            "transfer_on_one_host",
            f"Source and sink are both on {source.host_name}: the transfer uses the loopback "
            "interface and no network card, and both ends share the CPUs.",
        )
    shared = {one for one in source.needs if one.startswith("device:")} & sink.needs.keys()
    if shared and not run.turned and {"disk"} & set(legs):
        device = source.needs[min(shared)]
        yield Caution(
            "transfer_on_one_device",
            f"{source.name} and {sink.name} share {device}: each byte is read and written there.",
        )
    ends = (
        (source, run.source_cache, run.test.source_cache, READING, "reads"),
        (sink, run.sink_cache, run.test.sink_cache, WRITING, "writes"),
    )
    for (place, cache, asked, used, moves), pairs in zip(ends, run.pairs_at, strict=True):
        if place.is_memory or not any(leg in used for leg in legs):
            continue
        if asked == "direct_if_real" and cache == "page":
            yield place.caution(
                "direct_not_real",
                f"{run.title} uses the page cache at ",
                f": O_DIRECT is not supported there ({place.direct}).",
            )
        size = pairs * run.file_size
        if cache == "page" and place.ram and size < place.ram:
            yield place.caution(
                "fits_in_memory",
                f"{run.title} {moves} {bytes_in_words(size)} at ",
                f", which fits in the memory of {place.host_name} ({bytes_in_words(place.ram)}).",
            )
        yield from devices.cautions(run.test.threads_per_device, place)
        if not place.provable:
            yield place.caution(
                "served_by_unknown",
                "",
                f" is {place.fs_type}: nothing on the host shows whether data came "
                "from the storage.",
            )
    parts: tuple[Leg, ...] = ("read", "memory", "write")
    missing: list[Leg] = [leg for leg in parts if leg not in legs]
    if "disk" in legs and missing:
        *others, last = (LEGS[leg].lower() for leg in missing)
        names = f"{', '.join(others)} and {last}" if others else last
        yield Caution(
            "no_bottleneck",
            f"The test {run.title} does not also measure {names}: what limits the transfer can be "
            "named only where the transfer's own evidence is clear.",
        )
