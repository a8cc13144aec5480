"""The figures of a trial of a path test at one pair of ends, from the attempts of both."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from assay.analysis import flags, throughput
from assay.analysis.flags import Flag, ordered
from assay.analysis.served_by import CLAIM_SHARE, weakest
from assay.analysis.shape import fading
from assay.analysis.statuses import COUNTED, of_trial, reason_of_trial
from assay.analysis.throughput import Intervals
from assay.analysis.writeback import WritebackRate
from assay.base import words
from assay.base.worded import say
from assay.kinds import writeback
from assay.kinds.evidence import Findings, bytes_per_s, find, ramp
from assay.kinds.levels import fallen
from assay.kinds.path.fields import READING, TRANSFERS, WRITING, Leg
from assay.kinds.path.figures import PathTrial
from assay.kinds.run_record import AttemptBeside, AttemptRecord, RunRecord, TrialRecord
from assay.kinds.transfer.cards import HostEnd, HostTransfers, figures_of, shared_card
from assay.kinds.transfer.cells import named
from assay.kinds.transfer.evidence import SIDES, SINK, SOURCE, Reason, TransferSide
from assay.kinds.transfer.streams import (
    EndFigures,
    files_moved,
    link_figures,
    rejections,
    wrong_blocks,
)

Ends = tuple[int, int]
"""Sender and receiver of a pair, by their positions among the participants of a run."""


@dataclass(frozen=True)
class PairAttempts:
    """The attempts of a trial at one pair of the run's ends."""

    run: RunRecord
    trial: TrialRecord
    positions: Ends

    @property
    def leg(self) -> Leg:
        """The leg of the trial."""
        return self.trial.parameters["leg"]

    @property
    def sender(self) -> AttemptRecord | None:
        """The attempt at the source."""
        return self.trial.deciding[self.positions[0]]

    @property
    def receiver(self) -> AttemptRecord | None:
        """The attempt at the sink."""
        return self.trial.deciding[self.positions[1]]

    @property
    def used(self) -> Mapping[TransferSide, AttemptRecord | None]:
        """The attempts at the ends that the leg uses."""
        ends = {SOURCE: self.sender, SINK: self.receiver}
        unused = {"write": SOURCE, "read": SINK}.get(self.leg)
        return {side: attempt for side, attempt in ends.items() if side is not unused}

    @property
    def scored(self) -> AttemptRecord | None:
        """The attempt whose bytes score the leg."""
        return scored_end(self.leg, self.sender, self.receiver)

    @cached_property
    def found(self) -> Mapping[TransferSide, Findings]:
        """Who served each disk that the leg uses, and who else used it."""
        disks = ((SOURCE, self.leg in READING), (SINK, self.leg in WRITING))
        each = {side: self._findings(side) for side, used in disks if used}
        return {side: one for side, one in each.items() if one is not None}

    def _findings(self, side: TransferSide) -> Findings | None:
        """Return who served the disk of a side, and who else used it.

        Those with the other role move data in the opposite direction, which matters if they share a
        host.
        """
        run, trial, offset = self.run, self.trial, SIDES.index(side)
        alike = range(offset, len(run.sites), 2)
        opposite = range(1 - offset, len(run.sites), 2)
        alone = replace(
            trial,
            deciding=[trial.deciding[one] for one in alike],
            beside=[AttemptBeside(run.sites[one].boot_id, trial.deciding[one]) for one in opposite],
        )
        return find(
            replace(run, sites=[run.sites[one] for one in alike]),
            alone,
            alike.index(self.positions[offset]),
            operation="read" if side is SOURCE else "write",
            cache=run.parameters[f"{side.name}_cache"],
        )

    @cached_property
    def traffic(self) -> Mapping[TransferSide, HostTransfers]:
        """The transfers of all pairs that may pass the cards of the ends; none without network."""
        return {side: self._traffic(side) for side in SIDES if self.leg in TRANSFERS}

    def _traffic(self, side: TransferSide) -> HostTransfers:
        """Return the transfers of all pairs with an end on the host of an end."""
        run, deciding, offset = self.run, self.trial.deciding, SIDES.index(side)
        host = run.sites[self.positions[offset]].machine

        def ends(offset: int) -> list[HostEnd]:
            """Return those with an end of this side there."""
            return [
                HostEnd(deciding[one], deciding[one - offset])
                for one in range(offset, len(run.sites), 2)
                if run.sites[one].machine == host
            ]

        return HostTransfers(along=ends(offset), against=ends(1 - offset))


