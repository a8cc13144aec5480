"""A sustained test as text for a terminal, from the API's JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.analysis import words
from assay.kinds.levels import held_words
from assay.kinds.pictures import mean_bars
from assay.kinds.result import Report
from assay.kinds.selected import selected_words
from assay.kinds.sustained.modes import mode_words

_CARRIED = {"yes": "yes", "no": "no", "undecided": "undecided", "not_tested": "not tested"}

REASONS = {
    "above_offered": "above the offered rate",
    "page_cache": "the page cache served it",
    "interrupted": "the trial was interrupted",
    "short_overlap": "the participants overlapped too little",
    "not_recorded": "no simulated queue",
    "not_drained": "the queue of a stream was not empty at the end",
}
"""Why a rate was not tested, or is undecided."""

_DURABLE = {"durable": " durable"}

_TIMES = {
    "write": "write time",
    "read": "read time",
    "mixed": "operation time",
    "both": "write time",
}

_RATES = {
    "write": ("durable", "application"),
    "read": ("application",),
    "mixed": ("application",),
    "both": ("durable", "application"),
}

_WHY_NOTHING = {
    "suspended": "the probe was suspended",
    "starved": "the probe did not get enough CPU time",
    "contended": "the storage was busy with other I/O",
    "too_short": "the trial was too short",
    "short_overlap": "the participants barely overlapped",
}


def trial_words(parameters: Mapping[str, Any]) -> str:
    """Format a trial's parameters, such as `800 kB blocks at 125 MB/s`."""
    said = f"{words.size(parameters['block'])} blocks"
    if (depth := parameters.get("queue_depth", 1)) > 1:
        said += f", queue depth {depth}"
    if rate := parameters["rate_bytes_per_s"]:
        said += f" at {words.rate(rate)}"
    if burst := parameters["burst_blocks"]:
        said += f" in bursts of {burst}"
    if idle_ms := parameters.get("idle_ms"):
        said += f" after {words.duration(idle_ms * 10**6)} of rest"
    return ", ".join(filter(None, (said, mode_words(parameters))))


