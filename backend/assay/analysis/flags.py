"""Flags of trials and cells: why a rate is unreliable, with evidence.

The probe reports readings; the rules here interpret them. `RULES` has a function for each rule; a
new one adds its inputs to `Readings`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from assay.analysis import too_short
from assay.analysis.contention import Contention
from assay.analysis.levels import Held, levels_words, lowest, without
from assay.analysis.statuses import STARVED, SUSPENDED
from assay.analysis.together import LEAST_OVERLAP
from assay.base import words
from assay.base.worded import Quantity, Words, say

FlagCode = Literal[
    "suspended",
    "starved",
    "contended",
    "too_short",
    "short_overlap",
    "timed_out",
    "cliff",
    "unstable",
]
CODES: tuple[FlagCode, ...] = get_args(FlagCode)
"""All flags, the most severe first."""

VOID: frozenset[FlagCode] = frozenset({"suspended", "starved"})
"""Flags of a trial that did not measure the storage: it is excluded from all figures."""

EXCLUDED: frozenset[FlagCode] = VOID | frozenset[FlagCode](
    {"contended", "too_short", "short_overlap"}
)
"""Flags that exclude a trial from headline, recommendation and best.

A cell shows figures of such trials only if it has no others.
"""

Rate = Literal["durable", "application"]
BOTH: tuple[Rate, ...] = ("durable", "application")

Measuring = Literal["participants", "pairs"]
"""What measures a trial together, as its flags say."""

UNSTABLE = 0.10
"""A cell is unstable from this coefficient of variation across repeats on."""


@dataclass(frozen=True)
class Flag:
    """One flag: `code` and `figures` contain everything that programs need.

    `rates` are the affected rates. The names of figures contain their units. `evidence` is the same
    as a sentence; programs need not parse it. With several participants the figures are those of
    `participant_id`, unless the flag is about the aggregate. A `cliff` has its `levels`; none if
    they are not known.
    """

    code: FlagCode
    evidence: Words
    figures: Mapping[str, float]
    rates: Sequence[Rate] = BOTH
    participant_id: int | None = None
    levels: Held = ()


@dataclass(frozen=True)
class Readings:
    """The readings of one trial. `durable_ns` is null for a read and without a sync."""

    status: str
    block: int
    threads: int
    files: int
    bytes: int
    operations: int
    app_ns: int | None
    durable_ns: int | None
    contention: Contention | None = None
    levels: Held = ()
    """The lasting levels while it wrote or read; none if the rate never changed for good."""
    levels_are_durable: bool = False
    """Whether they are those of the durable rate too."""
    sized_by: Literal["files", "length"] = "files"
    """What makes a trial longer: larger files, or a greater length of all of them."""
    ramp_bytes: int = 0
    """What was moved before; not part of the other figures, but of the length."""
    attempts: int = 1
    """Number of attempts; the flag is that of the last one."""
    disturbance: Mapping[str, int | None] = field(default_factory=dict[str, int | None])
    """The probe's readings of pauses and CPU waits, as in the result event's `disturbance`."""


def judge(readings: Readings) -> list[Flag]:
    """Return the flags of one measured trial, the most severe first."""
    return ordered(flag for rule in RULES if (flag := rule(readings)) is not None)


def ordered(flags: Iterable[Flag]) -> list[Flag]:
    """Return flags with the most severe first."""
    return sorted(flags, key=lambda flag: CODES.index(flag.code))


def excluded(flags: Iterable[Flag], rate: Rate) -> bool:
    """Return whether headline, recommendation and best exclude this rate of a trial."""
    return excluding(flags, rate) is not None


def excluding(flags: Iterable[Flag], rate: Rate) -> FlagCode | None:
    """Return the most severe flag that excludes this rate of a trial; None without any."""
    found = (flag for flag in ordered(flags) if flag.code in EXCLUDED and rate in flag.rates)
    return next((flag.code for flag in found), None)


def flag_words(code: str, rates: Collection[str]) -> str:
    """Return what people call a flag: `contended`, or of one rate `too short (durable rate)`."""
    of = f" ({next(iter(rates))} rate)" if len(rates) == 1 else ""
    return words.code_words(code) + of


def void(flags: Iterable[Flag]) -> bool:
    """Return whether all figures exclude this trial."""
    return any(flag.code in VOID for flag in flags)


def of_cell(trials: Sequence[Sequence[Flag]]) -> list[Flag]:
    """Return a cell's flags from those of its trials.

    There is one per code if it affects the same rates in all trials, else one for each rate. Of
    several cliffs it is the one with the median time.

    The figures `trials` and `flagged_trials` give the number of flagged trials.
    """
    found: list[Flag] = []
    for code in CODES:
        same = [flag for flags in trials for flag in flags if flag.code == code]
        if len({frozenset(flag.rates) for flag in same}) > 1:
            of_each = (
                [replace(one, rates=(rate,)) for one in same if rate in one.rates] for rate in BOTH
            )
            found += [_of_trials(of_rate, len(trials)) for of_rate in of_each]
        elif same:
            found.append(_of_trials(same, len(trials)))
    return found


def of_most_trials(flags: Iterable[Flag]) -> Flag:
    """Return that of a cell's flags of one code which most trials have."""
    return max(flags, key=lambda flag: flag.figures.get("flagged_trials", 0))


