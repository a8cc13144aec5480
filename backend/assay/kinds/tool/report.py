"""Tool tests as text: the parameters of a trial, and a result for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from assay.analysis import words
from assay.kinds.pictures import mean_bars
from assay.kinds.result import Report
from assay.kinds.selected import selected_words

NO_RESULT = {
    "data_lost": "no tool delivered everything",
    "unreliable": "no trial is reliable",
    "not_measured": "no trial was measured",
}


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
            *(str(cell[name]) if cell[name] is not None else "-" for name in _COUNTS),
            f"{cell['repeats_done']} of {cell['repeats_total']}",
        )
        for cell in result["cells"]
    ]
    columns = ("tool", "mean", "rate", "CPU s/GB", *_COUNTS, "repeats")
    bars = [(cell["title"], cell["bytes_per_s"]) for cell in result["cells"]]
    pictures = mean_bars("Mean rate of each tool", bars)
    return Report("tool", columns, rows, list(dict.fromkeys(_sentences(result))), pictures)


_COUNTS = ("lost", "wrong", "duplicate")


def _sentences(result: Mapping[str, Any]) -> Iterator[str]:
    headline = result["headline"]
    if headline and headline["no_result"]:
        yield f"No rate: {NO_RESULT[headline['no_result']]}."
    elif headline:
        rate = words.rate(headline["bytes_per_s"])
        if headline["of_tools"] > 1:
            yield f"{headline['title']} is the fastest of {headline['of_tools']} tools: {rate}."
        else:
            yield f"{headline['title']}: {rate}."
        yield from selected_words(headline)
    for cell in result["cells"]:
        for trial in cell["trials"]:
            name = f"{cell['title']}, repeat {trial['repeat']}"
            if trial["status"] == "failed":
                yield f"{name} failed: {trial['reason']}."
            for flag in trial["flags"]:
                yield f"{name}: {flag['evidence']}"
    for one in result["warnings"]:
        yield one["message"]