def report(result: Mapping[str, Any]) -> Report:
    """Format a row per cell, the headline, the rates that are carried and the limitations."""
    headline = [f"{headline_words(result['headline'])}."] if result["headline"] else []
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
            *headline,
            *selected_words(result["headline"]),
            *(
                f"{cell['operation'].capitalize()}s: {sentence}" if both else sentence
                for cell in leading
                for sentence in (*_carry(cell["carry"]), *_steady(cell))
            ),
            *([recovery_words(result["recovery"])] if result["recovery"] else ()),
            *(
                warning["message"]
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


def recovery_words(found: Mapping[str, Any]) -> str:
    """Format how long the storage must rest after a cliff."""
    within, beyond = found["within_ns"], found["beyond_ns"]
    again = (
        f"the {words.size(found['fast_bytes'])} that it took at "
        f"{words.rate(found['fast_bytes_per_s'])}"
    )
    if within is not None:
        but = f"; {words.duration(beyond)} were not enough" if beyond is not None else ""
        return f"Recovers within {words.duration(within)}, up to {again}{but}."
    if beyond is not None:
        return f"Did not recover within {words.duration(beyond)}, up to {again}."
    return "Whether it recovers is not known: no rest followed a full cache."


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
        *((f"{cell['iops']['mean']:.0f}" if cell["iops"] else "",) if random else ()),
        *(_mean(cell[rate]) for rate in rates),
        *([_ratio(cell["contrast"], bases)] if bases else ()),
        words.duration(peak) if peak is not None else "",
        f"{cell['repeats_done']} of {cell['repeats_total']}",
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
    return f"{stat['mean'] / 1e6:.1f}" if stat else ""


def _ratio(contrast: Mapping[str, Any] | None, bases: Mapping[str, str]) -> str:
    """Format a ratio, to what if that differs, and whether noise explains it; empty without one."""
    if contrast is None:
        return ""
    few = "too few repeats" if contrast["too_few_repeats"] else "within noise"
    doubt = "" if contrast["significant"] else f" ({few})"
    to = f" to {bases[contrast['cell']]}" if len(bases) > 1 else ""
    return f"{words.figure(contrast['ratio'])}{to}{doubt}"


def headline_words(headline: Mapping[str, Any]) -> str:
    """Format a headline without a full stop, or why there is none."""
    figure = headline["figure"]
    if figure is None:
        return f"No result: {_WHY_NOTHING[headline['no_result']]}"
    participants = headline["participants"]
    if headline["access"] == "random" and headline["operation"] != "both":
        return _random_words(headline)
    if headline["operation"] == "both":
        reads = headline["reads"]
        playout = _figure_words(reads, "", participants) if reads else "no reliable result"
        durable = _DURABLE.get(figure["rate"], "")
        ingest = _figure_words(figure, durable, participants, _spot(headline))
        return f"Ingest {ingest}; playout {playout}"
    rate = " read" if headline["operation"] == "read" else _DURABLE.get(figure["rate"], "")
    return _figure_words(figure, rate, participants, _spot(headline))


def _random_words(headline: Mapping[str, Any]) -> str:
    """Format the headline of random access: `12300 IOPS (50.4 MB/s) random read of …`."""
    figure = headline["figure"]
    parts = [f"{_kind(headline)} of {_block(figure['block'])} blocks"]
    if figure["queue_depth"] > 1:
        parts[0] += f" at queue depth {figure['queue_depth']}"
    if figure["working_set_bytes"]:
        parts[0] += f" over a working set of {words.size(figure['working_set_bytes'])}"
    parts += filter(None, [mode_words(figure["mode"])])
    if figure["levels"]:
        parts[0] = f"{held_words(figure['levels']['held'])} {parts[0]}"
    else:
        rate = f"{words.rate(figure['bytes_per_s'])}{_DURABLE.get(figure['rate'], '')}"
        parts[0] = f"{words.iops(figure['iops'])} ({rate}) {parts[0]}"
        parts += _latencies(figure)
        if within := figure["no_cliff_within_bytes"]:
            parts.append(f"no cliff within {words.size(within)}")
    sentence = ", ".join(parts) + _spot(headline)
    if figure["served_by"] == "page_cache":
        return f"Served by the page cache: {sentence}"
    return sentence


def _block(size: int) -> str:
    """Format a block size in binary units if it is a multiple of them."""
    return words.size(size) if size % 1024 else words.block(size)


def _latencies(figure: Mapping[str, Any]) -> list[str]:
    """Format the p99 latency; of a mixed test the IOPS and the p99 of both directions."""
    if not figure["directions"]:
        return [f"p99 {words.duration(figure['p99_ns'])}"] if figure["p99_ns"] is not None else []
    return [
        f"{one['operation']}s {words.iops(one['iops'])}"
        + (f" with p99 {words.duration(one['p99_ns'])}" if one["p99_ns"] is not None else "")
        for one in figure["directions"]
        if one["iops"] is not None
    ]


def _figure_words(figure: Mapping[str, Any], rate: str, participants: int, spot: str = "") -> str:
    """Format a rate or levels; `rate` is the word that names the rate."""
    levels, mode = figure["levels"], mode_words(figure["mode"])
    if levels:
        reached = ", ".join(filter(None, (f"{held_words(levels['held'])}{rate}", mode)))
    else:
        reached = f"{words.rate(figure['bytes_per_s'])}{rate} over {words.size(figure['bytes'])}"
        reached += f", {mode}" if mode else ""
        if within := figure["no_cliff_within_bytes"]:
            reached += f", no cliff within {words.size(within)}"
        if shape := figure["shape"]:
            reached += f", {_shape(shape)}"
    sentence = f"{reached}{_highest(figure['carried'], participants)}{spot}"
    if figure["served_by"] == "page_cache":
        return f"Served by the page cache: {sentence}"
    return sentence


def _shape(shape: Mapping[str, Any]) -> str:
    """Format a shape: `a steady decline by 40 % of the mean`."""
    change = words.percent(abs(shape["change"]))
    if shape["shape"] == "sawtooth":
        return f"a sawtooth of {change} of the mean every {words.duration(shape['period_ns'])}"
    return f"a steady {shape['shape']} by {change} of the mean"


def _highest(carried: Mapping[str, Any] | None, participants: int) -> str:
    if carried is None:
        return ""
    buffer = carried["buffer_bytes"]
    evenly = " spread evenly" if participants > 1 else ""
    return f"; carries {carried['label']}{evenly}" + (
        f" with {words.size(buffer)} of buffer" if buffer else ""
    )


def _spot(headline: Mapping[str, Any]) -> str:
    spot, operation = headline["sweet_spot"], headline["operation"]
    if spot is None:
        return ""
    rate, depth = words.rate(spot["bytes_per_s"]), ""
    if spot["queue_depth"] > 1 and spot["iops"] is not None:
        depth = f"{words.iops(spot['iops'])} at queue depth {spot['queue_depth']}"
    if cell := ", ".join(filter(None, (depth, mode_words(spot["mode"])))):
        rate += f" ({cell})"
    return (
        f"; sweet spot: {rate} with a peak {_TIMES[operation]} of {words.duration(spot['peak_ns'])}"
    )


def _carry(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Format the lines' rates; those of cameras are in the result."""
    found: list[str] = []
    for row in rows:
        if row["basis"] == "video":
            continue
        said = _CARRIED.get(row["carried"], "")
        if row["reason"]:
            said += f" ({REASONS[row['reason']]})"
        if row["carried"] == "buffered":
            least, most = row["buffer_least_bytes"], row["buffer_most_bytes"]
            need = words.size(least) if most == least else f"at least {words.size(least)}"
            said = f"yes with {need} of buffer"
        margin = f", margin {100 * row['margin']:.0f} %" if row["margin"] is not None else ""
        if row["aggregate_margin"] is not None:
            margin += f" spread evenly, {100 * row['aggregate_margin']:.0f} % of all together"
        found.append(f"{row['label']} ({words.rate(row['bytes_per_s'])}): {said}{margin}.")
    return found
