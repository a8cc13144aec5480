"""Limitations of a result, the most severe first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assay.analysis.flags import Flag
from assay.analysis.words import capital, count, duration, size
from assay.kinds.matrix.cells import Cell, Measured, is_sound

LimitCode = Literal[
    "verify_errors",
    "suspended",
    "starved",
    "served_by_page_cache",
    "served_by_array_cache",
    "served_by_unknown",
    "failed",
    "too_short",
    "short_overlap",
    "timed_out",
    "bounded",
    "cliff",
    "unstable",
    "no_repeats",
    "chosen_of_many",
    "cut_short",
]


@dataclass(frozen=True)
class Limit:
    """One limitation of the result."""

    code: LimitCode
    message: str


def limits(trials: Sequence[Measured], cells: Sequence[Cell]) -> list[Limit]:
    """Return all limitations of the result."""
    found = [
        *_wrong_data(trials),
        *_served_by(cells),
        *_failed(trials),
        *_disturbed(trials),
        *_too_short(trials),
        *_short_overlap(trials),
        *_timed_out(trials),
        *_bounded(trials),
        *_cliffs(cells),
        *_unstable(cells),
    ]
    measured = [stat for cell in cells if (stat := cell.durable or cell.application)]
    if len(measured) > 1 and all(stat.n == 1 for stat in measured):
        message = (
            "Single repeat: the headline is the highest of single measurements, which is partly "
            "luck, and differences under 3 % count as noise."
        )
        found.append(Limit("no_repeats", message))
    return found


def cut_short(why: str, trials: Sequence[Measured]) -> Limit:
    """Return the limitation that not all planned trials were measured; `why` is a clause."""
    number = sum(trial.counts for trial in trials)
    rests = (
        f"the result rests on {number} of the {len(trials)} planned trials"
        if number
        else "none of the planned trials was measured"
    )
    return Limit("cut_short", f"{why}: {rests}.")


def _wrong_data(trials: Sequence[Measured]) -> list[Limit]:
    wrong = sum(trial.verify_errors for trial in trials)
    if not wrong:
        return []
    sectors = capital(count(wrong, "sector"))
    message = (
        f"{sectors} of 512 bytes did not contain the written data. "
        "Do not trust data from this storage."
    )
    return [Limit("verify_errors", message)]


def _served_by(cells: Sequence[Cell]) -> list[Limit]:
    sources: dict[str, tuple[LimitCode, str]] = {
        "page_cache": ("served_by_page_cache", "was served by the page cache"),
        "array_cache": ("served_by_array_cache", "was possibly served by the array's cache"),
        "unknown": ("served_by_unknown", "has an unknown source"),
    }
    found: list[Limit] = []
    for rate in ("durable", "application"):
        for source, (code, words) in sources.items():
            affected = [
                one
                for cell in cells
                if cell.served_by
                and (one := getattr(cell.served_by, rate))
                and one.source == source
            ]
            if affected:
                number = count(len(affected), "cell")
                message = (
                    f"The {rate} rate {words} in {number} of {len(cells)}. {affected[0].evidence}"
                )
                found.append(Limit(code, message))
    return found


def _failed(trials: Sequence[Measured]) -> list[Limit]:
    number = sum(trial.status == "failed" for trial in trials)
    verb = "has" if number == 1 else "have"
    return _of_trials("failed", number, f"failed and {verb} no figures")


def _timed_out(trials: Sequence[Measured]) -> list[Limit]:
    number = sum(trial.status == "timed_out" for trial in trials)
    return _of_trials("timed_out", number, "timed out: the bytes transferred until then count")


def _bounded(trials: Sequence[Measured]) -> list[Limit]:
    number = sum(trial.counts and trial.bounded for trial in trials)
    words = "did not finish the final sync in time: the true durable rate is lower"
    return _of_trials("bounded", number, words)


def _cliffs(cells: Sequence[Cell]) -> list[Limit]:
    found = [flag for cell in cells for flag in cell.flags if flag.code == "cliff"]
    if not found:
        return []
    where = f"{count(len(found), 'cell')} of {len(cells)}" if len(cells) > 1 else "the only cell"
    message = (
        f"In {where} the rate changed permanently during a trial, so the mean is a rate that "
        f"was never reached. {found[0].evidence}"
    )
    return [Limit("cliff", message)]


def _of_trials(code: LimitCode, number: int, words: str) -> list[Limit]:
    return [Limit(code, f"{capital(count(number, 'trial'))} {words}.")] if number else []


def _disturbed(trials: Sequence[Measured]) -> list[Limit]:
    """Return trials whose every attempt was suspended or starved, by the last one's status."""
    said: dict[Literal["suspended", "starved"], str] = {
        "suspended": "the host or the probe was suspended in the last attempt",
        "starved": "in the last attempt the probe did not get enough CPU time: free the host's "
        "CPUs or raise the quota",
    }
    found: list[Limit] = []
    for status, why in said.items():
        number = sum(trial.status == status and not trial.again for trial in trials)
        whose = (
            "was suspended or starved in every attempt, so its cell is"
            if number == 1
            else ("were suspended or starved in every attempt, so their cells are")
        )
        found += _of_trials(status, number, f"{whose} inconclusive: {why}")
    return found


def _too_short(trials: Sequence[Measured]) -> list[Limit]:
    """Return trials without a reliable rate, then those without a reliable application rate."""
    whole: list[Flag] = []
    application: list[Flag] = []
    for trial in trials:
        short = [flag for flag in trial.flags if flag.code == "too_short"] if trial.counts else []
        (application if is_sound(trial, "durable") else whole).extend(short)
    found: list[Limit] = []
    for rate, short in (("", whole), ("application rate of ", application)):
        if short:
            shortest = duration(min(flag.figures["measured_ns"] for flag in short))
            verb = "is" if rate or len(short) == 1 else "are"
            who = capital(f"{'the ' if rate else ''}{rate}{count(len(short), 'trial')}")
            message = (
                f"{who} {verb} too short to tell (the shortest took {shortest}) and excluded from "
                f"headline and recommendation. {remedy(short)}"
            )
            found.append(Limit("too_short", message))
    return found


def _short_overlap(trials: Sequence[Measured]) -> list[Limit]:
    found = [flag for trial in trials for flag in trial.flags if flag.code == "short_overlap"]
    if not found:
        return []
    message = (
        f"In {count(len(found), 'trial')} all participants were active at the same time for less "
        "than half of the longest attempt, so the application rate is excluded from headline and "
        f"recommendation. {found[0].evidence}"
    )
    return [Limit("short_overlap", message)]


def remedy(flags: Sequence[Flag]) -> str:
    """Return what to change to avoid these flags of one code."""
    sizes = [flag.figures.get("sufficient_file_size_bytes") for flag in flags]
    known = [round(one) for one in sizes if one]
    if known:
        return f"Files of {size(max(known))} would suffice."
    return "Raise the time limit." if any(flag.code == "too_short" for flag in flags) else ""


def _unstable(cells: Sequence[Cell]) -> list[Limit]:
    number = sum(any(flag.code == "unstable" for flag in cell.flags) for cell in cells)
    if not number:
        return []
    who = f"{capital(count(number, 'cell'))} {'varies' if number == 1 else 'vary'}"
    return [Limit("unstable", f"{who} by more than 10 % between repeats.")]
