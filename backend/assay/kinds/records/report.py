"""Records tests as text: the parameters of a trial, and a result for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from assay.base import words
from assay.base.worded import plain
from assay.kinds.headline import sentences
from assay.kinds.levels import held_words
from assay.kinds.pictures import mean_bars
from assay.kinds.result import Report


def trial_words(parameters: Mapping[str, Any]) -> str:
    """Format a trial's record length: `Records of 4 KiB`."""
    return f"Records of {words.block(parameters['record_bytes'])}"


def report(result: Mapping[str, Any]) -> Report:
    """Format a result: a row for each record length, then what limits it and what was lost."""
    rows = [
        (
            words.block(cell["record_bytes"]),
            _per_s(cell),
            _payload(cell),
            words.figure(cell["expansion"]) if cell["expansion"] else "-",
            "-" if cell["lost"] is None else words.grouped(cell["lost"]),
            plain(cell["repeats"]),
        )
        for cell in result["cells"]
    ]
    columns = ("record", "records/s", "payload", "expansion", "lost", "repeats")
    bars = [(words.block(cell["record_bytes"]), cell["bytes_per_s"]) for cell in result["cells"]]
    pictures = mean_bars("Mean payload rate of each record length", bars)
    return Report("records", columns, rows, list(dict.fromkeys(_sentences(result))), pictures)


def _per_s(cell: Mapping[str, Any]) -> str:
    if levels := cell["levels"]:
        each = (words.frequency(one["bytes_per_s"] / cell["record_bytes"]) for one in levels)
        return ", then ".join(each)
    stat = cell["records_per_s"]
    return words.frequency(stat["mean"]) if stat else "-"


def _payload(cell: Mapping[str, Any]) -> str:
    if levels := cell["levels"]:
        return held_words(levels)
    stat = cell["bytes_per_s"]
    return words.rate(stat["mean"]) if stat else "-"


def _sentences(result: Mapping[str, Any]) -> Iterator[str]:
    yield from sentences(result["headline"])
    for cell in result["cells"]:
        of = f"Records of {words.block(cell['record_bytes'])}"
        if limited := cell["bottleneck"]:
            yield f"{of}: {limited['sentence']}"
            yield from (f"{of}: {plain(one['message'])}" for one in limited["evidence"])
        if cell["latency"]:
            points = {one["share"]: one["ns"] for one in cell["latency"]}
            said = [f"p{100 * share:g} {words.duration(ns)}" for share, ns in points.items()]
            yield f"{of}: latency from the due time {', '.join(said)}."
        for trial in cell["trials"]:
            yield from (f"{of}: {plain(flag['evidence'])}" for flag in trial["flags"])
    yield from (plain(one["message"]) for one in result["warnings"])
