"""Path tests as text: the parameters of a trial, and a result for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from assay.analysis import words
from assay.kinds.kind import Report
from assay.kinds.path.fields import LEGS

NO_RESULT = {
    "cache_inflated": "a cache at the sink makes the rate higher than what its disk holds",
    "unreliable": "no trial is reliable",
    "not_measured": "no trial was measured",
    "wrong_data": "data did not arrive as sent",
}


def trial_words(parameters: Mapping[str, Any]) -> str:
    """Format a trial's leg and setting: `Disk to disk, 1 MiB, four streams`."""
    parts = [LEGS[parameters["leg"]], words.block(parameters["block"])]
    if parameters["streams"]:
        parts.append(words.count(parameters["streams"], "stream"))
    return ", ".join(parts)


def report(result: Mapping[str, Any]) -> Report:
    """Format a result: a row for each leg, then what limits the transfer."""
    rows = [
        (
            trial_words({**leg, "streams": leg["streams"] or 0}),
            _rate(leg["bytes_per_s"]),
            leg["rate"],
            f"{leg['repeats_done']} of {leg['repeats_total']}",
        )
        for leg in result["legs"]
    ]
    return Report("path", ("leg", "mean", "rate", "repeats"), rows, list(_sentences(result)))


def _rate(stat: Mapping[str, Any] | None) -> str:
    return words.rate(stat["mean"]) if stat else "-"


def _sentences(result: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    headline = result["headline"]
    if headline and headline["no_result"]:
        found.append(f"No rate: {NO_RESULT[headline['no_result']]}.")
    elif headline:
        found.append(
            f"{LEGS[headline['leg']]}: {words.rate(headline['bytes_per_s'])} "
            f"({words.figure(headline['tb_per_hour'])} TB/h)."
        )
    for leg in result["legs"]:
        found.extend(_shares(leg))
    for setting in result["settings"]:
        limited = setting["bottleneck"]
        if limited:
            of = f"{_setting(setting)}: " if len(result["settings"]) > 1 else ""
            found.append(of + limited["sentence"])
            found.extend(of + one["message"] for one in limited["evidence"])
    card = result["scorecard"]
    if card and card["meets"] is not None:
        verb = "meets" if card["meets"] else "misses"
        found.append(
            f"The transfer {verb} ESnet's scorecard: {words.figure(card['tb_per_hour'])} TB/h, "
            f"{words.figure(card['required_tb_per_hour'])} TB/h for this link."
        )
    for leg in result["legs"]:
        found.extend(
            f"{trial_words({**leg, 'streams': leg['streams'] or 0})}: {flag['evidence']}"
            for trial in leg["trials"]
            for flag in trial["flags"]
        )
        found.extend(
            f"{trial_words({**leg, 'streams': leg['streams'] or 0})}: "
            f"{trial['inflated']['message']}"
            for trial in leg["trials"]
            if trial["inflated"]
        )
    found.extend(one["message"] for one in result["warnings"])
    return list(dict.fromkeys(found))


def _setting(setting: Mapping[str, Any]) -> str:
    """Format what tells a setting apart: `1 MiB, four streams`."""
    streams = [words.count(setting["streams"], "stream")] if setting["streams"] else []
    return ", ".join([words.block(setting["block"]), *streams])


def _shares(leg: Mapping[str, Any]) -> Iterator[str]:
    """Yield what each pair of each trial reached, and how even they are."""
    of_leg = trial_words({**leg, "streams": leg["streams"] or 0})
    for trial in leg["trials"]:
        rated = [one for one in trial["pairs"] if one["share"] is not None]
        if not rated:
            continue
        each = ", ".join(
            f"{one['source']} → {one['sink']} {words.rate(one['application_bytes_per_s'])} "
            f"({words.percent(one['share'])})"
            for one in rated
        )
        yield (
            f"{of_leg}, repeat {trial['repeat']}, all at once for "
            f"{words.duration(trial['window_ns'])}: {each}; fairness {trial['fairness']:.3f}."
        )
