"""What limits a result's value, in the order of gravity."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.analysis.cells import Cell, Measured
from assay.analysis.words import count

UNSTABLE = 0.10
"""Coefficient of variation across repeats from which a cell is called unstable."""


@dataclass(frozen=True)
class Limit:
    """One limit of the result."""

    code: str
    message: str


def limits(trials: Sequence[Measured], cells: Sequence[Cell]) -> list[Limit]:
    """All that a reader has to know before trusting the figures."""
    found = [
        *_wrong_data(trials),
        *_marked(cells),
        *_failed(trials),
        *_timed_out(trials),
        *_bounded(trials),
        *_unstable(cells),
    ]
    measured = [cell for cell in cells if cell.application]
    if measured and all(cell.repeats_total == 1 for cell in measured):
        message = "There are no repeats: differences under 3 % count as noise."
        found.append(Limit("no_repeats", message))
    return found


def cut_short(why: str, trials: Sequence[Measured]) -> Limit:
    """That a run did not measure all that was planned; `why` is a sentence, not yet ended."""
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
    blocks = _capital(count(wrong, "block"))
    message = f"{blocks} did not hold what was written. Trust nothing that this storage returns."
    return [Limit("verify_errors", message)]


def _marked(cells: Sequence[Cell]) -> list[Limit]:
    said = {
        "cache": ("cache_served", "served by the cache"),
        "array": ("array_served", "possibly served by the array's cache"),
        "unprovable": ("not_provable", "not provable"),
    }
    found: list[Limit] = []
    for rate in ("durable", "application"):
        for mark, (code, words) in said.items():
            marks = [
                one
                for cell in cells
                if cell.marks and (one := getattr(cell.marks, rate)) and one.mark == mark
            ]
            if marks:
                number = _capital(count(len(marks), "cell"))
                where = f"in {number.lower()} of {len(cells)}"
                message = f"The {rate} rate is {words} {where}. {marks[0].evidence}"
                found.append(Limit(code, message))
    return found


def _failed(trials: Sequence[Measured]) -> list[Limit]:
    number = sum(trial.status == "failed" for trial in trials)
    verb = "has" if number == 1 else "have"
    return _of_trials("failed", number, f"failed and {verb} no figures")


def _timed_out(trials: Sequence[Measured]) -> list[Limit]:
    number = sum(trial.status == "timed_out" for trial in trials)
    return _of_trials("timed_out", number, "timed out: what was moved until then counts")


def _bounded(trials: Sequence[Measured]) -> list[Limit]:
    number = sum(trial.counts and trial.bounded for trial in trials)
    words = "did not finish the final sync in time: the true durable rate is lower"
    return _of_trials("bounded", number, words)


def _of_trials(code: str, number: int, words: str) -> list[Limit]:
    return [Limit(code, f"{_capital(count(number, 'trial'))} {words}.")] if number else []


def _unstable(cells: Sequence[Cell]) -> list[Limit]:
    loose = [
        cell
        for cell in cells
        if (stat := cell.durable or cell.application)
        and stat.sd is not None
        and stat.mean
        and stat.sd / stat.mean > UNSTABLE
    ]
    if not loose:
        return []
    number = _capital(count(len(loose), "cell"))
    verb = "varies" if len(loose) == 1 else "vary"
    return [Limit("unstable", f"{number} {verb} by more than 10 % from repeat to repeat.")]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
