"""A matrix as text for a terminal, from the API's JSON."""

from collections.abc import Mapping
from typing import Any

from assay.analysis import words
from assay.kinds.levels import held_words
from assay.kinds.pictures import RateGrid
from assay.kinds.result import Report
from assay.kinds.selected import selected_words


def trial_words(parameters: Mapping[str, Any]) -> str:
    """Format a trial's setting, such as `256 KiB × 2`."""
    return f"{words.block(parameters['block'])} × {parameters['threads']}"


def report(result: Mapping[str, Any]) -> Report:
    """Format the mean rates (a row per block, a column per thread count) and the limitations."""
    rate, axes = result["rates"][0], result["axes"]
    cells = {(cell["block"], cell["threads"]): cell[rate] for cell in result["cells"]}
    headline = [headline_words(result["headline"])] if result["headline"] else []
    return Report(
        title=f"{rate} rate, MB/s (* is the best)",
        columns=["block", *(f"{n} thread{'' if n == 1 else 's'}" for n in axes["threads"])],
        rows=[
            [words.block(block), *(_cell(cells.get((block, n))) for n in axes["threads"])]
            for block in axes["block"]
        ],
        sentences=[
            *headline,
            *selected_words(result["headline"]),
            *_shares(result, rate),
            *_recommended(result, rate),
            *(warning["message"] for warning in result["warnings"]),
        ],
        pictures=[_grid(result, one) for one in result["rates"]],
    )


def _grid(result: Mapping[str, Any], rate: str) -> RateGrid:
    """Return the mean rates over blocks and thread counts, and what limits each cell."""
    blocks, threads = result["axes"]["block"], result["axes"]["threads"]
    cells = {(cell["block"], cell["threads"]): cell for cell in result["cells"]}
    stats = {place: cell[rate] for place, cell in cells.items() if cell[rate]}
    best = result["best"][rate]
    return RateGrid(
        title=f"{words.capital(rate)} rate",
        row_axis="Block size",
        rows=[words.block(block) for block in blocks],
        columns=[f"{n} thread{'' if n == 1 else 's'}" for n in threads],
        rates=[
            [stats[b, n]["mean_bytes_per_s"] if (b, n) in stats else None for n in threads]
            for b in blocks
        ],
        notes=[[_limits(cells.get((b, n))) for n in threads] for b in blocks],
        best=(blocks.index(best["block"]), threads.index(best["threads"])) if best else None,
    )


def _limits(cell: Mapping[str, Any] | None) -> str:
    """Return the flags of a cell as words, and its state if not all repeats were measured."""
    if cell is None:
        return ""
    said = dict.fromkeys(flag["code"].replace("_", " ") for flag in cell["flags"])
    return ", ".join([*said, *([cell["state"]] if cell["state"] != "done" else [])])


_WHY_NOTHING = {
    "suspended": "the probe was suspended",
    "starved": "the probe did not get enough CPU time",
    "contended": "the storage was busy with other I/O",
    "too_short": "the trial was too short",
    "short_overlap": "the participants barely overlapped",
}


def headline_words(headline: Mapping[str, Any]) -> str:
    """Format a headline without a full stop, or why there is no result."""
    figure, nothing = headline["figure"], headline["no_result"]
    if figure is None:
        where = " in the fastest cells" if nothing["fastest_cells"] else ""
        sentence = f"No result: {_WHY_NOTHING[nothing['code']]}{where}."
        if size := nothing["sufficient_file_size_bytes"]:
            return f"{sentence} Files of {words.size(size)} would suffice."
        return f"{sentence} Raise the time limit." if nothing["raise_time_limit"] else sentence
    person = _person(headline)
    rate = " durable" if figure["rate"] == "durable" else ""
    reached = _reached(figure, rate)
    setting = f"{words.count(figure['threads'], person)} and {words.block(figure['block'])} blocks"
    sentence = f"{reached} with {setting}{_each(headline)}{_more(figure, person)}"
    match figure["served_by"]:
        case "page_cache":
            return f"Served by the page cache: {sentence}"
        case "array_cache":
            return f"Possibly served by the array's cache: {sentence}"
        case "unknown":
            return f"{sentence} (served by: unknown)"
        case _:
            return sentence


EVEN = 0.9995
"""Jain's index from which it is shown as 1.000: rates differ by some 2 % at most."""


