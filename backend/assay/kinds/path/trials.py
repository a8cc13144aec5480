"""The figures of a trial of a path test, from the attempts of its sender and its receiver."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.analysis import course, flags, words
from assay.analysis.contention import DISTURBS, LEAST_BYTES
from assay.analysis.flags import Flag
from assay.analysis.served_by import CLAIM_SHARE, ServedBy, weakest
from assay.analysis.statuses import COUNTED, of_trial
from assay.kinds.evidence import Findings, bytes_per_s, find
from assay.kinds.kind import AttemptBeside, AttemptRecord, RunRecord, TrialRecord
from assay.kinds.path.causes import Reason
from assay.kinds.path.fields import READING, TRANSFERS, WRITING, Leg
from assay.kinds.path.streams import (
    EndFigures,
    LinkFigures,
    end_figures,
    link_figures,
    rejections,
    wrong_blocks,
)

SENDER, RECEIVER = 0, 1
"""The participants by their position in a run."""

FADED = 0.8
"""A last third below this part of the first one fades: something took in data faster at first."""

FEWEST_INTERVALS = 6
"""Intervals from which the thirds of a trial can be compared."""


@dataclass(frozen=True)
class PathTrial:
    """A trial of a leg. Rates are in bytes per second, of the receiver's bytes over its time.

    The durable rate is up to the end of the final sync; a leg that writes no disk has none.
    `inflated` is why a cache makes its rates higher than what the sink's disk holds. Of a leg
    without network, `link` is null. `wrong_blocks` did not arrive as they were sent.
    `sent_bytes_per_s` is the sender's rate up to its last send, which is higher than the
    receiver's if buffers took in the data. `rejected_connections` are those of others that the
    listening end rejected.
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

    @property
    def leading_bytes_per_s(self) -> float | None:
        """The durable rate if there is one, else the application rate."""
        return self.durable_bytes_per_s or self.application_bytes_per_s


def measured(run: RunRecord, trial: TrialRecord) -> PathTrial:
    """Return the figures of a trial in any state."""
    leg: Leg = trial.parameters["leg"]
    sender, receiver = trial.deciding
    ends = [one for one, used in ((sender, leg != "write"), (receiver, leg != "read")) if used]
    statuses = [one.status if one else "waiting" for one in ends]
    status = of_trial(statuses)
    scored = sender if leg == "read" else receiver
    counts = status in ("complete", "timed_out")
    moving = sender if leg in TRANSFERS else None
    found = _findings(run, trial, leg)
    application, durable = _rates(scored, leg) if counts else (None, None)
    ends_seen = {
        "sender": end_figures(sender, moving) if leg != "write" else None,
        "receiver": end_figures(receiver, moving) if leg != "read" else None,
    }
    own = (
        [*_flags(trial, leg, scored, found), *_of_cards(ends_seen, scored.bytes)] if scored else []
    )
    own.sort(key=lambda flag: flags.CODES.index(flag.code))
    reasons = (one.reason for one in ends if one is not None and one.reason is not None)
    return PathTrial(
        id=trial.id,
        repeat=trial.repeat,
        status=status,
        reason=next(reasons, None),
        attempts=trial.attempts,
        again=trial.again,
        bytes=scored.bytes if scored else 0,
        application_bytes_per_s=application,
        durable_bytes_per_s=durable,
        bounded=bool(scored and (scored.result or {}).get("sync") == "bounded"),
        served_by=_served_by(found, leg) if counts else None,
        flags=own,
        inflated=_inflated(scored, leg, found) if counts else None,
        sender=ends_seen["sender"],
        receiver=ends_seen["receiver"],
        link=link_figures(sender, receiver) if leg in TRANSFERS else None,
        wrong_blocks=wrong_blocks(sender, receiver) if leg in TRANSFERS else 0,
        sent_bytes_per_s=_rates(sender, leg)[0] if counts and leg in TRANSFERS else None,
        rejected_connections=rejections(sender, receiver) if leg in TRANSFERS else 0,
        starved_roles=[
            role
            for role, one in (("sender", sender), ("receiver", receiver))
            if one is not None and one.status == "starved"
        ],
    )


def _rates(scored: AttemptRecord | None, leg: Leg) -> tuple[float | None, float | None]:
    """Return the application and the durable rate, both without the ramp-up."""
    if scored is None or scored.app_ns is None:
        return None, None
    detail: dict[str, Any] = (scored.result or {}).get("detail") or {}
    ramp_bytes, ramp_ns = detail.get("ramp_bytes", 0), detail.get("ramp_ns", 0)
    moved = scored.bytes - ramp_bytes
    application = bytes_per_s(moved, scored.app_ns - ramp_ns)
    if leg not in WRITING or scored.durable_ns is None:
        return application, None
    return application, bytes_per_s(moved, scored.durable_ns - ramp_ns)


