"""The figures of a trial of a path test, from the attempts of its sender and its receiver."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.analysis import course, flags, words
from assay.analysis.course import Intervals
from assay.analysis.flags import Flag, Rate
from assay.analysis.levels import HeldRate
from assay.analysis.served_by import CLAIM_SHARE, ServedBy, weakest
from assay.analysis.shape import fading
from assay.analysis.statuses import COUNTED, of_trial, reason_of_trial
from assay.analysis.writeback import WritebackRate
from assay.kinds import writeback
from assay.kinds.evidence import Findings, bytes_per_s, find
from assay.kinds.levels import HeldLevels, fallen
from assay.kinds.path.cards import HostEnd, HostTransfers, figures_of, shared_card
from assay.kinds.path.evidence import Reason
from assay.kinds.path.fields import READING, TRANSFERS, WRITING, Leg
from assay.kinds.path.streams import (
    EndFigures,
    LinkFigures,
    files_moved,
    link_figures,
    rejections,
    wrong_blocks,
)
from assay.kinds.run_record import AttemptBeside, AttemptRecord, RunRecord, TrialRecord

ROLES = ("sender", "receiver")

Ends = tuple[int, int]
"""Sender and receiver of a pair, by their positions among the participants of a run."""


@dataclass(frozen=True)
class PathPair:
    """One source and its sink in a trial of several pairs. Rates are in bytes per second.

    The application rate is that of the receiver in the common window, in which all pairs moved
    data, `share` its part of the sum, the sent rate that of the sender there; they are null without
    such a window. `own_bytes_per_s` is the application rate over all of the pair's own time,
    `own_ns`, without a ramp-up. The durable rate is the pair's own, too, up to its final sync.
    `start_delay_ns` is how long after the agreed start the end began that scores the leg. The hosts
    are machines: of several entries of one, the first.
    """

    sender_id: int
    receiver_id: int
    source: str
    sink: str
    source_host: str
    sink_host: str
    status: str
    reason: str | None
    bytes: int
    application_bytes_per_s: float | None
    durable_bytes_per_s: float | None
    share: float | None
    start_delay_ns: int | None
    served_by: ServedBy | None
    sender: EndFigures | None
    receiver: EndFigures | None
    link: LinkFigures | None
    wrong_blocks: int
    sent_bytes_per_s: float | None
    starved_roles: Sequence[str]
    files: int | None = None
    files_per_s: float | None = None
    own_bytes_per_s: float | None = None
    own_ns: int | None = None

    def own(self, rate: Rate) -> float | None:
        """Return the rate of this kind over the pair's own time."""
        return self.durable_bytes_per_s if rate == "durable" else self.own_bytes_per_s

    @property
    def name(self) -> str:
        """Source and sink."""
        return f"{self.source} → {self.sink}"


@dataclass(frozen=True)
class PathTrial:
    """A trial of a leg. Rates are in bytes per second, of the receiver's bytes over its time.

    The durable rate is up to the end of the final sync; a leg that writes no disk has none.
    `inflated` is why a cache makes its rates higher than what the sink's disk holds. Of a leg
    without network, `link` is null. `wrong_blocks` did not arrive as they were sent.
    `sent_bytes_per_s` is the sender's rate up to its last send, which is higher than the
    receiver's if buffers took in the data. `rejected_connections` are those of others that the
    listening end rejected.

    Several `pairs` have one rate: the application rate is that of the common window, in which all
    moved data, the durable rate that of all bytes from the agreed start to the last sync. `sender`
    and `receiver` are then those of all pairs, or null if these are on different hosts.
    `fairness` is Jain's index of the pairs' application rates, `slowest_pair` a position in
    `pairs`. `to_last_end_bytes_per_s`, of reads, is all bytes ÷ the time from the agreed start to
    the end of the last pair, as a durable rate is to the last sync.

    `files` are the small files that were moved, and `files_per_s` how many in a second at the
    leading rate; null without small files.

    `writeback` is when the sink's kernel began to write the data of one pair back, and the rate
    from then on; null where no counter shows it. `levels` are the lasting rates of a trial whose
    rate fell for a lasting time and rose again, or fell by less than a full cache makes it.
    """

    id: int
    repeat: int
    status: str
    reason: str | None
    attempts: int
    again: bool
    bytes: int
    application_bytes_per_s: float | None
    durable_bytes_per_s: float | None
    bounded: bool
    served_by: ServedBy | None
    flags: Sequence[Flag]
    inflated: Reason | None
    sender: EndFigures | None
    receiver: EndFigures | None
    link: LinkFigures | None
    wrong_blocks: int
    sent_bytes_per_s: float | None = None
    rejected_connections: int = 0
    starved_roles: Sequence[str] = field(default_factory=list[str])
    pairs: Sequence[PathPair] = field(default_factory=list[PathPair])
    window_ns: int | None = None
    fairness: float | None = None
    slowest_pair: int | None = None
    files: int | None = None
    files_per_s: float | None = None
    to_last_end_bytes_per_s: float | None = None
    writeback: WritebackRate | None = None
    levels: HeldLevels = field(default_factory=list[HeldRate])

    @property
    def leading_bytes_per_s(self) -> float | None:
        """The durable rate if there is one, else the application rate."""
        return self.durable_bytes_per_s or self.application_bytes_per_s