def _each(headline: Mapping[str, Any]) -> str:
    """That the setting is that of each of several participants."""
    several = headline["participants"]
    return f" on each of {several} targets together" if several > 1 else ""


def _shares(result: Mapping[str, Any], rate: str) -> list[str]:
    """How the best cell's rate was shared between several participants."""
    best: Mapping[str, Any] = result["best"][rate] or {}
    names = {
        one["id"]: f"{one['host']} {one['path'] or ''}".strip() for one in result["participants"]
    }
    for cell in result["cells"]:
        shares = cell["shares"] and cell["shares"][rate]
        if not shares or (cell["block"], cell["threads"]) != (
            best.get("block"),
            best.get("threads"),
        ):
            continue
        each = ", ".join(
            f"{names[one['participant_id']]} {words.rate(one['bytes_per_s'])} "
            f"({words.percent(one['share'])})"
            for one in shares["participants"]
        )
        slowest = names[shares["slowest_participant_id"]]
        slow = f"; slowest: {slowest}" if shares["fairness"] < EVEN else ""
        return [
            f"Shares at the best setting: {each}. Jain's fairness index "
            f"{shares['fairness']:.3f}{slow}."
        ]
    return []


def _recommended(result: Mapping[str, Any], rate: str) -> list[str]:
    """Format the recommended setting and its reason."""
    advice = result["advice"][rate]
    return [f"Recommendation: {advice_words(result, advice)}"] if advice else []


def advice_words(result: Mapping[str, Any], advice: Mapping[str, Any]) -> str:
    """Format a recommendation, such as `one writer with 256 KiB blocks reaches …`."""
    person, targets = _person(result), len(result["participants"])
    each = f" on each of {words.count(targets, 'target')}" if targets > 1 else ""
    total = " in total" if targets > 1 else ""
    verb = "reaches" if advice["threads"] == 1 else "reach"
    setting = f"{_setting(advice, person)}{each} {verb} {_reached(advice)}{total}"
    reason = advice["reason"]
    if reason["code"] == "within_noise_of_best":
        return f"{setting}, within noise of the best cell ({_setting(reason['best'], person)})."
    mean = "the highest mean" if reason["means_over_cliffs"] else "the best cell"
    return f"{setting}: {mean}."


def _person(of: Mapping[str, Any]) -> str:
    return "writer" if of["operation"] == "write" else "reader"


def _setting(setting: Mapping[str, Any], person: str) -> str:
    people = words.count(setting["threads"], person)
    return f"{people} with {words.block(setting['block'])} blocks"


def _reached(figure: Mapping[str, Any], rate: str = "") -> str:
    """Format a rate, or the levels of a cell with a cliff."""
    levels = figure["levels"]
    return _levels(levels, rate) if levels else words.rate(figure["bytes_per_s"]) + rate


def _levels(levels: Mapping[str, Any], rate: str) -> str:
    """Format levels, and the repeats: `… (in 1 of 2 repeats)`."""
    seen, repeats = levels["flagged_trials"], levels["trials"]
    some = "" if seen == repeats else f" (in {seen} of {repeats} repeats)"
    return f"{held_words(levels['held'])}{rate}{some}"


def _more(figure: Mapping[str, Any], person: str) -> str:
    """Format how many cells were faster in one repeat, or the effect of fewer or more threads."""
    if faster := figure["left_out_faster"]:
        verb = "was" if faster == 1 else "were"
        return f"; {words.count(faster, 'cell')} with a single reliable repeat {verb} faster"
    effect = figure["threads_effect"]
    if effect is None:
        return ""
    people = words.count(effect["threads"], person)
    verb = "reaches" if effect["threads"] == 1 else "reach"
    average = " on average" if effect["mean_over_cliff"] else ""
    return {
        "fewer_slower": f"; {people} {verb} only {words.rate(effect['bytes_per_s'])}{average}",
        "fewer_equal": f"; {people} {verb} as much within noise",
        "more_slower": "; more threads are slower",
        "more_equal": "; more threads don't help",
    }[effect["code"]]


def _cell(stat: Mapping[str, Any] | None) -> str:
    if stat is None:
        return ""
    return f"{stat['mean_bytes_per_s'] / 1e6:.0f}{' *' if stat['best'] else '  '}"
