"""The legs of a path: the repeats of each with each setting."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from assay.analysis import too_short
from assay.analysis.flags import EXCLUDED, Flag, Rate, excluded
from assay.analysis.noise import distinct
from assay.analysis.repeats import Repeats, describe
from assay.analysis.statuses import COUNTED
from assay.kinds.bounds import bound_of, cause_of
from assay.kinds.cells import (
    BaseCell,
    described,
    repeats_of,
    repeats_words,
    state_of,
    with_left_out,
)
from assay.kinds.evidence import SECOND_NS
from assay.kinds.path.fields import LEGS, READING, TRANSFERS, USING_DISK, WRITING, Leg
from assay.kinds.path.figures import PathTrial
from assay.kinds.path.joint import is_full_duplex, measured
from assay.kinds.path.parts import PartCause
from assay.kinds.path.report import trial_words
from assay.kinds.run_record import RunRecord
from assay.kinds.transfer.cells import counted
from assay.kinds.transfer.comparison import GB, Delivery
from assay.kinds.transfer.streams import EndFigures, total


@dataclass(frozen=True)
class PathDirection:
    """One direction of a leg with full duplex. Rates are in bytes per second.

    They are the receivers' application rates in the common window of the reliable trials, in which
    both directions moved data, and `share` is their part of the sum of both.
    """

    sources: Sequence[str]
    sinks: Sequence[str]
    bytes_per_s: Repeats | None
    share: float | None


@dataclass(frozen=True, kw_only=True)
class PathLeg(BaseCell):
    """A leg with one setting. `streams` is null without network.

    `rate` says which rate leads: the durable one if the leg writes a disk. Figures are of the
    reliable trials; of all that count, if there are no others. `inflated` trials have no figures.
    With full duplex there are two `directions`, and `slower_direction` is the position of the one
    that is slower by more than noise.
    `files_per_s` are the small files in a second at the leading rate; null without any.
    """

    leg: Leg
    block: int
    streams: int | None
    rate: Rate
    bytes_per_s: Repeats | None
    inflated: bool
    reliable: bool
    trials: Sequence[PathTrial]
    directions: Sequence[PathDirection] = field(default_factory=list[PathDirection])
    slower_direction: int | None = None
    files_per_s: Repeats | None = None


def legs_of(run: RunRecord) -> list[PathLeg]:
    """Return all legs of a run with each setting, in the order of display."""
    gathered: dict[tuple[Leg, int, int], list[PathTrial]] = {}
    for trial in run.trials:
        found = trial.parameters
        key = found["leg"], found["block"], found["streams"]
        gathered.setdefault(key, []).append(measured(run, trial))
    order = list(LEGS)
    keys = sorted(gathered, key=lambda key: (order.index(key[0]), key[1], key[2]))
    found = [_leg(*key, sorted(gathered[key], key=lambda one: one.repeat)) for key in keys]
    return [_both_ways(one) for one in found] if is_full_duplex(run) else found


def _both_ways(leg: PathLeg) -> PathLeg:
    """Add the rates of each direction of a leg with full duplex."""
    rates = [direction_rates(leg, way) for way in (0, 1)]
    known = all(rates)
    slower = None
    if known and distinct(*rates):
        slower = int(fmean(rates[1]) < fmean(rates[0]))
    ends = next((one.pairs for one in leg.trials if one.pairs), ())
    return replace(
        leg,
        directions=[
            PathDirection(
                sources=list(dict.fromkeys(one.source for one in ends[way::2])),
                sinks=list(dict.fromkeys(one.sink for one in ends[way::2])),
                bytes_per_s=describe(rates[way]) if known else None,
                share=sum(rates[way]) / sum(map(sum, rates)) if known else None,
            )
            for way in (0, 1)
        ],
        slower_direction=slower,
    )


def direction_rates(leg: PathLeg, way: int) -> list[float]:
    """Return the application rates of one direction in the leg's reliable trials.

    `way` is 0 from the source to the sink, 1 in the opposite direction.
    """
    joint = [one.pairs[way::2] for one in reliable_trials(leg) if one.pairs[way::2]]
    rates = [total(pair.application_bytes_per_s for pair in each) for each in joint]
    return [one for one in rates if one is not None]


def _leg(leg: Leg, block: int, streams: int, trials: Sequence[PathTrial]) -> PathLeg:
    rate: Rate = "durable" if leg in WRITING else "application"
    done = counted(trials)
    honest = [one for one in done if one.inflated is None and not one.wrong_blocks]
    sound = [one for one in honest if not excluded(one.flags, rate)]
    used = sound or honest
    application, durable = repeats_of(used, "application"), repeats_of(used, "durable")
    leading = durable if rate == "durable" else application
    kept = with_left_out(trials, {rate: used}, _wrong)
    return PathLeg(
        leg=leg,
        block=block,
        streams=streams or None,
        state=state_of(trials, len(done)),
        repeats_done=len(done),
        repeats_total=len(trials),
        rate=rate,
        bytes_per_s=leading,
        application=application,
        durable=durable,
        inflated=any(one.inflated for one in done),
        reliable=bool(sound),
        files_per_s=described(one.files_per_s or None for one in used),
        trials=kept,
        repeats=repeats_words(kept, rate, leading, done=len(done)),
    )


def _wrong(trial: PathTrial) -> str | None:
    """Return why a trial does not count whatever its flags are."""
    if trial.inflated:
        return "inflated_by_cache"
    return "wrong_data" if trial.wrong_blocks else None


def rates_of(leg: PathLeg | None) -> list[float]:
    """Return the leading rates of a leg's trials that its figures rest on."""
    return _leading(leg, reliable_trials(leg)) if leg else []


