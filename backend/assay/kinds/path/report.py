"""Path tests as text: the parameters of a trial, and a result for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from assay.base import words
from assay.base.worded import plain
from assay.kinds.headline import sentences
from assay.kinds.path.fields import LEGS
from assay.kinds.pictures import mean_bars
from assay.kinds.result import Report


def trial_words(parameters: Mapping[str, Any], *, several: bool = False) -> str:
    """Format a trial's leg and setting: `Disk to disk, 1 MiB, four streams`.

    Of `several` pairs, each has these streams.
    """
    parts = [LEGS[parameters["leg"]], words.block(parameters["block"])]
    if parameters["streams"]:
        each = " per pair" if several else ""
        parts.append(words.count(parameters["streams"], "stream") + each)
    return ", ".join(parts)


def report(result: Mapping[str, Any]) -> Report:
    """Format a result: a row for each leg, then what limits the transfer."""
    rows = [
        (
            _leg_words(result, leg),
            _rate(leg["bytes_per_s"]),
            leg["rate"],
            plain(leg["repeats"]),
        )
        for leg in result["legs"]
    ]
    columns = ("leg", "mean", "rate", "repeats")
    bars = [(_leg_words(result, leg), leg["bytes_per_s"]) for leg in result["legs"]]
    pictures = mean_bars("Mean rate of each leg", bars)
    return Report("path", columns, rows, _sentences(result), pictures)


def _rate(stat: Mapping[str, Any] | None) -> str:
    return words.rate(stat["mean"]) if stat else "-"


def _sentences(result: Mapping[str, Any]) -> list[str]:
    found = sentences(result["headline"])
    for leg in result["legs"]:
        found.extend(_directions(_leg_words(result, leg), leg))
        found.extend(_shares(_leg_words(result, leg), leg))
        found.extend(_files(_leg_words(result, leg), leg))
    found.extend(_threads(result))
    for setting in result["settings"]:
        limited = setting["bottleneck"]
        if limited:
            of = f"{_setting(setting)}: " if len(result["settings"]) > 1 else ""
            found.append(of + limited["sentence"])
            found.extend(of + plain(one["message"]) for one in limited["evidence"])
    card = result["scorecard"]
    if card and card["meets"] is not None:
        verb = "meets" if card["meets"] else "misses"
        found.append(
            f"The transfer {verb} ESnet's scorecard: {words.figure(card['tb_per_hour'])} TB/h, "
            f"{words.figure(card['required_tb_per_hour'])} TB/h for this link."
        )
    for leg in result["legs"]:
        found.extend(
            f"{_leg_words(result, leg)}: {plain(flag['evidence'])}"
            for trial in leg["trials"]
            for flag in trial["flags"]
        )
        found.extend(
            f"{_leg_words(result, leg)}: {plain(trial['inflated']['message'])}"
            for trial in leg["trials"]
            if trial["inflated"]
        )
    found.extend(plain(one["message"]) for one in result["warnings"])
    return list(dict.fromkeys(found))


def _setting(setting: Mapping[str, Any]) -> str:
    """Format what tells a setting apart: `1 MiB, four streams`."""
    streams = [words.count(setting["streams"], "stream")] if setting["streams"] else []
    return ", ".join([words.block(setting["block"]), *streams])


def _leg_words(result: Mapping[str, Any], leg: Mapping[str, Any]) -> str:
    setting = {**leg, "streams": leg["streams"] or 0}
    return trial_words(setting, several=len(result["participants"]) > 2)


def _threads(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield how many threads used each disk, and the physical devices that it is on."""
    for place, one in enumerate(result["participants"]):
        stage = "write" if one["role"] == "receiver" else "read"
        of_stage = {
            found["threads"]
            for leg in result["legs"]
            for trial in leg["trials"]
            if (end := (trial["pairs"] or [trial])[place // 2][one["role"]])
            for found in end["stages"]
            if found["name"] == stage
        }
        for threads in of_stage:
            verb = {"read": "reads", "write": "writes"}[stage]
            devices = ", ".join(one["devices"]) or "devices that are unknown, and count as one"
            number = words.count(threads, "thread")
            verb = verb if threads == 1 else stage
            yield f"{words.capital(number)} {verb} {one['host']} {one['path']}, on {devices}."


def _directions(of_leg: str, leg: Mapping[str, Any]) -> Iterator[str]:
    """Yield what each direction of a leg with full duplex reached, and which one is slower."""
    rated = [one for one in leg.get("directions", ()) if one["bytes_per_s"]]
    if not rated:
        return
    each = ", ".join(
        f"{_way(one)} {words.rate(one['bytes_per_s']['mean'])} ({words.percent(one['share'])})"
        for one in rated
    )
    slower = leg["slower_direction"]
    told = "the directions do not differ by more than noise"
    if slower is not None:
        told = f"{_way(rated[slower])} is slower"
    yield f"{of_leg}, full duplex: {each}; {told}."


def _way(direction: Mapping[str, Any]) -> str:
    return f"{' + '.join(direction['sources'])} → {' + '.join(direction['sinks'])}"


_CALLS = (
    ("sender", "open", "open", "source"),
    ("sender", "close", "close", "source"),
    ("receiver", "open", "create", "sink"),
    ("receiver", "close", "close", "sink"),
)
"""The calls on small files: the end and the figure, what they do, and where."""


def _files(of_leg: str, leg: Mapping[str, Any]) -> Iterator[str]:
    """Yield the small files of each trial per second, and what their calls took."""
    for trial in leg["trials"]:
        for one in trial["pairs"] or [trial]:
            if not one.get("files_per_s"):
                continue
            ends = {role: one[role] and one[role].get("files") for role in ("sender", "receiver")}
            calls = [
                f"{verb} at the {place} {words.duration(ends[role][call]['median_ns'])} (median), "
                f"{words.duration(ends[role][call]['max_ns'])} (longest)"
                for role, call, verb, place in _CALLS
                if ends[role]
            ]
            pair = f", {one['source']} → {one['sink']}" if "source" in one else ""
            yield (
                f"{of_leg}, repeat {trial['repeat']}{pair}: "
                f"{words.grouped(one['files'])} small files, "
                f"{words.frequency(one['files_per_s'])} per second; {'; '.join(calls)}."
            )


def _shares(of_leg: str, leg: Mapping[str, Any]) -> Iterator[str]:
    """Yield what each pair of each trial reached in its own time and at once, and how even."""
    for trial in leg["trials"]:
        repeat = f"{of_leg}, repeat {trial['repeat']}"
        own = [one for one in trial["pairs"] if one.get("own_bytes_per_s") is not None]
        if own:
            each = ", ".join(
                f"{one['source']} → {one['sink']} {words.rate(one['own_bytes_per_s'])} in "
                f"{words.duration(one['own_ns'])}"
                for one in own
            )
            yield f"{repeat}, each in its own time: {each}."
        if own and trial["window_ns"] == 0:
            yield f"{repeat}: the pairs never moved data at the same time."
        rated = [one for one in trial["pairs"] if one["share"] is not None]
        if not rated:
            continue
        each = ", ".join(
            f"{one['source']} → {one['sink']} {words.rate(one['application_bytes_per_s'])} "
            f"({words.percent(one['share'])})"
            for one in rated
        )
        yield (
            f"{repeat}, all at once for {words.duration(trial['window_ns'])}: {each}; fairness "
            f"{trial['fairness']:.3f}."
        )
