"""The result of a path test: its legs, what limits each setting, and the headline."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import ConfigDict, Field

from assay.analysis import words
from assay.analysis.edition import EDITION
from assay.analysis.flags import BOTH, CODES, FlagCode, Rate
from assay.analysis.levels import levels_words
from assay.analysis.statuses import COUNTED
from assay.analysis.writeback import mean_of
from assay.kinds import writeback
from assay.kinds.evidence import counter
from assay.kinds.examples import example
from assay.kinds.limits import BaseLimit, cut_short, excluding, unreliable, unstable
from assay.kinds.path.evidence import Limit
from assay.kinds.path.fields import LEGS, NAME, TRANSFERS, WRITING, Leg
from assay.kinds.path.joint import is_full_duplex, pairs_of
from assay.kinds.path.legs import PathLeg, legs_of, reliable_trials
from assay.kinds.path.report import trial_words
from assay.kinds.path.settings import (
    PathSetting,
    Scorecard,
    compared,
    fastest,
    is_sound,
    scorecard,
    settings_of,
)
from assay.kinds.path.trials import PathTrial
from assay.kinds.result import BaseHeadline, BaseResult, RunOutcome
from assay.kinds.run_record import AttemptRecord, RunRecord
from assay.kinds.selected import selected

NoResult = Literal["cache_inflated", "unreliable", "not_measured", "wrong_data"]
LimitCode = Literal[
    "cut_short",
    "wrong_data",
    "rejected_connections",
    "unreliable",
    "unstable",
    "writeback_delay",
    "below_repeats",
    "levels",
]


@dataclass(frozen=True)
class PathLimit(BaseLimit):
    """A limitation of a path's result."""

    code: LimitCode


class PathHeadline(BaseHeadline):
    """The rate of the best setting, and what limits it; `no_result` is why there is no rate.

    The rate is that of all `pairs` of source and sink together; with `full_duplex`, the sum of both
    directions. `limit_names` are the limit, if it is known, and the others in words, if there are
    several pairs; else empty. `flags` are those that exclude the trials if none is reliable.
    """

    kind: Literal["path"]
    leg: Leg | None
    rate: Rate | None
    bytes_per_s: float | None
    tb_per_hour: float | None
    block: int | None
    streams: int | None
    efficiency: float | None
    limit: Limit | None
    others: list[Limit]
    no_result: NoResult | None
    pairs: int = 1
    limit_names: list[str] = Field(default_factory=list[str])
    full_duplex: bool = False
    flags: list[FlagCode] = Field(default_factory=list[FlagCode])


class PathResult(BaseResult):
    """The legs of a path, its settings, and the best one."""

    model_config = ConfigDict(json_schema_extra=example("path", "result"))

    kind: Literal["path"]
    legs: list[PathLeg]
    settings: list[PathSetting]
    best: int | None
    headline: PathHeadline | None
    scorecard: Scorecard | None
    same_host: bool
    shared_device: bool
    warnings: list[PathLimit]
    full_duplex: bool = False

    def leg(self, leg: Leg, block: int, streams: int | None) -> PathLeg | None:
        """Return a leg with a setting; one without network has no streams."""
        wanted = streams if leg in TRANSFERS else None
        return next(
            (one for one in self.legs if (one.leg, one.block, one.streams) == (leg, block, wanted)),
            None,
        )


def judge(run: RunRecord) -> PathResult:
    """Return the result of a run in any state."""
    legs = legs_of(run)
    shared = _shares_device(run)
    settings = settings_of(legs, run, shared_device=shared)
    leading = fastest(settings, legs)
    best = settings.index(leading) if leading else None
    boots = [site.boot_id for site in run.sites]
    full_duplex = is_full_duplex(run)
    headline = _headline(settings, best, legs, run)
    return PathResult(
        kind=NAME,
        run_id=run.id,
        edition=EDITION,
        participants=run.participants,
        legs=legs,
        settings=settings,
        best=best,
        headline=headline,
        scorecard=scorecard(leading, legs)
        if leading and headline and headline.no_result is None and not full_duplex
        else None,
        same_host=boots[0] is not None and len(set(boots)) == 1,
        shared_device=shared,
        warnings=_warnings(run, legs),
        full_duplex=full_duplex,
    )