def _leading(leg: PathLeg, trials: Sequence[PathTrial]) -> list[float]:
    return [rate for one in trials if (rate := one.rate(leg.rate))]


@dataclass(frozen=True)
class PartRates:
    """What a part of a transfer reaches by itself.

    `causes` say why the rates are only bounds of the true one. `trials` are those that they are of.
    """

    rates: Sequence[float]
    causes: frozenset[PartCause] = frozenset()
    trials: Sequence[PathTrial] = ()

    @property
    def is_raised(self) -> bool:
        """Whether the true rate may be lower."""
        return any(bound_of(cause, "rate") == "upper" for cause in self.causes)


def part_rates(leg: PathLeg | None, *, shared: bool, to_last_end: bool) -> PartRates:
    """Return the rates of a part of a transfer, of the reliable trials if there are any.

    `to_last_end` and `shared` are those of `_to_last_end`.
    """
    if leg is None:
        return PartRates([])
    trials, causes = _usable(leg, to_last_end=to_last_end)
    rates = _to_last_end(leg, trials, shared=shared) if to_last_end else _leading(leg, trials)
    return PartRates(rates, causes, trials)


def _usable(leg: PathLeg, *, to_last_end: bool) -> tuple[Sequence[PathTrial], frozenset[PartCause]]:
    """Return the trials that show something of a leg's rate, and why it is only a bound of it.

    The best that there are: first those with the rate itself, then reliable ones with a bound, then
    disturbed ones, then inflated ones.
    """
    ranked: dict[int, list[tuple[PathTrial, set[PartCause]]]] = {}
    for trial in leg.trials:
        if trial.status not in COUNTED or trial.wrong_blocks:
            continue
        higher, lower = _raised(leg, trial), _lowered(leg, trial, to_last_end=to_last_end)
        if lower is None or (higher and lower):
            continue  # its rate is no bound
        rank = 3 if trial.inflated else 2 if lower else 1 if higher else 0
        ranked.setdefault(rank, []).append((trial, higher | lower))
    best = ranked[min(ranked)] if ranked else []
    return [trial for trial, _ in best], frozenset(cause for _, causes in best for cause in causes)


_CACHES = frozenset({"page_cache", "array_cache"})


def _raised(leg: PathLeg, trial: PathTrial) -> set[PartCause]:
    """Return what can have raised the leading rate of a trial."""
    found: set[PartCause] = set()
    if trial.inflated or (trial.served_by and trial.served_by.source in _CACHES):
        found.add("cached")
    if trial.bounded and leg.rate == "durable":
        found.add("bounded")
    return found