def measured(run: RunRecord, trial: TrialRecord, positions: Ends) -> PathTrial:
    """Return the figures of a trial in any state at one pair of ends."""
    pair = PairAttempts(run, trial, positions)
    found = _without_rates(pair)
    if pair.leg in TRANSFERS:
        found = replace(
            found,
            link=link_figures([(pair.sender, pair.receiver)]),
            wrong_blocks=wrong_blocks(pair.sender, pair.receiver),
            rejected_connections=rejections(pair.sender, pair.receiver),
        )
    return _with_rates(pair, found) if found.status in COUNTED else found


def _without_rates(pair: PairAttempts) -> PathTrial:
    """Return what is known of a trial in any state."""
    trial, scored, used = pair.trial, pair.scored, pair.used
    ends = {side: figures_of(one, pair.traffic.get(side)) for side, one in used.items()}
    both = (("sender", pair.sender), ("receiver", pair.receiver))
    return PathTrial(
        id=trial.id,
        repeat=trial.repeat,
        status=of_trial([one.status if one else "waiting" for one in used.values()]),
        reason=reason_of_trial(one.reason for one in used.values() if one),
        attempts=trial.attempts,
        again=trial.again,
        bytes=scored.bytes if scored else 0,
        application_bytes_per_s=None,
        durable_bytes_per_s=None,
        bounded=bool(scored and (scored.result or {}).get("sync") == "bounded"),
        served_by=None,
        flags=ordered([*_flags(pair, scored), *_of_cards(pair, ends)]) if scored else [],
        inflated=None,
        sender=ends.get(SOURCE),
        receiver=ends.get(SINK),
        link=None,
        wrong_blocks=0,
        starved_roles=[role for role, one in both if one and one.status == "starved"],
        files=files_moved(pair.sender, pair.receiver) or None,
    )


def _with_rates(pair: PairAttempts, known: PathTrial) -> PathTrial:
    """Return a trial that counts, with its rates and what they rest on."""
    application, durable = _rates(pair.scored, pair.leg)
    leading = durable or application
    sources = [one.durable or one.application for one in pair.found.values()]
    others = [one.contention for one in pair.found.values()]
    return replace(
        known,
        application_bytes_per_s=application,
        durable_bytes_per_s=durable,
        served_by=weakest(sources) if sources else None,
        inflated=_inflated(pair),
        sent_bytes_per_s=_rates(pair.sender, pair.leg)[0] if pair.leg in TRANSFERS else None,
        files_per_s=files_per_s(leading, known.files, known.bytes),
        writeback=_writeback(pair),
        levels=fallen(_after_ramp(pair.scored), others),
    )


def files_per_s(bytes_per_s: float | None, files: int | None, moved: int) -> float | None:
    """Return how many small files move in a second at a rate; None without any, or a rate."""
    return bytes_per_s * files / moved if bytes_per_s and files and moved else None


def scored_end(
    leg: Leg, sender: AttemptRecord | None, receiver: AttemptRecord | None
) -> AttemptRecord | None:
    """Return the attempt whose bytes score a leg."""
    return sender if leg == "read" else receiver


def _rates(scored: AttemptRecord | None, leg: Leg) -> tuple[float | None, float | None]:
    """Return the application and the durable rate, both without the ramp-up."""
    if scored is None or scored.app_ns is None:
        return None, None
    ramp_bytes, ramp_ns = ramp(scored)
    moved = scored.bytes - ramp_bytes
    application = bytes_per_s(moved, scored.app_ns - ramp_ns)
    if leg not in WRITING or scored.durable_ns is None:
        return application, None
    return application, bytes_per_s(moved, scored.durable_ns - ramp_ns)


def _writeback(pair: PairAttempts) -> WritebackRate | None:
    """Return the writeback of what a receiver wrote; small files always use its page cache."""
    receiver, found, asked = pair.receiver, pair.found.get(SINK), pair.run.parameters
    if receiver is None or found is None:
        return None
    cache = "page" if asked.get("small_files") else asked["sink_cache"]
    return writeback.of_attempt(receiver, cache, found.durable, ramp_ns=ramp(receiver)[1])