def measured(run: RunRecord, trial: TrialRecord, positions: Ends) -> PathTrial:
    """Return the figures of a trial in any state at one pair of ends."""
    leg: Leg = trial.parameters["leg"]
    sender, receiver = (trial.deciding[place] for place in positions)
    ends = [one for one, used in ((sender, leg != "write"), (receiver, leg != "read")) if used]
    statuses = [one.status if one else "waiting" for one in ends]
    status = of_trial(statuses)
    scored = scored_end(leg, sender, receiver)
    counts = status in ("complete", "timed_out")
    found = _findings(run, trial, leg, positions)
    application, durable = _rates(scored, leg) if counts else (None, None)
    uses_network = leg in TRANSFERS
    traffic = {
        role: _traffic(run, trial, place)
        for role, place in zip(ROLES, positions, strict=True)
        if uses_network
    }
    ends_seen = {
        "sender": figures_of(sender, traffic.get("sender")) if leg != "write" else None,
        "receiver": figures_of(receiver, traffic.get("receiver")) if leg != "read" else None,
    }
    own = (
        [*_flags(trial, leg, positions, scored, found), *_of_cards(ends_seen, traffic)]
        if scored
        else []
    )
    own.sort(key=lambda flag: flags.CODES.index(flag.code))
    files, moved = files_moved(sender, receiver), scored.bytes if scored else 0
    leading = durable or application
    return PathTrial(
        id=trial.id,
        repeat=trial.repeat,
        status=status,
        reason=reason_of_trial(one.reason for one in ends if one),
        attempts=trial.attempts,
        again=trial.again,
        bytes=scored.bytes if scored else 0,
        application_bytes_per_s=application,
        durable_bytes_per_s=durable,
        bounded=bool(scored and (scored.result or {}).get("sync") == "bounded"),
        served_by=_served_by(found, leg) if counts else None,
        flags=own,
        inflated=_inflated(run, trial, leg, positions, found) if counts else None,
        sender=ends_seen["sender"],
        receiver=ends_seen["receiver"],
        link=link_figures([(sender, receiver)]) if leg in TRANSFERS else None,
        wrong_blocks=wrong_blocks(sender, receiver) if leg in TRANSFERS else 0,
        sent_bytes_per_s=_rates(sender, leg)[0] if counts and leg in TRANSFERS else None,
        rejected_connections=rejections(sender, receiver) if leg in TRANSFERS else 0,
        starved_roles=[
            role
            for role, one in (("sender", sender), ("receiver", receiver))
            if one is not None and one.status == "starved"
        ],
        files=files or None,
        files_per_s=leading * files / moved if leading and files and moved else None,
        writeback=_writeback(run, receiver, found.get(positions[1])) if counts else None,
        levels=fallen(_measured(scored), [one.contention for one in found.values()])
        if counts
        else [],
    )


def scored_end(
    leg: Leg, sender: AttemptRecord | None, receiver: AttemptRecord | None
) -> AttemptRecord | None:
    """Return the attempt whose bytes score a leg."""
    return sender if leg == "read" else receiver


def ramp(attempt: AttemptRecord) -> tuple[int, int]:
    """Return the bytes and the ns of an attempt's ramp-up."""
    detail: dict[str, Any] = (attempt.result or {}).get("detail") or {}
    return detail.get("ramp_bytes", 0), detail.get("ramp_ns", 0)


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


def _writeback(
    run: RunRecord, receiver: AttemptRecord | None, found: Findings | None
) -> WritebackRate | None:
    """Return the writeback of what a receiver wrote; small files always use its page cache."""
    if receiver is None or found is None:
        return None
    cache = "page" if run.parameters.get("small_files") else run.parameters["sink_cache"]
    return writeback.of_attempt(receiver, cache, found.durable, ramp_ns=ramp(receiver)[1])


def _measured(scored: AttemptRecord | None) -> Intervals | None:
    """Return the throughput over time of an end after its ramp-up."""
    if scored is None or scored.course is None:
        return None
    return course.without_start(scored.course, ramp(scored)[1])


def _findings(run: RunRecord, trial: TrialRecord, leg: Leg, positions: Ends) -> dict[int, Findings]:
    """Return who served each disk that a leg uses, and who else used it, by position.

    Those with the other role move data in the opposite direction, which matters if they share a
    host.
    """
    found: dict[int, Findings] = {}
    for side, used, cache in (
        (0, leg in READING, "source_cache"),
        (1, leg in WRITING, "sink_cache"),
    ):
        if not used:
            continue
        alike = range(side, len(run.sites), 2)
        opposite = range(1 - side, len(run.sites), 2)
        alone = replace(
            trial,
            deciding=[trial.deciding[one] for one in alike],
            beside=[AttemptBeside(run.sites[one].boot_id, trial.deciding[one]) for one in opposite],
        )
        view = replace(run, sites=[run.sites[one] for one in alike])
        own = alike.index(positions[side])
        operation = "write" if side else "read"
        one = find(view, alone, own, operation=operation, cache=run.parameters[cache])
        if one is not None:
            found[positions[side]] = one
    return found


