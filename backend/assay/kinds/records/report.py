"""Records tests as text: the parameters of a trial, and a result for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from assay.analysis import words
from assay.kinds.levels import held_words
from assay.kinds.pictures import mean_bars
from assay.kinds.records.fields import FORMATS
from assay.kinds.result import Report
from assay.kinds.selected import selected_words

NO_RATE = {
    "wrong_records": "records did not arrive and stay as they were sent",
    "unreliable": "no trial is reliable",
    "not_measured": "no trial was measured",
}


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
            f"{cell['expansion']:.3g}" if cell["expansion"] else "-",
            "-" if cell["lost"] is None else f"{cell['lost']:,}",
            f"{cell['repeats_done']} of {cell['repeats_total']}",
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
    headline = result["headline"]
    if headline and headline["no_result"]:
        yield f"No rate: {NO_RATE[headline['no_result']]}."
    elif headline:
        where = "a file" if headline["sink"] == "disk" else "memory"
        levels = headline["levels"]
        reached = held_words(levels) if levels else words.rate(headline["bytes_per_s"])
        yield (
            f"{words.capital(words.count(headline['senders'], 'sender'))} to {where}, "
            f"{FORMATS[headline['format']]}: {reached} of payload in "
            f"records of {words.block(headline['record_bytes'])}."
        )
        yield from selected_words(headline)
    for cell in result["cells"]:
        of = f"Records of {words.block(cell['record_bytes'])}"
        if limited := cell["bottleneck"]:
            yield f"{of}: {limited['sentence']}"
            yield from (f"{of}: {one['message']}" for one in limited["evidence"])
        if cell["latency"]:
            points = {one["share"]: one["ns"] for one in cell["latency"]}
            said = [f"p{100 * share:g} {words.duration(ns)}" for share, ns in points.items()]
            yield f"{of}: latency from the due time {', '.join(said)}."
        for trial in cell["trials"]:
            yield from (f"{of}: {flag['evidence']}" for flag in trial["flags"])
    yield from (one["message"] for one in result["warnings"])
