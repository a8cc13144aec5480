"""A sustained test as text for a terminal, from the API's JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.base import words
from assay.base.worded import plain
from assay.kinds.headline import sentences
from assay.kinds.pictures import mean_bars
from assay.kinds.result import Report
from assay.kinds.sustained.modes import mode_words

_CARRIED = {"yes": "yes", "no": "no", "undecided": "undecided", "not_tested": "not tested"}

_RATES = {
    "write": ("durable", "application"),
    "read": ("application",),
    "mixed": ("application",),
    "both": ("durable", "application"),
}


def trial_words(parameters: Mapping[str, Any]) -> str:
    """Format a trial's parameters, such as `800 kB blocks at 125 MB/s`."""
    said = f"{words.block(parameters['block'])} blocks"
    if (depth := parameters.get("queue_depth", 1)) > 1:
        said += f", queue depth {depth}"
    if rate := parameters["rate_bytes_per_s"]:
        said += f" at {words.rate(rate)}"
    if burst := parameters["burst_blocks"]:
        said += f" in bursts of {burst}"
    if idle_ms := parameters.get("idle_ms"):
        said += f" after {words.span(idle_ms * 10**6)} of rest"
    return ", ".join(filter(None, (said, mode_words(parameters))))


def report(result: Mapping[str, Any]) -> Report:
    """Format a row per cell, the headline, the rates that are carried and the limitations."""
    leading = [cell for cell in result["cells"] if cell["key"] == result["leading_cell"]]
    both = result["operation"] == "both"
    random = result["access"] == "random"
    rates = _RATES[result["operation"]]
    compared = _compared(result["cells"])
    bases = list(compared.values())
    return Report(
        title=f"Sustained {_kind(result)}, MB/s",
        columns=(
            "cell",
            *(("IOPS",) if random else ()),
            *rates,
            *([f"÷ {bases[0]}" if len(bases) == 1 else "ratio"] if bases else ()),
            "peak" if result["operation"] in ("both", "mixed") else f"peak {result['operation']}",
            "repeats",
        ),
        rows=[
            _row(cell, rates, both=both, random=random, bases=compared) for cell in result["cells"]
        ],
        sentences=[
            *sentences(result["headline"]),
            *(
                f"{cell['operation'].capitalize()}s: {sentence}" if both else sentence
                for cell in leading
                for sentence in (*_carry(cell["carry"]), *_steady(cell))
            ),
            *([plain(result["recovery"]["words"])] if result["recovery"] else ()),
            *(
                plain(warning["message"])
                for warning in result["warnings"]
                if not _is_said(warning, result)
            ),
        ],
        pictures=[
            picture
            for rate in rates
            for picture in mean_bars(
                f"{words.capital(rate)} rate of each cell",
                [(_cell_words(cell, both=both), cell[rate]) for cell in result["cells"]],
            )
        ],
    )


def _steady(cell: Mapping[str, Any]) -> Iterator[str]:
    """Yield whether the shown trial conforms to SNIA's method, if it was judged by its rule."""
    trial = next((t for t in cell["trials"] if t["id"] == cell["shown_trial_id"]), None)
    found = trial and trial["conformance"]
    if not trial or not found:
        return
    if found["conformant"]:
        size = words.size(trial["footprint_bytes"])
        yield f"SNIA-conformant within the test files of {size}; an operator declared the purge."
    else:
        yield f"SNIA-style, not conformant: {', '.join(found['reasons'])}."


def _is_said(warning: Mapping[str, Any], result: Mapping[str, Any]) -> bool:
    """Return whether the headline says it: it names the levels of a single cell."""
    headline = result["headline"]
    named = headline and headline["figure"] and headline["figure"]["levels"]
    return warning["code"] == "cliff" and len(result["cells"]) == 1 and named is not None


def _kind(result: Mapping[str, Any]) -> str:
    """Format what a test does: `random read`, `write and read`."""
    if result["operation"] == "mixed":
        return f"random read and write ({result['read_percent']} % reads)"
    done = "write and read" if result["operation"] == "both" else result["operation"]
    return f"random {done}" if result["access"] == "random" else done


def _compared(cells: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the modes with which others are compared, as words by the keys of their cells."""
    keys = {cell["contrast"]["cell"] for cell in cells if cell["contrast"]}
    return {cell["key"]: mode_words(cell["mode"]) for cell in cells if cell["key"] in keys}


def _row(
    cell: Mapping[str, Any],
    rates: Sequence[str],
    *,
    both: bool,
    random: bool,
    bases: Mapping[str, str],
) -> Sequence[str]:
    peak = cell["peak_ns"]
    return (
        _cell_words(cell, both=both),
        *((words.frequency(cell["iops"]["mean"]) if cell["iops"] else "",) if random else ()),
        *(_mean(cell[rate]) for rate in rates),
        *([_ratio(cell["contrast"], bases)] if bases else ()),
        words.duration(peak) if peak is not None else "",
        plain(cell["repeats"]),
    )


def _cell_words(cell: Mapping[str, Any], *, both: bool) -> str:
    """Format what tells a cell apart; with its operation, if a run has both."""
    own = {"block": cell["block"]} | {
        name: cell[name] or 0
        for name in ("queue_depth", "rate_bytes_per_s", "burst_blocks", "idle_ms")
    }
    if cell.get("paced_apart"):
        own |= {"rate_bytes_per_s": cell["offered_bytes_per_s"] or 0, "burst_blocks": 0}
    own |= cell["mode"]
    return f"{cell['operation']}s, {trial_words(own)}" if both else trial_words(own)


def _mean(stat: Mapping[str, Any] | None) -> str:
    return words.figure(stat["mean"] / 1e6) if stat else ""


def _ratio(contrast: Mapping[str, Any] | None, bases: Mapping[str, str]) -> str:
    """Format a ratio, to what if that differs, and whether noise explains it; empty without one."""
    if contrast is None:
        return ""
    few = "too few repeats" if contrast["too_few_repeats"] else "within noise"
    doubt = "" if contrast["significant"] else f" ({few})"
    to = f" to {bases[contrast['cell']]}" if len(bases) > 1 else ""
    return f"{words.figure(contrast['ratio'])}{to}{doubt}"


def _carry(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Format the lines' rates; those of cameras are in the result."""
    found: list[str] = []
    for row in rows:
        if row["basis"] == "video":
            continue
        said = _CARRIED.get(row["carried"], "")
        if row["why"]:
            said += f" ({row['why']})"
        if row["carried"] == "buffered":
            said = f"yes, with a buffer of {plain(row['buffer_words'])}"
        margin = f", margin {row['margin_words']}" if row["margin_words"] else ""
        if row["aggregate_margin_words"]:
            margin += f" spread evenly, {row['aggregate_margin_words']} of all together"
        found.append(f"{row['label']} ({words.rate(row['bytes_per_s'])}): {said}{margin}.")
    return found
