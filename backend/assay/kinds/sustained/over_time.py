"""Reading the metrics of what the rate did over time: cliff, slow-down, steady state, recovery."""

from assay.analysis.levels import first_fall
from assay.analysis.steady import MOST_ROUNDS
from assay.kinds.metrics import Arguments, Doubt, EvidenceLocation, Measurement
from assay.kinds.sustained.doubts import cut_off, not_measured, of_device, of_gaps
from assay.kinds.sustained.result import SustainedResult
from assay.kinds.sustained.selection import location, trials_of


def cliff_after(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the bytes before the earliest permanent fall of the rate; else a lower bound."""
    found = trials_of(result, arguments)
    falls = [
        (fell.from_bytes, cell, trial)
        for cell, trial in found
        if trial.levels and (fell := first_fall(trial.levels.held))
    ]
    if falls:
        after, cell, trial = min(falls, key=lambda one: one[0])
        return Measurement(
            float(after), location(cell, trial.id), [*cut_off(result, None), *of_device(cell)]
        )
    seen = [one for one in found if one[1].no_cliff_within_bytes]
    if not seen:
        return Measurement(None, doubts=not_measured(result, arguments))
    cell, trial = max(seen, key=lambda one: one[1].no_cliff_within_bytes or 0)
    within = float(trial.no_cliff_within_bytes or 0)
    none = Doubt(
        "censored",
        "The rate did not fall permanently within the different bytes of the longest trial.",
        {"measured_bytes": within},
        "lower",
        strict=True,
    )
    return Measurement(
        within, location(cell, trial.id), [none, *cut_off(result, None), *of_device(cell)]
    )


def slow_down(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return the largest slow-down of all trials."""
    found = [one for one in trials_of(result, arguments) if one[1].slow_down]
    if not found:
        return Measurement(None, doubts=not_measured(result, arguments))
    shares = [(one[1].slow_down.share, *one) for one in found if one[1].slow_down]
    share, cell, trial = max(shares, key=lambda one: one[0])
    return Measurement(
        share, location(cell, trial.id), [*cut_off(result, "lower"), *of_device(cell)]
    )


def steady(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return whether every trial reached steady state."""
    trials = trials_of(result, arguments)
    found = [(cell, trial) for cell, trial in trials if trial.steady]
    others = [trial for _, trial in trials if trial.steady is None]
    disturbed: list[Doubt] = []
    if any(trial.participants and trial.gaps for trial in others):
        message = "A participant was disturbed, so no rounds of all together were judged."
        disturbed.append(Doubt("interrupted", message))
    if not found:
        return Measurement(None, doubts=disturbed or not_measured(result, arguments))
    loose = [(c, trial) for c, trial in found if trial.steady and not trial.steady.reached]
    cell, trial = (loose or found)[0]
    doubts = [*cut_off(result, None), *of_device(cell), *disturbed]
    given_up = any(t.steady and t.steady.rounds >= MOST_ROUNDS for _, t in loose)
    if (others and not disturbed) or (loose and not given_up):
        message = f"A trial ended before it was steady, and before {MOST_ROUNDS} rounds of 60 s."
        doubts.append(Doubt("too_short", message))
    return Measurement(float(not loose), location(cell, trial.id), doubts)


def level(result: SustainedResult, arguments: Arguments) -> Measurement:
    """Return whether no trial has several levels, a decline, a rise or a sawtooth."""
    found = trials_of(result, arguments)
    shown = [one for one in found if one[1].levels or one[1].no_cliff_within_bytes]
    if not shown:
        return Measurement(None, doubts=not_measured(result, arguments))
    uneven = [one for one in shown if one[1].levels or one[1].shape]
    cell, trial = (uneven or shown)[0]
    doubts = [*cut_off(result, None if not uneven else "upper"), *of_device(cell)]
    if len(shown) < len(found) and not uneven:
        message = "A trial was too short or too disturbed to show a change of its rate."
        doubts.append(Doubt("too_short", message))
    return Measurement(float(not uneven), location(cell, trial.id), doubts)


def recovers_within(result: SustainedResult, _: Arguments) -> Measurement:
    """Return the shortest rest after which the storage was as fast as before its cliff."""
    found = result.recovery
    of_source = {doubt.code: doubt for cell in result.cells for doubt in of_device(cell)}
    doubts = [
        *cut_off(result, None),
        *of_gaps(result, result.cells, "pattern"),
        *of_source.values(),
    ]
    if found is None:
        message = "No trial followed a cliff, so nothing had to recover."
        return Measurement(None, doubts=[*doubts, Doubt("not_measured", message)])
    if found.within_ns is not None:
        trial = next(one for one in found.rests if one.rest_ns == found.within_ns)
        message = "A rest between those that were tried may have been enough."
        doubts.append(Doubt("censored", message, bound="upper"))
        return Measurement(float(found.within_ns), EvidenceLocation(trial.trial_id), doubts)
    if found.beyond_ns is None:
        message = "No rest followed a full cache, or the trials after it were too short."
        return Measurement(None, doubts=[*doubts, Doubt("not_measured", message)])
    trial = next(one for one in found.rests if one.rest_ns == found.beyond_ns)
    message = "No rest that was tried was enough."
    doubts.append(Doubt("censored", message, bound="lower", strict=True))
    return Measurement(float(found.beyond_ns), EvidenceLocation(trial.trial_id), doubts)