def _served_by(found: dict[int, Findings], leg: Leg) -> ServedBy | None:
    """Return the least conclusive source of the leading rate."""
    sources = [one.durable or one.application for one in found.values()]
    return weakest(sources) if sources else None


def _flags(
    trial: TrialRecord,
    leg: Leg,
    positions: Ends,
    scored: AttemptRecord,
    found: dict[int, Findings],
) -> list[Flag]:
    """Return the flags of both ends; a rate is that of one end, and so is *too short*."""
    own: list[Flag] = []
    for place, role in zip(positions, ROLES, strict=True):
        attempt = trial.deciding[place]
        if attempt is None or (attempt is not scored and place not in found):
            disturbed = attempt and flags.of_disturbance(
                attempt.status, attempt.disturbance, trial.attempts
            )
            own += [_at(role, disturbed)] if disturbed else []
            continue
        contention = found[place].contention if place in found else None
        readings = flags.Readings(
            status=attempt.status,
            block=trial.parameters["block"],
            threads=max(1, trial.parameters["streams"]),
            files=1,
            bytes=attempt.bytes,
            operations=attempt.ops,
            app_ns=attempt.app_ns,
            durable_ns=attempt.durable_ns if leg in WRITING else None,
            contention=contention,
            sized_by="length",
            attempts=trial.attempts,
            disturbance=attempt.disturbance,
        )
        judged = flags.judge(readings)
        if attempt is not scored or attempt.status not in COUNTED:
            judged = [one for one in judged if one.code not in ("too_short", "timed_out")]
        own += [_at(role, one) for one in judged]
    return own


def _traffic(run: RunRecord, trial: TrialRecord, place: int) -> HostTransfers:
    """Return the transfers of all pairs with an end on the host of an end."""

    def ends(side: int) -> list[HostEnd]:
        """Return those with an end of this side there."""
        return [
            HostEnd(trial.deciding[one], trial.deciding[one - side])
            for one in range(side, len(run.sites), 2)
            if run.sites[one].machine == run.sites[place].machine
        ]

    return HostTransfers(along=ends(place % 2), against=ends(1 - place % 2))


def _of_cards(
    seen: Mapping[str, EndFigures | None], traffic: Mapping[str, HostTransfers]
) -> Iterator[Flag]:
    """Yield the flags of the ends whose card others used as well."""
    for role, through in traffic.items():
        moved = sum(one.sender.bytes for one in through.along if one.sender)
        if flag := shared_card(seen[role], moved):
            yield _at(role, flag)


def _at(role: str, flag: Flag) -> Flag:
    """Name the end in the evidence of a flag."""
    return replace(flag, evidence=f"{words.capital(role)}: {flag.evidence}")


_FADED = {
    False: "a cache took in the data at first",
    True: "a cache may have taken in the data at first, or the source or the network slowed down",
}


def _inflated(
    run: RunRecord, trial: TrialRecord, leg: Leg, positions: Ends, found: dict[int, Findings]
) -> Reason | None:
    """Return why a cache at the sink makes the leading rate of a leg too high, if one does.

    Fewer than `CLAIM_SHARE` of the bytes had reached the device when the sync timed out, or,
    without a sync, at the last write; or the last third of the time was much slower than the first.
    The pairs of a joint run slow each other down: they fade only together.
    """
    receiver = positions[1]
    scored = trial.deciding[receiver]
    if scored is None or leg not in WRITING:
        return None
    result = scored.result or {}
    synced = scored.durable_ns is not None
    device = result.get("dev_durable_bytes" if synced else "dev_app_bytes")
    one = found.get(receiver)
    copies = one.counter.copies if one else 1
    written = scored.bytes + (one.siblings_bytes or 0 if one else 0)
    # after a complete sync, a counter that shows less does not count all data: it accuses no cache
    counts = result.get("sync") != "complete" and scored.bytes > 0
    if counts and device is not None and device < CLAIM_SHARE * copies * written:
        share = device / (copies * written)
        when = "after the sync" if synced else "at the last write"
        return Reason(
            "device_bytes",
            f"Only {words.percent(share)} of the received data had reached the sink's device "
            f"{when}.",
            {"share": share, "device_bytes": float(device), "bytes": float(written)},
        )
    return faded(scored.course, leg) if len(run.sites) == 2 else None


def faded(seen: Intervals | None, leg: Leg) -> Reason | None:
    """Return that the throughput of a leg fell, as it does when a cache is full."""
    thirds = fading(seen) if leg in WRITING and seen is not None else None
    if thirds is None:
        return None
    first, last = thirds
    return Reason(
        "faded",
        f"The last third of the time reached {words.rate(last)}, the first {words.rate(first)}: "
        f"{_FADED[leg in READING]}.",
        {"first_bytes_per_s": first, "last_bytes_per_s": last},
    )
