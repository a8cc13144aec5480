"""A trial of a leg at all pairs of a run: the aggregate, and the share of each pair."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from assay.analysis import flags as rules
from assay.analysis import too_short
from assay.analysis.flags import Flag
from assay.analysis.statuses import COUNTED, of_trial
from assay.analysis.together import Joint, fairness, score
from assay.kinds.evidence import after_ramp, bytes_per_s, least_conclusive, part
from assay.kinds.levels import fallen
from assay.kinds.path.evidence import Reason
from assay.kinds.path.fields import TRANSFERS, WRITING, Leg
from assay.kinds.path.streams import Pair, end_figures, link_figures
from assay.kinds.path.trials import Ends, PathPair, PathTrial, faded, ramp, scored_end
from assay.kinds.path.trials import measured as measured_pair
from assay.kinds.run_record import AttemptRecord, RunRecord, TrialRecord


def pairs_of(run: RunRecord) -> list[Ends]:
    """Return the positions of each sender and the receiver after it."""
    return [(place, place + 1) for place in range(0, len(run.sites), 2)]


def is_full_duplex(run: RunRecord) -> bool:
    """Return whether every other pair moves data in the opposite direction of the one before."""
    return bool(run.parameters.get("full_duplex"))


def measured(run: RunRecord, trial: TrialRecord) -> PathTrial:
    """Return the figures of a trial: those of its pair, or of all pairs together."""
    pairs = pairs_of(run)
    of_each = [measured_pair(run, trial, pair) for pair in pairs]
    found = of_each[0] if len(pairs) == 1 else _joint(run, trial, of_each)
    # an end that the leg does not use is no reason
    failed = any(one.reason for one in of_each)
    return replace(found, reason=trial.reason if failed else None)


def _joint(run: RunRecord, trial: TrialRecord, of_each: Sequence[PathTrial]) -> PathTrial:
    """Return the trial of all pairs; it counts if that of each pair does."""
    leg: Leg = trial.parameters["leg"]
    pairs = pairs_of(run)
    attempts: list[Pair] = [
        (trial.deciding[sender], trial.deciding[receiver]) for sender, receiver in pairs
    ]
    scored = [scored_end(leg, *one) for one in attempts]
    found = _scored(of_each, scored)
    shares = _shares(run, trial, of_each, scored, found)
    by_id = {pair.sender_id: one for pair, one in zip(shares, of_each, strict=True)}
    names = {pair.sender_id: pair.name for pair in shares}
    short = _short_overlap(leg, found) if found else None
    flags = rules.of_participants({each: one.flags for each, one in by_id.items()}, names, "pairs")
    flags += [short] if short else []
    rates = [one.application_bytes_per_s for one in shares]
    rated = [one for one in rates if one is not None] if None not in rates else []
    one_source = len({pair.source_host for pair in shares}) == 1
    one_sink = len({pair.sink_host for pair in shares}) == 1
    sent = [one.sent_bytes_per_s for one in shares]
    return replace(
        of_each[0],
        status=of_trial([one.status for one in of_each]),
        bytes=sum(one.bytes for one in of_each),
        application_bytes_per_s=found.application_bytes_per_s if found else None,
        durable_bytes_per_s=found.durable_bytes_per_s if found and leg in WRITING else None,
        to_last_end_bytes_per_s=bytes_per_s(sum(one.bytes for one in of_each), found.end_ns)
        if found and leg == "read"
        else None,
        bounded=any(one.bounded for one in of_each),
        served_by=least_conclusive({each: one.served_by for each, one in by_id.items()}, names)
        if found
        else None,
        flags=sorted(flags, key=_gravity),
        inflated=_inflated(of_each, shares, found, leg),
        sender=end_figures([one for one, _ in attempts]) if one_source and leg != "write" else None,
        receiver=end_figures([one for _, one in attempts]) if one_sink and leg != "read" else None,
        link=link_figures(attempts) if leg in TRANSFERS else None,
        wrong_blocks=sum(one.wrong_blocks for one in of_each),
        sent_bytes_per_s=None if None in sent else sum(one or 0.0 for one in sent),
        starved_roles=sorted({role for one in of_each for role in one.starved_roles}),
        pairs=shares,
        window_ns=found.window_ns if found else None,
        fairness=fairness(rated) if rated else None,
        slowest_pair=rated.index(min(rated)) if rated else None,
        writeback=None,
        levels=fallen(found.course) if found else [],
        **_files(of_each, found, leg),
    )


def _short_overlap(leg: Leg, found: Joint) -> Flag | None:
    """Return the flag of a common window that is too short for the rate of all pairs.

    Legs with a disk end by length, so that a slow disk goes on alone when the others have ended:
    of these, the window has to be as long as any rate needs, whatever the slowest pair took.
    """
    least_ns = None if leg == "memory" else too_short.LEAST_NS
    return rules.short_overlap(found.window_ns, found.longest_ns, "pairs", least_ns=least_ns)


def _files(of_each: Sequence[PathTrial], found: Joint | None, leg: Leg) -> dict[str, Any]:
    """Return the small files of all pairs, and how many of them in a second at the leading rate."""
    files, moved = sum(one.files or 0 for one in of_each), sum(one.bytes for one in of_each)
    durable = found.durable_bytes_per_s if found and leg in WRITING else None
    leading = durable or (found.application_bytes_per_s if found else None)
    return {
        "files": files or None,
        "files_per_s": leading * files / moved if leading and files and moved else None,
    }


def _gravity(flag: Flag) -> int:
    return rules.CODES.index(flag.code)


def _scored(of_each: Sequence[PathTrial], scored: Sequence[AttemptRecord | None]) -> Joint | None:
    """Return the aggregate of the ends that score the leg; None unless each pair counts."""
    known = [one for one in scored if one is not None and one.app_ns is not None]
    if len(known) < len(of_each) or any(one.status not in COUNTED for one in of_each):
        return None
    common = _common_ramp_ns(known)
    return score([after_ramp(one, *ramp(one), common) for one in known])


def _common_ramp_ns(scored: Sequence[AttemptRecord | None]) -> int:
    """Return the common part of all ramp-ups, from whose end the times of a Joint count."""
    return min(ramp(one)[1] for one in scored if one is not None)


def _window(scored: Sequence[AttemptRecord | None], found: Joint) -> tuple[int, int]:
    """Return the common window, from the agreed start."""
    since = found.since_ns + _common_ramp_ns(scored)
    return since, since + found.window_ns


def _inflated(
    of_each: Sequence[PathTrial], shares: Sequence[PathPair], found: Joint | None, leg: Leg
) -> Reason | None:
    for pair, one in zip(shares, of_each, strict=True):
        if one.inflated is not None:
            return replace(one.inflated, message=f"{pair.name}: {one.inflated.message}")
    return faded(found.course, leg) if found else None


def _shares(
    run: RunRecord,
    trial: TrialRecord,
    of_each: Sequence[PathTrial],
    scored: Sequence[AttemptRecord | None],
    found: Joint | None,
) -> list[PathPair]:
    """Return each pair's figures: rates of the common window, and of its own time."""
    leg: Leg = trial.parameters["leg"]
    window = _window(scored, found) if found else None
    rates: list[float | None] = found.application if found else [None] * len(of_each)
    total = sum(rate or 0.0 for rate in rates)
    return [
        PathPair(
            sender_id=run.sites[sender].participant_id,
            receiver_id=run.sites[receiver].participant_id,
            source=run.sites[sender].name,
            sink=run.sites[receiver].name,
            source_host=run.sites[sender].machine,
            sink_host=run.sites[receiver].machine,
            status=one.status,
            reason=one.reason,
            bytes=one.bytes,
            application_bytes_per_s=rate,
            durable_bytes_per_s=one.durable_bytes_per_s,
            share=rate / total if rate is not None and total else None,
            start_delay_ns=end.delay_ns if end else None,
            served_by=one.served_by,
            sender=one.sender,
            receiver=one.receiver,
            link=one.link,
            wrong_blocks=one.wrong_blocks,
            sent_bytes_per_s=_sent(trial.deciding[sender], window) if leg in TRANSFERS else None,
            starved_roles=one.starved_roles,
            files=one.files,
            files_per_s=one.files_per_s,
            own_bytes_per_s=one.application_bytes_per_s,
            own_ns=_own_ns(end) if one.application_bytes_per_s is not None else None,
        )
        for (sender, receiver), one, end, rate in zip(
            pairs_of(run), of_each, scored, rates, strict=True
        )
    ]


def _own_ns(scored: AttemptRecord | None) -> int | None:
    """Return how long an end measured, without its ramp-up."""
    if scored is None or scored.app_ns is None:
        return None
    return scored.app_ns - ramp(scored)[1]


def _sent(sender: AttemptRecord | None, window: tuple[int, int] | None) -> float | None:
    """Return a sender's rate within the common window, up to its last send.

    Its rate over all of its time would not compare with the receiver's in the window: a pair
    becomes faster when others have ended.
    """
    if window is None or sender is None or sender.app_ns is None:
        return None
    whole, since = part(sender), window[0]
    until = min(window[1], whole.end_ns)
    return whole.bytes_between(since, until) * 1e9 / (until - since) if until > since else None