def outcome(result: PathResult) -> RunOutcome:
    """Return the finding of an ended run."""
    if result.headline is None:
        return RunOutcome()
    best = result.settings[result.best] if result.best is not None else None
    leg = (
        result.leg(best.transfer, best.block, best.streams)
        if best is not None and best.transfer is not None
        else None
    )
    rated = [one for one in leg.trials if one.leading_bytes_per_s] if leg else []
    trial = max(rated, key=lambda one: one.leading_bytes_per_s or 0) if rated else None
    return RunOutcome(
        headline=result.headline,
        best_bytes_per_s=result.headline.bytes_per_s,
        best_trial_id=trial.id if trial else None,
    )


def _headline(
    settings: Sequence[PathSetting], best: int | None, legs: Sequence[PathLeg], run: RunRecord
) -> PathHeadline | None:
    """Return the headline of the best setting, or why there is none; None if nothing ended."""
    full_duplex = is_full_duplex(run)
    pairs = len(pairs_of(run)) // (2 if full_duplex else 1)
    if best is not None:
        one = settings[best]
        if is_sound(one, legs):
            found = one.bottleneck
            return PathHeadline(
                kind=NAME,
                leg=one.transfer,
                rate="durable" if one.transfer in WRITING else "application",
                bytes_per_s=one.transfer_bytes_per_s,
                tb_per_hour=one.tb_per_hour,
                block=one.block,
                streams=one.streams,
                efficiency=one.efficiency,
                limit=found.limit if found else None,
                others=list(found.others) if found else [],
                no_result=None,
                pairs=pairs,
                limit_names=list(found.names) if found else [],
                full_duplex=full_duplex,
                selected=selected(compared(settings, legs)),
            )
    moving = [leg for leg in legs if leg.leg in TRANSFERS] or list(legs)
    ended = [
        one for leg in moving for one in leg.trials if one.status not in ("waiting", "running")
    ]
    if not ended:
        return None
    known = [one.bottleneck for one in settings if one.bottleneck]
    why = _why_not(moving, ended)
    codes = {code for leg in moving for code in excluding(leg.trials, leg.rate)}
    return PathHeadline(
        kind=NAME,
        leg=None,
        rate=None,
        bytes_per_s=None,
        tb_per_hour=None,
        block=None,
        streams=None,
        efficiency=None,
        limit=known[0].limit if known else None,
        others=[],
        no_result=why,
        pairs=pairs,
        limit_names=list(known[0].names[:1]) if known else [],
        full_duplex=full_duplex,
        flags=[code for code in CODES if code in codes] if why == "unreliable" else [],
    )


def _why_not(moving: Sequence[PathLeg], ended: Sequence[PathTrial]) -> NoResult:
    if any(one.wrong_blocks for one in ended):
        return "wrong_data"
    if any(leg.inflated for leg in moving):
        return "cache_inflated"
    if any(one.status in COUNTED for one in ended):
        return "unreliable"
    return "not_measured"


def _shares_device(run: RunRecord) -> bool:
    """Return whether each disk that is read is also written, and each that is written also read."""
    devices = [
        {
            (site.boot_id, name)
            for trial in run.trials
            for name in _devices(trial.deciding[place])
            if site.boot_id is not None
        }
        for place, site in enumerate(run.sites)
    ]
    read, written = devices[::2], devices[1::2]
    return all(any(one & other for other in written) for one in read) and all(
        any(one & other for one in read) for other in written
    )


def _devices(attempt: AttemptRecord | None) -> Sequence[str]:
    return counter(attempt.result if attempt else None).devices


