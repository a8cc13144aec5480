"""The result of a path test: its legs, what limits each setting, and the headline."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import ConfigDict, Field

from assay.analysis.edition import EDITION
from assay.analysis.flags import BOTH, FlagCode, Rate
from assay.analysis.levels import levels_words
from assay.analysis.writeback import mean_of
from assay.base import words
from assay.base.worded import Part, Quantity, joined, say
from assay.kinds import writeback
from assay.kinds.evidence import counter
from assay.kinds.examples import example
from assay.kinds.headline import BaseHeadline, HeadlineWords, no_rate_words, nothing
from assay.kinds.limits import BaseLimit, gravest_first, unreliable, unstable
from assay.kinds.path.fields import LEGS, NAME, TRANSFERS, WRITING, Leg
from assay.kinds.path.figures import PathTrial
from assay.kinds.path.joint import is_full_duplex, pairs_of
from assay.kinds.path.legs import PathLeg, deliveries_of, legs_of, reliable_trials
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
from assay.kinds.result import BaseResult, RunOutcome
from assay.kinds.run_record import AttemptRecord, RunRecord
from assay.kinds.selected import selected
from assay.kinds.transfer.cells import counted, ended, excluding_cells, of_cut_short
from assay.kinds.transfer.comparison import Delivery
from assay.kinds.transfer.evidence import Limit, limited_words

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
    directions. `limited` says in short what limits it. `flags` are those that exclude the trials
    if none is reliable.
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
    limited: str | None = None
    full_duplex: bool = False
    flags: list[FlagCode] = Field(default_factory=list[FlagCode])

    def worded(self) -> HeadlineWords:
        """Return the rate of the best setting and what limits it, or why there is none."""
        limited = [self.limited] if self.limited else []
        if self.bytes_per_s is None or self.leg is None:
            why = no_rate_words(self.no_result, self.flags, _NO_RESULT)
            return nothing("; ".join([why, *limited]))
        hourly: Part = "" if self.tb_per_hour is None else {"tb_per_hour": self.tb_per_hour}
        share: Quantity = {"share": self.efficiency or 0.0}
        moved = joined(
            ", ",
            [
                LEGS[self.leg].lower(),
                "both directions together" if self.full_duplex else "",
                "durable" if self.rate == "durable" else "",
            ],
        )
        predicted = (
            say(", {} of what its legs predict", share) if self.efficiency is not None else ""
        )
        rest = joined("; ", [say("{}{}{}", moved, hourly, predicted), *limited])
        return HeadlineWords(None, {"bytes_per_s": self.bytes_per_s}, rest)


_NO_RESULT: dict[str, str] = {
    "cache_inflated": "a cache at the sink makes the rate higher than what its disk holds",
    "wrong_data": "data did not arrive as it was sent",
}
"""Why there is no rate, beside what all kinds have."""


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

    def transfer_of(self, setting: PathSetting | None) -> PathLeg | None:
        """Return the leg that is the transfer of a setting; None without one."""
        if setting is None or setting.transfer is None:
            return None
        return self.leg(setting.transfer, setting.block, setting.streams)

    @property
    def best_leg(self) -> PathLeg | None:
        """The transfer of the best setting."""
        return self.transfer_of(None if self.best is None else self.settings[self.best])

    def deliveries(self) -> list[Delivery]:
        """Return what each leg that uses the network reached, to compare with other programs."""
        return deliveries_of(self.legs, same_host=self.same_host)


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
        warnings=gravest_first(_warnings(run, legs)),
        full_duplex=full_duplex,
    )


def outcome(result: PathResult) -> RunOutcome:
    """Return the finding of an ended run."""
    if result.headline is None:
        return RunOutcome()
    leg = result.best_leg
    rated = [one for one in leg.trials if one.leading_bytes_per_s] if leg else []
    trial = max(rated, key=lambda one: one.leading_bytes_per_s or 0) if rated else None
    return RunOutcome(
        headline=result.headline,
        metric="path.rate" if result.headline.bytes_per_s is not None else None,
        best_trial_id=trial.id if trial else None,
    )


def _headline(
    settings: Sequence[PathSetting], best: int | None, legs: Sequence[PathLeg], run: RunRecord
) -> PathHeadline | None:
    """Return the headline of the best setting, or why there is none; None if nothing ended."""
    full_duplex = is_full_duplex(run)
    pairs = len(pairs_of(run)) // (2 if full_duplex else 1)
    if best is not None and is_sound(settings[best], legs):
        return _reached(settings[best], settings, legs, pairs=pairs, full_duplex=full_duplex)
    moving = [leg for leg in legs if leg.leg in TRANSFERS] or list(legs)
    done = ended(one for leg in moving for one in leg.trials)
    if not done:
        return None
    why = _why_not(moving, done)
    limit: Limit | None = next((one.bottleneck.limit for one in settings if one.bottleneck), None)
    return PathHeadline(
        kind=NAME,
        leg=None,
        rate=None,
        bytes_per_s=None,
        tb_per_hour=None,
        block=None,
        streams=None,
        efficiency=None,
        limit=limit,
        others=[],
        no_result=why,
        pairs=pairs,
        limited=limited_words(limit, []) if limit else None,
        full_duplex=full_duplex,
        flags=excluding_cells(moving) if why == "unreliable" else [],
    )


def _reached(
    one: PathSetting,
    settings: Sequence[PathSetting],
    legs: Sequence[PathLeg],
    *,
    pairs: int,
    full_duplex: bool,
) -> PathHeadline:
    """Return the headline of the best setting, which was selected among all."""
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
        limited=found.limited if found else None,
        full_duplex=full_duplex,
        selected=selected(compared(settings, legs)),
    )


def _why_not(moving: Sequence[PathLeg], trials: Sequence[PathTrial]) -> NoResult:
    if any(one.wrong_blocks for one in trials):
        return "wrong_data"
    if any(leg.inflated for leg in moving):
        return "cache_inflated"
    return "unreliable" if counted(trials) else "not_measured"


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
    found = [PathLimit("cut_short", *said) for said in of_cut_short(run, trials)]
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
    message = say(
        "The rate of repeat {}{} changed for a lasting time: {}. Its mean is a rate "
        "that was never reached.{}",
        str(trial.repeat),
        place,
        levels_words(trial.levels),
        others,
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
    return [one for one in counted(leg.trials) if one.inflated is None and not one.wrong_blocks]


def _leg_words(leg: PathLeg) -> str:
    return trial_words({"leg": leg.leg, "block": leg.block, "streams": leg.streams or 0})
