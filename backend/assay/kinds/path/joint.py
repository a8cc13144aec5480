"""A trial of a leg at all pairs of a run: the aggregate, and the share of each pair."""

from collections.abc import Sequence
from dataclasses import replace

from assay.analysis import flags as rules
from assay.analysis import too_short
from assay.analysis.flags import Flag, ordered
from assay.analysis.statuses import COUNTED, of_trial
from assay.analysis.together import Joint, fairness, score
from assay.base.worded import say
from assay.kinds.evidence import after_ramp, bytes_per_s, least_conclusive, part, ramp
from assay.kinds.levels import fallen
from assay.kinds.path.fields import TRANSFERS, WRITING, Leg
from assay.kinds.path.figures import PathPair, PathTrial
from assay.kinds.path.trials import Ends, faded, files_per_s, scored_end
from assay.kinds.path.trials import measured as measured_pair
from assay.kinds.run_record import AttemptRecord, RunRecord, TrialRecord
from assay.kinds.transfer.evidence import Reason
from assay.kinds.transfer.streams import Pair, end_figures, link_figures, total


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
    attempts: list[Pair] = [
        (trial.deciding[sender], trial.deciding[receiver]) for sender, receiver in pairs_of(run)
    ]
    scored = [scored_end(leg, *one) for one in attempts]
    found = _scored(of_each, scored)
    shares = _shares(run, trial, of_each, scored, found)
    one_source = len({pair.source_host for pair in shares}) == 1
    one_sink = len({pair.sink_host for pair in shares}) == 1
    known = replace(
        of_each[0],
        status=of_trial([one.status for one in of_each]),
        bytes=sum(one.bytes for one in of_each),
        application_bytes_per_s=None,
        durable_bytes_per_s=None,
        bounded=any(one.bounded for one in of_each),
        served_by=None,
        flags=_flags(leg, of_each, shares, found),
        inflated=_inflated_of_pair(of_each, shares),
        sender=end_figures([one for one, _ in attempts]) if one_source and leg != "write" else None,
        receiver=end_figures([one for _, one in attempts]) if one_sink and leg != "read" else None,
        link=link_figures(attempts) if leg in TRANSFERS else None,
        wrong_blocks=sum(one.wrong_blocks for one in of_each),
        rejected_connections=sum(one.rejected_connections for one in of_each),
        sent_bytes_per_s=total(one.sent_bytes_per_s for one in shares),
        starved_roles=sorted({role for one in of_each for role in one.starved_roles}),
        pairs=shares,
        files=sum(one.files or 0 for one in of_each) or None,
        files_per_s=None,
        writeback=None,
        levels=[],
    )
    return _with_rates(leg, known, of_each, found) if found else known


def _with_rates(
    leg: Leg, known: PathTrial, of_each: Sequence[PathTrial], found: Joint
) -> PathTrial:
    """Return a trial that counts, with the rates of all pairs together and what they rest on."""
    application = found.application_bytes_per_s
    durable = found.durable_bytes_per_s if leg in WRITING else None
    rates = [one.application_bytes_per_s for one in known.pairs]
    rated = [one for one in rates if one is not None] if None not in rates else []
    by_id = zip(_names(known.pairs), of_each, strict=True)
    sources = {each: one.served_by for each, one in by_id}
    return replace(
        known,
        application_bytes_per_s=application,
        durable_bytes_per_s=durable,
        to_last_end_bytes_per_s=bytes_per_s(known.bytes, found.end_ns) if leg == "read" else None,
        served_by=least_conclusive(sources, _names(known.pairs)),
        inflated=known.inflated or faded(found.course, leg),
        window_ns=found.window_ns,
        fairness=fairness(rated) if rated else None,
        slowest_pair=rated.index(min(rated)) if rated else None,
        files_per_s=files_per_s(durable or application, known.files, known.bytes),
        levels=fallen(found.course),
    )


def _names(pairs: Sequence[PathPair]) -> dict[int, str]:
    """Return the names of pairs by their senders, in order."""
    return {pair.sender_id: pair.name for pair in pairs}


def _flags(
    leg: Leg, of_each: Sequence[PathTrial], shares: Sequence[PathPair], found: Joint | None
) -> list[Flag]:
    """Return the flags of all pairs, and that of a common window that is too short."""
    names = _names(shares)
    by_id = {each: one.flags for each, one in zip(names, of_each, strict=True)}
    flags = rules.of_participants(by_id, names, "pairs")
    short = _short_overlap(leg, found) if found else None
    return ordered([*flags, short] if short else flags)


def _short_overlap(leg: Leg, found: Joint) -> Flag | None:
    """Return the flag of a common window that is too short for the rate of all pairs.

    Legs with a disk end by length, so that a slow disk goes on alone when the others have ended:
    of these, the window has to be as long as any rate needs, whatever the slowest pair took.
    """
    least_ns = None if leg == "memory" else too_short.LEAST_NS
    return rules.short_overlap(found.window_ns, found.longest_ns, "pairs", least_ns=least_ns)


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


def _inflated_of_pair(of_each: Sequence[PathTrial], shares: Sequence[PathPair]) -> Reason | None:
    """Return why a cache makes the rate of the first such pair too high."""
    for pair, one in zip(shares, of_each, strict=True):
        if one.inflated is not None:
            return replace(one.inflated, message=say("{}: {}", pair.name, one.inflated.message))
    return None


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