def _findings(run: RunRecord, trial: TrialRecord, leg: Leg) -> dict[int, Findings]:
    """Return who served each disk that a leg uses, and who else used it, by position.

    Sender and receiver move in opposite directions, which matters if they share a host.
    """
    found: dict[int, Findings] = {}
    for place, used, cache in (
        (SENDER, leg in READING, "source_cache"),
        (RECEIVER, leg in WRITING, "sink_cache"),
    ):
        if not used:
            continue
        other = 1 - place
        alone = replace(
            trial,
            deciding=[trial.deciding[place]],
            beside=[AttemptBeside(run.sites[other].boot_id, trial.deciding[other])],
        )
        view = replace(run, sites=[run.sites[place]])
        operation = "read" if place == SENDER else "write"
        one = find(view, alone, 0, operation=operation, cache=run.parameters[cache])
        if one is not None:
            found[place] = one
    return found


def _served_by(found: dict[int, Findings], leg: Leg) -> ServedBy | None:
    """Return the least conclusive source of the leading rate."""
    sources = [
        (one.durable or one.application) if place == RECEIVER else one.application
        for place, one in found.items()
    ]
    return weakest(sources) if sources else None


def _flags(
    trial: TrialRecord,
    leg: Leg,
    scored: AttemptRecord,
    found: dict[int, Findings],
) -> list[Flag]:
    """Return the flags of both ends; a rate is that of one end, and so is *too short*."""
    ends = zip(("sender", "receiver"), trial.deciding, strict=True)
    own: list[Flag] = []
    for place, (role, attempt) in enumerate(ends):
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


def _of_cards(seen: Mapping[str, EndFigures | None], moved: int) -> Iterator[Flag]:
    """Yield the flags of the ends whose card others used as well."""
    for role, end in seen.items():
        if flag := _of_card(end, moved):
            yield _at(role, flag)


def _of_card(end: EndFigures | None, moved: int) -> Flag | None:
    """Return the flag of a transfer that shared a card with other traffic in its direction."""
    if end is None or end.card is None or end.others_bytes is None:
        return None
    if end.others_bytes < max(LEAST_BYTES, DISTURBS * moved):
        return None
    said = f"Other traffic of {words.size(end.others_bytes)} used the card {end.card.name}."
    return Flag("contended", said, {"others_bytes": float(end.others_bytes)})


def _at(role: str, flag: Flag) -> Flag:
    """Name the end in the evidence of a flag."""
    return replace(flag, evidence=f"{words.capital(role)}: {flag.evidence}")


_FADED = {
    False: "a cache took in the data at first",
    True: "a cache may have taken in the data at first, or the source or the network slowed down",
}


def _inflated(scored: AttemptRecord | None, leg: Leg, found: dict[int, Findings]) -> Reason | None:
    """Return why a cache at the sink makes the leading rate of a leg too high, if one does.

    Fewer than `CLAIM_SHARE` of the bytes had reached the device when the sync timed out, or,
    without a sync, at the last write; or the last third of the time was much slower than the first.
    """
    if scored is None or leg not in WRITING:
        return None
    result = scored.result or {}
    synced = scored.durable_ns is not None
    device = result.get("dev_durable_bytes" if synced else "dev_app_bytes")
    one = found.get(RECEIVER)
    copies = one.counter.copies if one else 1
    # after a complete sync, a counter that shows less does not count all data: it accuses no cache
    counts = result.get("sync") != "complete" and scored.bytes > 0
    if counts and device is not None and device < CLAIM_SHARE * copies * scored.bytes:
        share = device / (copies * scored.bytes)
        when = "after the sync" if synced else "at the last write"
        return Reason(
            "device_bytes",
            f"Only {words.percent(share)} of the received data had reached the sink's device "
            f"{when}.",
            {"share": share, "device_bytes": float(device), "bytes": float(scored.bytes)},
        )
    seen = scored.course
    if seen is None or len(seen.bytes) < FEWEST_INTERVALS:
        return None
    thirds = course.rates(seen, 3)
    if thirds and thirds[0] and thirds[-1] < FADED * thirds[0]:
        return Reason(
            "faded",
            f"The last third of the time reached {words.rate(thirds[-1])}, the first "
            f"{words.rate(thirds[0])}: {_FADED[leg in READING]}.",
            {"first_bytes_per_s": thirds[0], "last_bytes_per_s": thirds[-1]},
        )
    return None
