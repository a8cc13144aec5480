"""A matrix as text for a terminal, from the API's JSON."""

from collections.abc import Mapping
from typing import Any

from assay.base import words
from assay.base.worded import plain
from assay.kinds.headline import sentences
from assay.kinds.pictures import RateGrid
from assay.kinds.result import Report


def trial_words(parameters: Mapping[str, Any]) -> str:
    """Format a trial's setting, such as `256 KiB × 2`."""
    return f"{words.block(parameters['block'])} × {parameters['threads']}"


def report(result: Mapping[str, Any]) -> Report:
    """Format the mean rates (a row per block, a column per thread count) and the limitations."""
    rate, axes = result["rates"][0], result["axes"]
    cells = {(cell["block"], cell["threads"]): cell[rate] for cell in result["cells"]}
    return Report(
        title=f"{rate} rate, MB/s (* is the best)",
        columns=["block", *(f"{n} thread{'' if n == 1 else 's'}" for n in axes["threads"])],
        rows=[
            [words.block(block), *(_cell(cells.get((block, n))) for n in axes["threads"])]
            for block in axes["block"]
        ],
        sentences=[
            *sentences(result["headline"]),
            *_shares(result, rate),
            *_recommended(result, rate),
            *(plain(warning["message"]) for warning in result["warnings"]),
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
        rates=[[stats[b, n]["mean"] if (b, n) in stats else None for n in threads] for b in blocks],
        notes=[[_limits(cells.get((b, n)), rate) for n in threads] for b in blocks],
        best=(blocks.index(best["block"]), threads.index(best["threads"])) if best else None,
    )


def _limits(cell: Mapping[str, Any] | None, rate: str) -> str:
    """Return the flags of a cell's rate, and its state if not all repeats were measured."""
    if cell is None:
        return ""
    flags = (flag["code"] for flag in cell["flags"] if rate in flag["rates"])
    said = dict.fromkeys(map(words.code_words, flags))
    return ", ".join([*said, *([cell["state"]] if cell["state"] != "done" else [])])


EVEN = 0.9995
"""Jain's index from which it is shown as 1.000: rates differ by some 2 % at most."""


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
    return [f"Recommendation: {plain(advice['words'])}"] if advice else []


def _cell(stat: Mapping[str, Any] | None) -> str:
    if stat is None:
        return ""
    return f"{stat['mean'] / 1e6:.0f}{' *' if stat['best'] else '  '}"