def _of_trials(same: Sequence[Flag], trials: int) -> Flag:
    """Return the flag of a cell with so many trials, of which these have it."""
    every = sorted(same, key=lambda flag: flag.figures.get("changed_ns", 0))
    shown = every[(len(every) - 1) // 2 if same[0].code == "cliff" else 0]
    evidence = shown.evidence
    if trials > 1:
        evidence = say("{} of {} trials. {}", str(len(same)), str(trials), evidence)
    counts = {"flagged_trials": float(len(same)), "trials": float(trials)}
    return replace(shown, evidence=evidence, figures={**shown.figures, **counts})


def of_participants(
    flags: Mapping[int, Sequence[Flag]],
    names: Mapping[int, str],
    noun: Measuring = "participants",
) -> list[Flag]:
    """Return the flags of a trial of several participants or pairs, from those of each by its id.

    For each code it is the first flag, or the one that suggests the largest files, with all rates
    that it affects at any of them. The figures `participants` and `flagged_participants`, or
    `pairs` and `flagged_pairs`, give the number of flagged ones.
    """
    found: list[Flag] = []
    for code in CODES:
        same = [(each, flag) for each, of in flags.items() for flag in of if flag.code == code]
        if not same:
            continue
        participant_id, first = max(
            same, key=lambda item: item[1].figures.get("sufficient_file_size_bytes", 0)
        )
        evidence = say("{}: {}", names[participant_id], first.evidence)
        if len(same) > 1:
            number = f"{len(same)} of {len(flags)} {noun}"
            evidence = say("{}. {}", number, evidence)
        rates: list[Rate] = [rate for rate in BOTH if any(rate in one.rates for _, one in same)]
        counts = {f"flagged_{noun}": float(len(same)), noun: float(len(flags))}
        reads = [flag.figures.get("others_read_bytes") for _, flag in same]
        if known := [one for one in reads if one is not None]:
            counts["others_read_bytes"] = max(known)  # they may have helped any of them
        found.append(Flag(code, evidence, {**first.figures, **counts}, rates, participant_id))
    return found


def short_overlap(
    window_ns: int,
    longest_ns: int,
    noun: Measuring = "participants",
    *,
    least_ns: int | None = None,
) -> Flag | None:
    """Return the flag of a trial whose participants or pairs overlapped for too short a time.

    `least_ns` suffices whatever the longest took; by default, a part of the longest has to overlap.
    """
    if window_ns >= (LEAST_OVERLAP * longest_ns if least_ns is None else least_ns):
        return None
    said = say(
        "All {} were active at the same time for only {}; the longest took {}.",
        noun,
        {"latency_ns": window_ns},
        {"latency_ns": longest_ns},
    )
    figures = {"window_ns": float(window_ns), "longest_ns": float(longest_ns)}
    return Flag("short_overlap", said, figures, ("application",))


def short_window(window_ns: int, suffices: int | None) -> Flag | None:
    """Return the flag of a trial whose common window is too short for a rate.

    `suffices` is the file size with which it would be long enough, if any.
    """
    if window_ns >= too_short.LEAST_NS:
        return None
    figures = {"measured_ns": float(window_ns), "least_ns": float(too_short.LEAST_NS)}
    remedy = "Raise the time limit."
    if suffices is not None:
        figures["sufficient_file_size_bytes"] = float(suffices)
        remedy = say("Files of {} would suffice.", {"bytes": suffices})
    said = say(
        "All participants were active at the same time for only {}; the minimum is one second. {}",
        {"latency_ns": window_ns},
        remedy,
    )
    return Flag("too_short", said, figures, ("application",))


def unstable(rate: Rate, mean: float, sd: float | None) -> Flag | None:
    """Return the flag of a cell whose repeats vary too much."""
    if sd is None or not mean or sd / mean <= UNSTABLE:
        return None
    share = sd / mean
    return Flag(
        "unstable",
        say(
            "The {} rate varies by {} (standard deviation ÷ mean) from repeat to repeat.",
            rate,
            {"share": share},
        ),
        {"coefficient_of_variation": share, "limit": UNSTABLE},
        (rate,),
    )


def _too_short(r: Readings) -> Flag | None:
    if r.status in VOID:
        return None
    needed = too_short.operations_needed(r.threads)
    few = r.operations < needed
    times: dict[Rate, int] = {"application": r.app_ns or 0}
    if r.durable_ns is not None:
        times["durable"] = r.durable_ns
    short: dict[Rate, int] = {
        rate: ns for rate, ns in times.items() if few or ns < too_short.LEAST_NS
    }
    if not short:
        return None
    # the shortest duration has the highest rate, and needs the largest file
    took = min(short.values())
    rate = r.bytes * 1e9 / took if took else 0.0
    size = too_short.sufficient_file_size(rate, block=r.block, threads=r.threads, files=r.files)
    figures: dict[str, float] = {
        "measured_ns": took,
        "least_ns": too_short.LEAST_NS,
        "operations": r.operations,
        "least_operations": needed,
        "threads": r.threads,
    }
    if took < too_short.LEAST_NS:
        said = say("{}; the minimum is one second.", _durations(times))
    else:
        said = (
            f"{words.capital(words.count(r.operations, 'operation'))} on "
            f"{words.count(r.threads, 'thread')}; the minimum is {needed}."
        )
    if r.status == "timed_out":
        return Flag("too_short", say("{} Raise the time limit.", said), figures, tuple(short))
    if r.sized_by == "length" and r.ramp_bytes and not r.operations:
        said = "The trial ended within its ramp-up. Use a shorter ramp-up or a longer trial."
        return Flag("too_short", said, figures, tuple(short))
    if r.sized_by == "length":
        length = too_short.rounded_up(size + r.ramp_bytes) if r.ramp_bytes else size
        ramp = ", ramp-up included," if r.ramp_bytes else ""
        said = say("{} A length of {}{} would suffice.", said, {"bytes": length}, ramp)
        return Flag("too_short", said, figures, tuple(short))
    figures["sufficient_file_size_bytes"] = size
    said = say("{} Files of {} would suffice.", said, {"bytes": size})
    return Flag("too_short", said, figures, tuple(short))


def _durations(times: Mapping[Rate, int]) -> str:
    """Name the phases that were too short; a read has only one."""
    took: Quantity = {"latency_ns": times["application"]}
    if "durable" not in times:
        return say("The trial took {}", took)
    if times["durable"] >= too_short.LEAST_NS:
        return say("The writes without the sync took {}", took)
    return say("The writes took {}, and {} with the sync", took, {"latency_ns": times["durable"]})


def _timed_out(r: Readings) -> Flag | None:
    if r.status != "timed_out":
        return None
    figures = {"measured_ns": float(r.app_ns or 0), "bytes": float(r.bytes)}
    said = say("The rate covers the {} transferred before the time limit.", {"bytes": r.bytes})
    return Flag("timed_out", said, figures)


def _contended(r: Readings) -> Flag | None:
    found = r.contention
    if found is None or found.state != "contended":
        return None
    figures = {
        **found.figures,
        "others_bytes": float(found.others_bytes or 0),
        "bytes": float(r.bytes),
    }
    return Flag("contended", found.evidence, figures)


def _cliff(r: Readings) -> Flag | None:
    if r.status in VOID:
        return None
    levels = r.levels if r.contention is None else without(r.levels, r.contention.coincides)
    return cliff(levels, durable=r.levels_are_durable)


def cliff(levels: Held, *, durable: bool) -> Flag | None:
    """Return the flag of a trial with several levels; `durable`: they are those of both rates."""
    if not levels:
        return None
    said = say("The rate changed for good: {}.", levels_words(levels))
    rates: tuple[Rate, ...] = BOTH if durable else ("application",)
    return Flag("cliff", said, level_figures(levels), rates, levels=levels)


def level_figures(levels: Held) -> dict[str, float]:
    """Return levels as figures with units in their names, numbered from 1 on."""
    figures = {
        "changed_ns": float(levels[0].to_ns),
        "levels": float(len(levels)),
        "lowest_bytes_per_s": lowest(levels),
    }
    for number, level in enumerate(levels, start=1):
        figures |= {
            f"level_{number}_bytes_per_s": level.bytes_per_s,
            f"level_{number}_ns": float(level.duration_ns),
            f"level_{number}_bytes": float(level.bytes),
        }
    return figures


SLEPT_NS, WALL_JUMP_NS, LATE_NS = 10**7, 250 * 10**6, 250 * 10**6
"""The probe's thresholds for a suspension and a late heartbeat, as in its `disturbance.h`."""


def of_disturbance(
    status: str, disturbance: Mapping[str, int | None], attempts: int = 1
) -> Flag | None:
    """Return the flag of a suspended or starved attempt from its readings; else None."""
    if status not in (SUSPENDED, STARVED):
        return None
    seen = {name: value or 0 for name, value in disturbance.items()}
    said = _suspended(seen) if status == SUSPENDED else _starved(seen)
    figures = _known(disturbance) | {"attempts": float(attempts)}
    return Flag(status, _tried(said, attempts), figures)


def _suspended(seen: Mapping[str, int]) -> str:
    slept, jump = seen.get("slept_ns", 0), seen.get("wall_jump_ns", 0)
    if paused := seen.get("host_paused_ns", 0):
        said = say(
            "The host's clock fell behind the worker's by {}: its machine was paused.",
            {"latency_ns": paused},
        )
    elif slept >= SLEPT_NS:
        said = say("The machine was suspended for {}.", {"latency_ns": slept})
    elif abs(jump) >= WALL_JUMP_NS:
        where = "forward" if jump > 0 else "back"
        said = say(
            "The wall clock jumped {} by {}: the machine was paused, or its clock was set.",
            where,
            {"latency_ns": abs(jump)},
        )
    else:
        paused_ns: Quantity = {"latency_ns": seen.get("paused_ns", 0)}
        sentence = "The probe did not run for {}: its process or its machine was stopped."
        said = say(sentence, paused_ns)
    return said


def _starved(seen: Mapping[str, int]) -> str:
    if seen.get("late_ns", 0) >= LATE_NS:
        said = say("The probe waited {} for a CPU.", {"latency_ns": seen.get("cpu_wait_ns", 0)})
    else:
        lost: Quantity = {"latency_ns": seen.get("cpu_lost_ns", 0)}
        said = say(
            "Its threads waited {} for CPUs used by other processes or withheld by a quota.", lost
        )
    if throttled := seen.get("throttled_ns", 0):
        said += say(" The control group's quota stopped it for {}.", {"latency_ns": throttled})
    return said


def _tried(said: str, attempts: int) -> str:
    return said if attempts == 1 else say("{} It was tried {} times.", said, str(attempts))


def _known(figures: Mapping[str, int | None]) -> dict[str, float]:
    return {name: float(value) for name, value in figures.items() if value is not None}


RULES: tuple[Callable[[Readings], Flag | None], ...] = (
    lambda r: of_disturbance(r.status, r.disturbance, r.attempts),
    _contended,
    _too_short,
    _timed_out,
    _cliff,
)
"""Each evaluates one trial's readings."""