def _warnings(run: RunRecord, legs: Sequence[PathLeg]) -> list[PathLimit]:
    trials = [one for leg in legs for one in leg.trials]
    found: list[PathLimit] = []
    if run.cut_short is not None:
        done = sum(one.status in COUNTED for one in trials)
        found.append(PathLimit("cut_short", *cut_short(run.cut_short, done, len(trials))))
    wrong = sum(one.wrong_blocks for one in trials)
    if wrong:
        said = (
            f"{words.capital(words.count(wrong, 'block'))} did not arrive as sent. Do not trust "
            "data from this path."
        )
        found.append(PathLimit("wrong_data", said, {"blocks": float(wrong)}))
    found += [
        PathLimit("unreliable", unreliable(_leg_words(leg), _sound_but_flagged(leg), leg.rate))
        for leg in legs
        if not leg.reliable and _sound_but_flagged(leg)
    ]
    varying = (unstable(_leg_words(leg), leg.rate, leg.bytes_per_s) for leg in legs)
    found += [PathLimit("unstable", *one) for one in varying if one]
    found += [*_of_levels(legs), *_of_writeback(legs), *_below(legs)]
    rejected = sum(one.rejected_connections for one in trials)
    if rejected:
        said = (
            f"The listening end rejected {words.count(rejected, 'connection')} of others during "
            "the trials."
        )
        found.append(PathLimit("rejected_connections", said, {"connections": float(rejected)}))
    return found


def _of_levels(legs: Sequence[PathLeg]) -> list[PathLimit]:
    """Return that the rate of a trial fell for a lasting time."""
    changed = [(leg, one) for leg in legs for one in reliable_trials(leg) if one.levels]
    if not changed:
        return []
    leg, trial = changed[0]
    place = f" {where}" if (where := _place(leg, legs)) else ""
    more = len(changed) - 1
    others = f" {words.capital(words.count(more, 'other trial'))} changed, too." if more else ""
    message = (
        f"The rate of repeat {trial.repeat}{place} changed for a lasting time: "
        f"{levels_words(trial.levels)}. Its mean is a rate that was never reached.{others}"
    )
    figures = {"trial_id": float(trial.id), "trials": float(len(changed))}
    return [PathLimit("levels", message, figures)]


def _of_writeback(legs: Sequence[PathLeg]) -> list[PathLimit]:
    """Return what page-cache rates include, said of the fastest leg."""
    written = [
        (leg.bytes_per_s.mean, leg) for leg in legs if leg.rate == "durable" and leg.bytes_per_s
    ]
    written.sort(key=lambda one: -one[0])
    found = [
        (
            _place(leg, legs),
            mean_of([one.writeback for one in reliable_trials(leg) if one.writeback]),
        )
        for _, leg in written
    ]
    said = writeback.delay(found)
    return [PathLimit("writeback_delay", *said)] if said else []


def _below(legs: Sequence[PathLeg]) -> list[PathLimit]:
    """Return the trials far below their repeats: one that writes, and one that does not."""
    found: list[PathLimit] = []
    for rate in BOTH:
        alike = [leg for leg in legs if leg.rate == rate]
        even = [[one for one in reliable_trials(leg) if not one.levels] for leg in alike]
        repeats = [
            (_place(leg, legs), writeback.repeats_of(trials, rate))
            for leg, trials in zip(alike, even, strict=True)
        ]
        first = min((one.id for leg in alike for one in leg.trials), default=0)
        said = writeback.below(repeats, first_trial_id=first, allocates=rate == "durable")
        found += [PathLimit("below_repeats", *said)] if said else []
    return found


def _place(leg: PathLeg, legs: Sequence[PathLeg]) -> str:
    """Return where one of several legs was measured: `for disk to disk (1 MiB, four streams)`."""
    if len(legs) == 1:
        return ""
    streams = f", {words.count(leg.streams, 'stream')}" if leg.streams else ""
    return f"for {LEGS[leg.leg].lower()} ({words.block(leg.block)}{streams})"


def _sound_but_flagged(leg: PathLeg) -> list[PathTrial]:
    """Return the trials of a leg that count but for a flag, or for a rate."""
    return [
        one
        for one in leg.trials
        if one.status in COUNTED and one.inflated is None and not one.wrong_blocks
    ]


def _leg_words(leg: PathLeg) -> str:
    return trial_words({"leg": leg.leg, "block": leg.block, "streams": leg.streams or 0})
