"""The metrics of a path test: rates of its legs, efficiency, and what the network did."""

from collections.abc import Callable
from functools import partial
from typing import Any

from assay.base.words import block as block_words
from assay.kinds.metrics import TIME, Argument, Arguments, Metric
from assay.kinds.path.fields import LEGS, Leg
from assay.kinds.path.readings import (
    choices,
    efficiency,
    files_rate,
    leg_rate,
    path_rate,
    slowest_call,
    spread,
    worst,
    wrong_blocks,
)

SETTING = (
    Argument("block", "size", "Block size of the setting", of_cell=lambda cell: cell.block),
    Argument("streams", "count", "Streams of the setting", of_cell=lambda cell: cell.streams),
)

_BEST = "of the fastest setting, or of the one that is named"


def _for(*legs: Leg, every: bool = False) -> Callable[[Any, Arguments], str | None]:
    """Return a rule about tests: they have one of these legs, or `every` one, and the setting."""

    def unavailable(test: Any, arguments: Arguments) -> str | None:
        missing: list[Leg] = [leg for leg in legs if leg not in test.legs]
        if missing and (every or len(missing) == len(legs)):
            return f"it does not measure {LEGS[missing[0]].lower()}"
        for name, axis in (("block", test.block), ("streams", test.streams)):
            if name in arguments and arguments[name] not in axis:
                blocks = ", ".join(block_words(one) for one in test.block)
                streams = ", ".join(map(str, test.streams))
                return f"it has no such setting: its blocks are {blocks}, its streams {streams}"
        return None

    return unavailable


def _small(*legs: Leg) -> Callable[[Any, Arguments], str | None]:
    """Return a rule about tests: they move small files, in one of these legs."""
    moving = _for(*legs)

    def unavailable(test: Any, arguments: Arguments) -> str | None:
        if not test.small_files:
            return "it moves no small files: set `small_files`"
        return moving(test, arguments)

    return unavailable


_metric = partial(Metric, arguments=SETTING, choices=choices)
"""A metric of the fastest setting; with `choices` None, of all of them."""

_READING_FILES: tuple[Leg, ...] = ("disk", "disk_to_memory")
_WRITING_FILES: tuple[Leg, ...] = ("disk", "memory_to_disk")
_MOVING_FILES: tuple[Leg, ...] = ("disk", "memory_to_disk", "disk_to_memory")
_MOVING: tuple[Leg, ...] = ("disk", "memory_to_disk", "disk_to_memory", "memory")

METRICS: tuple[Metric, ...] = (
    _metric(
        "path.rate",
        "rate of the transfer",
        "rate",
        "durability",
        "Mean over the repeats of the receiver's bytes per second, up to the end of the final sync "
        f"if the sink is a disk, {_BEST}. Of several pairs it is the rate of all together: in the "
        "time in which all of them move data, or up to the last sync.",
        "A path test with a transfer.",
        _for(*_MOVING),
        path_rate,
        sense="rate",
    ),
    _metric(
        "path.efficiency",
        "efficiency of the transfer",
        "share",
        "application",
        "Rate of the transfer ÷ that of its slowest part by itself; for a disk that source and "
        f"sink share, ÷ the rate at which it reads and writes each byte, {_BEST}.",
        "A path test with the transfer and all of its parts.",
        _for("read", "memory", "write", "disk", every=True),
        efficiency,
        sense="rate",
    ),
    *(
        _metric(
            f"leg.{leg}.rate",
            f"rate of the leg {leg.replace('_', ' ')}",
            "rate",
            "durability",
            f"Mean over the repeats of {LEGS[leg].lower()}, durable if it writes a disk, with the "
            "fastest setting, or the one that is named.",
            f"A path test with the leg {leg}.",
            _for(leg),
            leg_rate(leg, "device" if leg == "read" else "durability"),
            sense="rate",
        )
        for leg in LEGS
    ),
    _metric(
        "path.cv",
        "variation of the transfer between repeats",
        "share",
        "application",
        f"Standard deviation ÷ mean of the rates of the repeats of the transfer, {_BEST}.",
        "A path test with a transfer and two or more repeats.",
        _for(*_MOVING),
        spread,
        sense="pattern",
    ),
    _metric(
        "path.retransmitted",
        "share of data that was sent again",
        "share",
        "application",
        "Largest share of retransmitted bytes among the trials that use the network, and their "
        "pairs.",
        "A path test with a transfer.",
        _for(*_MOVING),
        worst("retransmitted", "pattern"),
        choices=None,
        sense="pattern",
    ),
    _metric(
        "path.rtt",
        "round-trip time under load",
        "duration",
        "application",
        "Largest median of the streams' smoothed round-trip times at the end of a trial, among the "
        "trials that use the network, and their pairs.",
        "A path test with a transfer.",
        _for(*_MOVING),
        worst("rtt_load_ns", "pattern"),
        choices=None,
        possible=TIME,
        sense="pattern",
    ),
    _metric(
        "path.wrong_blocks",
        "number of blocks that did not arrive as sent",
        "count",
        "application",
        "Blocks with a wrong CRC32C in all transfers of the run; one more if digests differ.",
        "A path test with a transfer.",
        _for(*_MOVING),
        wrong_blocks,
        choices=None,
        sense="defects",
    ),
    _metric(
        "path.files_per_s",
        "small files per second of the transfer",
        "frequency",
        "application",
        "Mean over the repeats of the small files ÷ the time in which the transfer moved them and "
        f"the large ones, with the final sync if the sink is a disk, {_BEST}.",
        "A path test with a transfer of small files.",
        _small(*_MOVING_FILES),
        files_rate,
        sense="rate",
    ),
    *(
        _metric(
            f"path.{name}.p99",
            f"99th percentile of the time to {verb} a small file at the {place}",
            "duration",
            "application",
            f"Largest 99th percentile of the calls that {verb} small files at the {place}, among "
            "the transfers' trials and their pairs.",
            "A path test with a transfer of 100 small files or more.",
            _small(*legs),
            slowest_call(side, call),
            possible=TIME,
            sense="latency",
        )
        for name, verb, place, legs, side, call in (
            ("open", "open", "source", _READING_FILES, "sender", "open"),
            ("create", "create", "sink", _WRITING_FILES, "receiver", "open"),
            ("close", "close", "sink", _WRITING_FILES, "receiver", "close"),
        )
    ),
)