def _lowered(leg: PathLeg, trial: PathTrial, *, to_last_end: bool) -> set[PartCause] | None:
    """Return what can have lowered the leading rate of a trial; None if it may as well be lower."""
    found: set[PartCause] = set()
    for flag in _flags(trial, to_last_end=to_last_end):
        if flag.code not in EXCLUDED or leg.rate not in flag.rates:
            continue
        cause = cause_of(flag, reads=leg.leg in READING)
        if cause not in ("contended", "starved"):
            return None
        found.add(cause)
    return found


def application_rates_of(leg: PathLeg) -> list[float]:
    """Return the application rates of a leg's reliable trials."""
    return [rate for one in reliable_trials(leg) if (rate := one.application_bytes_per_s)]


def _to_last_end(leg: PathLeg, trials: Sequence[PathTrial], *, shared: bool) -> list[float]:
    """Return the rates if each pair moves as much as the others; of one pair, the leading ones.

    Only these compare with a durable rate of several pairs, which is over the time of the last one.
    What the pairs read had a fixed length, as well. Between memories a duration ends the leg: what
    an ended pair leaves goes to the others if they are `shared` out one limit; else the slowest one
    goes on at its own rate.
    """
    if leg.rate == "durable" or not any(one.pairs for one in leg.trials):
        return _leading(leg, trials)
    joint = [one for one in trials if one.pairs]
    if leg.leg == "read":
        return [rate for one in joint if (rate := one.to_last_end_bytes_per_s)]
    if shared:
        return _leading(leg, trials)
    slowest = [
        (len(one.pairs), min(pair.application_bytes_per_s or 0.0 for pair in one.pairs))
        for one in joint
    ]
    return [pairs * rate for pairs, rate in slowest if rate]


def reliable_trials(leg: PathLeg) -> list[PathTrial]:
    """Return the trials that the figures of a leg rest on."""
    return [
        one
        for one in counted(leg.trials)
        if one.inflated is None and not one.wrong_blocks and not excluded(one.flags, leg.rate)
    ]


def _flags(trial: PathTrial, *, to_last_end: bool) -> list[Flag]:
    """Return the flags of a trial; of its rate `to_last_end`, those that concern its longer time.

    How long the fastest pair took, or all of them together, is no matter then.
    """
    rate = trial.to_last_end_bytes_per_s if to_last_end else None
    if not rate or trial.bytes / rate * SECOND_NS < too_short.LEAST_NS:
        return list(trial.flags)
    return [one for one in trial.flags if one.code not in ("too_short", "short_overlap")]


def deliveries_of(legs: Sequence[PathLeg], *, same_host: bool) -> list[Delivery]:
    """Return what each leg that uses the network reached, with each setting."""
    return [_delivery(leg, same_host=same_host) for leg in legs if leg.leg in TRANSFERS]


def _delivery(leg: PathLeg, *, same_host: bool) -> Delivery:
    done = counted(leg.trials)
    costs = [cost for one in done if (cost := _cpu(one, same_host=same_host)) is not None]
    fixed = leg.leg in USING_DISK
    return Delivery(
        name=trial_words({"leg": leg.leg, "block": leg.block, "streams": leg.streams or 0}),
        length_bytes=max((one.bytes for one in done), default=None) if fixed else None,
        rates=rates_of(leg),
        bytes_per_s=leg.bytes_per_s.mean if leg.bytes_per_s else None,
        cpu_s_per_gb=fmean(costs) if costs else None,
        lost=sum(one.wrong_blocks for one in done) if done else None,
    )


def _cpu(trial: PathTrial, *, same_host: bool) -> float | None:
    """Return the CPU seconds of all hosts per 10^9 bytes, each host counted once."""
    of_host: dict[str, list[float]] = {}
    for host, end in _ends(trial):
        if end is None or end.load is None or not end.load.busy_ns:
            return None
        of_host.setdefault("" if same_host else host, []).append(end.load.busy_ns / 1e9)
    used = [max(one) for one in of_host.values()]
    return sum(used) * GB / trial.bytes if trial.bytes else None


def _ends(trial: PathTrial) -> Iterator[tuple[str, EndFigures | None]]:
    """Yield both ends of each pair of a trial, with a name that ends on one host share."""
    if not trial.pairs:
        yield from (("source", trial.sender), ("sink", trial.receiver))
    for pair in trial.pairs:
        yield from ((pair.source_host, pair.sender), (pair.sink_host, pair.receiver))