def _after_ramp(scored: AttemptRecord | None) -> Intervals | None:
    """Return the throughput over time of an end after its ramp-up."""
    if scored is None or scored.course is None:
        return None
    return throughput.without_start(scored.course, ramp(scored)[1])


def _flags(pair: PairAttempts, scored: AttemptRecord) -> Iterator[Flag]:
    """Yield the flags of both ends; a rate is that of one end, and so is *too short*."""
    trial = pair.trial
    for side, attempt in ((SOURCE, pair.sender), (SINK, pair.receiver)):
        if attempt is None:
            continue
        found = pair.found.get(side)
        if attempt is scored or found is not None:
            judged = _judged(pair, attempt, found)
            if attempt is not scored or attempt.status not in COUNTED:
                judged = [one for one in judged if one.code not in ("too_short", "timed_out")]
        else:
            one = flags.of_disturbance(attempt.status, attempt.disturbance, trial.attempts)
            judged = [one] if one else []
        yield from (named(one, side.end) for one in judged)


def _judged(pair: PairAttempts, attempt: AttemptRecord, found: Findings | None) -> list[Flag]:
    """Return the flags of an end that scores the leg, or uses a disk."""
    trial = pair.trial
    return flags.judge(
        flags.Readings(
            status=attempt.status,
            block=trial.parameters["block"],
            threads=max(1, trial.parameters["streams"]),
            files=1,
            bytes=attempt.bytes,
            operations=attempt.ops,
            app_ns=attempt.app_ns,
            durable_ns=attempt.durable_ns if pair.leg in WRITING else None,
            contention=found.contention if found else None,
            sized_by="length",
            attempts=trial.attempts,
            disturbance=attempt.disturbance,
        )
    )


def _of_cards(pair: PairAttempts, ends: Mapping[TransferSide, EndFigures | None]) -> Iterator[Flag]:
    """Yield the flags of the ends whose card others used as well."""
    for side, through in pair.traffic.items():
        moved = sum(one.sender.bytes for one in through.along if one.sender)
        if flag := shared_card(ends[side], moved):
            yield named(flag, side.end)


_FADED = {
    False: "a cache took in the data at first",
    True: "a cache may have taken in the data at first, or the source or the network slowed down",
}


def _inflated(pair: PairAttempts) -> Reason | None:
    """Return why a cache at the sink makes the leading rate of a leg too high, if one does.

    Fewer than `CLAIM_SHARE` of the bytes had reached the device when the sync timed out, or,
    without a sync, at the last write; or the last third of the time was much slower than the first.
    The pairs of a joint run slow each other down: they fade only together.
    """
    receiver, found = pair.receiver, pair.found.get(SINK)
    if receiver is None or pair.leg not in WRITING:
        return None
    return _unwritten(receiver, found) or (
        faded(receiver.course, pair.leg) if len(pair.run.sites) == 2 else None
    )


def _unwritten(receiver: AttemptRecord, found: Findings | None) -> Reason | None:
    """Return that a part of the data had not reached the sink's device.

    After a complete sync, a counter that shows less does not count all data: it accuses no cache.
    """
    result, synced = receiver.result or {}, receiver.durable_ns is not None
    device = result.get("dev_durable_bytes" if synced else "dev_app_bytes")
    if result.get("sync") == "complete" or device is None or receiver.bytes <= 0:
        return None
    written = receiver.bytes + (found.siblings_bytes or 0 if found else 0)
    claimed = written * (found.counter.copies if found else 1)
    if device >= CLAIM_SHARE * claimed:
        return None
    share = device / claimed
    return Reason(
        "device_bytes",
        f"Only {words.percent(share)} of the received data had reached the sink's device "
        f"{'after the sync' if synced else 'at the last write'}.",
        {"share": share, "device_bytes": float(device), "bytes": float(written)},
    )


def faded(seen: Intervals | None, leg: Leg) -> Reason | None:
    """Return that the throughput of a leg fell, as it does when a cache is full."""
    thirds = fading(seen) if leg in WRITING and seen is not None else None
    if thirds is None:
        return None
    first, last = thirds
    return Reason(
        "faded",
        say(
            "The last third of the time reached {}, the first {}: {}.",
            {"bytes_per_s": last},
            {"bytes_per_s": first},
            _FADED[leg in READING],
        ),
        {"first_bytes_per_s": first, "last_bytes_per_s": last},
    )
