"""Tool tests as text: the parameters of a trial, and a result for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from assay.base import words
from assay.base.worded import plain
from assay.kinds.headline import sentences
from assay.kinds.pictures import mean_bars
from assay.kinds.result import Report


def trial_words(parameters: Mapping[str, Any]) -> str:
    """Format a trial's tool and input: `rsync, 100 files of 10 MB`."""
    return f"{parameters['tool']}, {input_words(parameters)}"


def input_words(cell: Mapping[str, Any]) -> str:
    """Format the input of a trial or cell."""
    if cell["files"]:
        return f"{words.count(cell['files'], 'file')} of {_each(cell)} together"
    if cell["records"]:
        return f"{cell['records']} records of {cell['record_bytes']} B"
    return "data of its own"


def _each(cell: Mapping[str, Any]) -> str:
    return words.size(cell["length_bytes"])


def report(result: Mapping[str, Any]) -> Report:
    """Format a result: a row for each tool, then what each did wrong."""
    rows = [
        (
            f"{cell['tool']}, {input_words(cell)}",
            words.rate(cell["bytes_per_s"]["mean"]) if cell["bytes_per_s"] else "-",
            cell["rate"],
            words.figure(cell["cpu_s_per_gb"]) if cell["cpu_s_per_gb"] is not None else "-",
            *(words.grouped(cell[name]) if cell[name] is not None else "-" for name in _COUNTS),
            plain(cell["repeats"]),
        )
        for cell in result["cells"]
    ]
    columns = ("tool", "mean", "rate", "CPU s/GB", *_COUNTS, "repeats")
    bars = [(cell["title"], cell["bytes_per_s"]) for cell in result["cells"]]
    pictures = mean_bars("Mean rate of each tool", bars)
    return Report("tool", columns, rows, list(dict.fromkeys(_sentences(result))), pictures)


_COUNTS = ("lost", "wrong", "duplicate")


def _sentences(result: Mapping[str, Any]) -> Iterator[str]:
    yield from sentences(result["headline"])
    for cell in result["cells"]:
        for trial in cell["trials"]:
            name = f"{cell['title']}, repeat {trial['repeat']}"
            if trial["status"] == "failed":
                yield f"{name} failed: {trial['reason']}."
            for flag in trial["flags"]:
                yield f"{name}: {plain(flag['evidence'])}"
    for one in result["warnings"]:
        yield plain(one["message"])
