"""What tokens have used of their quotas.

A campaign counts on the day (UTC) of its launch, even if it runs into the next one: until it has
ended with the bytes that its plan writes, then with those that it wrote. What the probe wrote
before the trials is not recorded, so that part counts as planned if the probe was started.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Float, cast, func, select
from sqlalchemy.orm import Session

from assay.base.identity import Identity
from assay.kinds.registry import KINDS
from assay.runs.lifecycle import FINAL
from assay.tables.clock import now
from assay.tables.database import among
from assay.tables.runs import Attempt, Participant, Run, Trial
from assay.tables.tokens import TokenCharge


@dataclass(frozen=True)
class Usage:
    """What a token has used: bytes today, those of active campaigns among them, and those."""

    bytes_today: int
    reserved_bytes: int
    campaign_ids: tuple[int, ...]
    day_ends_at: datetime


def charge(
    session: Session, who: Identity, campaign_id: int, planned_bytes: int, prepared: Sequence[int]
) -> None:
    """Count a launched campaign against the quotas of its token, if a token launched it."""
    if who.token_id is not None:
        session.add(
            TokenCharge(
                token_id=who.token_id,
                campaign_id=campaign_id,
                planned_bytes=planned_bytes,
                prepared=list(prepared),
            )
        )


def usages(session: Session, token_ids: Collection[int]) -> dict[int, Usage]:
    """Return what tokens have used, by id."""
    day = now(session).replace(hour=0, minute=0, second=0, microsecond=0)
    of_tokens = among(session, TokenCharge.token_id, token_ids)
    settled = (
        select(TokenCharge.token_id, func.sum(TokenCharge.written_bytes))
        .where(of_tokens, TokenCharge.at >= day, TokenCharge.written_bytes.is_not(None))
        .group_by(TokenCharge.token_id)
    )
    total = dict.fromkeys(token_ids, 0)
    reserved = dict.fromkeys(token_ids, 0)
    campaigns: dict[int, list[int]] = {token_id: [] for token_id in token_ids}
    for token_id, written in session.execute(settled):
        total[token_id] += int(written or 0)
    unsettled = session.scalars(
        select(TokenCharge)
        .where(of_tokens, TokenCharge.written_bytes.is_(None))
        .order_by(TokenCharge.id)
    ).all()
    active = _active(session, unsettled)
    for one in unsettled:
        is_active = one.campaign_id in active
        if one.campaign_id is not None and is_active:
            campaigns[one.token_id].append(one.campaign_id)
        if one.at >= day:
            total[one.token_id] += one.planned_bytes if is_active else _written(session, one)
            reserved[one.token_id] += one.planned_bytes if is_active else 0
    ends = day + timedelta(days=1)
    return {one: Usage(total[one], reserved[one], tuple(campaigns[one]), ends) for one in token_ids}


def settle(
    session: Session, *, token_id: int | None = None, campaign_id: int | None = None
) -> None:
    """Replace what was planned by what was written, for ended campaigns of a token, or for one."""
    chosen = select(TokenCharge).where(TokenCharge.written_bytes.is_(None))
    if token_id is not None:
        chosen = chosen.where(TokenCharge.token_id == token_id)
    if campaign_id is not None:
        chosen = chosen.where(TokenCharge.campaign_id == campaign_id)
    unsettled = session.scalars(chosen.order_by(TokenCharge.id)).all()
    active = _active(session, unsettled)
    for one in unsettled:
        if one.campaign_id not in active:
            one.written_bytes = _written(session, one)
    session.flush()


def _active(session: Session, charges: Sequence[TokenCharge]) -> set[int]:
    """Return the ids of those campaigns of charges that have not ended."""
    ids = {one.campaign_id for one in charges if one.campaign_id is not None}
    if not ids:
        return set()
    unended = select(Run.campaign_id).where(
        among(session, Run.campaign_id, ids), Run.state.not_in(FINAL)
    )
    return set(session.scalars(unended.distinct()))


def _written(session: Session, charge: TokenCharge) -> int:
    """Return how many bytes the ended campaign of a charge wrote, over all attempts."""
    if charge.campaign_id is None:
        return charge.planned_bytes
    of_campaign = Run.campaign_id == charge.campaign_id
    started = session.scalars(
        select(Run.number)
        .where(of_campaign, Participant.run_id == Run.id, Participant.run_dir.is_not(None))
        .distinct()
    )
    read = Attempt.bytes * cast(Attempt.read_ops, Float) / func.nullif(Attempt.ops, 0)
    cells = session.execute(
        select(
            Run.kind,
            Participant.role,
            func.min(Trial.id),
            func.sum(Attempt.bytes - func.coalesce(read, 0.0)),
        )
        .where(
            of_campaign,
            Trial.run_id == Run.id,
            Attempt.trial_id == Trial.id,
            Participant.id == Attempt.participant_id,
            Participant.target_id.is_not(None),
        )
        .group_by(Run.id, Run.kind, Participant.id, Participant.role, Trial.cell)
    ).all()
    trials = {trial_id for _, _, trial_id, _ in cells}
    chosen = select(Trial.id, Trial.parameters).where(among(session, Trial.id, trials))
    parameters: dict[int, dict[str, Any]] = dict(map(tuple[int, Any], session.execute(chosen)))
    measured = sum(
        moved
        for kind, role, trial_id, moved in cells
        if KINDS[kind].writes(parameters[trial_id], role)
    )
    return sum(charge.prepared[number - 1] for number in started) + round(measured)
