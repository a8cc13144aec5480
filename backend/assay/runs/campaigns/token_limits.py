"""Whether a token may launch a campaign, and change one: target labels, quotas, who launched it.

The labels are those at the time of the launch. A launch locks its token, so that of two at the
same time only one gets what is left.
"""

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from math import ceil
from typing import Any

from sqlalchemy import exists, select
from sqlalchemy.orm import Session, lazyload

from assay.access.permissions import NotLoggedIn, require
from assay.base.errors import Problem
from assay.base.identity import Identity
from assay.base.words import size
from assay.runs.campaigns.token_usage import Usage, settle, usages
from assay.runs.lifecycle import ACTIVE
from assay.runs.live import eta_s
from assay.tables.accounts import ApiToken
from assay.tables.clock import now
from assay.tables.database import among
from assay.tables.runs import Run
from assay.tables.tokens import TokenCharge

CAMPAIGNS_RETRY_S = 60
"""While no end of a campaign can be estimated; one that waits for it should use `?wait=`."""

LONGEST_RETRY_S = 3600
"""An estimate may be wrong, and a campaign may be canceled."""

_NAMED = 3
"""Places that an error names."""


class TargetNotAllowed(Problem):
    """The token may launch only on targets with certain labels."""

    status, code, title = 403, "target_not_allowed", "The token may not launch on this target"

    def __init__(
        self, detail: str, remedy: str, wanted: Mapping[str, str], places: list[str]
    ) -> None:
        """Keep the labels that targets must have, and the places that do not have them."""
        super().__init__(detail, remedy)
        self.wanted, self.places = dict(wanted), places

    @property
    def facts(self) -> dict[str, Any]:
        """The labels that targets must have, and the places that do not have them."""
        return {"target_labels": self.wanted, "places": self.places}


class LargerThanQuota(Problem):
    """The campaign writes more than the token may write in a whole day."""

    status, code, title = 403, "larger_than_quota", "The campaign is larger than the token's quota"

    def __init__(self, limit: int, wanted: int) -> None:
        """Name the quota and the size of the campaign."""
        super().__init__(
            f"The campaign writes up to {size(wanted)}, but `bytes_per_day` of the token is "
            f"{size(limit)}.",
            "Choose fewer targets or smaller tests, or use a token with a larger quota.",
        )
        self.limit, self.wanted = limit, wanted

    @property
    def facts(self) -> dict[str, Any]:
        """The quota."""
        return {"quota": {"name": "bytes_per_day", "limit": self.limit, "wanted": self.wanted}}


class QuotaExceeded(Problem):
    """A quota of the token is used up for now; `quota` has its name, limit and use."""

    status, code, title = 429, "quota_exceeded", "A quota of the token is used up"

    def __init__(self, detail: str, remedy: str, wait_s: int, quota: dict[str, Any]) -> None:
        """Say how long to wait."""
        super().__init__(detail, remedy, headers={"Retry-After": str(wait_s)})
        self.quota = quota

    @property
    def facts(self) -> dict[str, Any]:
        """The quota."""
        return {"quota": self.quota}


def admit(
    session: Session,
    who: Identity,
    places: Mapping[str, Set[tuple[str, str]]],
    planned_bytes: int,
) -> None:
    """Check a launch against the limits of its token, which stays locked until the commit.

    `places` has the labels of each place by its name. Raises what `require` raises,
    TargetNotAllowed, LargerThanQuota or QuotaExceeded; NotLoggedIn if the token has just been
    deleted.
    """
    require(who, "campaign.launch")
    if who.token_id is None:
        return
    token = session.scalar(
        select(ApiToken)
        .where(ApiToken.id == who.token_id)
        .options(lazyload(ApiToken.user))
        .with_for_update(of=ApiToken)
        .execution_options(populate_existing=True)
    )
    if token is None:
        raise NotLoggedIn("The token has just been deleted.", "Use another one.")
    _check_labels(token, places)
    settle(session, token_id=token.id)
    used = usages(session, [token.id])[token.id]
    _check_campaigns(session, token, used)
    _check_bytes(token, used, planned_bytes, now(session))


def require_of_campaign(session: Session, who: Identity, name: str, campaign_id: int) -> None:
    """Raise a Problem unless the caller may do the action `name` to this campaign, or its runs."""
    own = exists().where(
        TokenCharge.token_id == who.token_id, TokenCharge.campaign_id == campaign_id
    )
    require(who, name, launched=lambda: bool(session.scalar(select(own))))


def _check_labels(token: ApiToken, places: Mapping[str, Set[tuple[str, str]]]) -> None:
    wanted: dict[str, str] = token.target_labels
    missing = {
        name: [f"{key}={value}" for key, value in wanted.items() if (key, value) not in labels]
        for name, labels in places.items()
    }
    lacking = {name: labels for name, labels in missing.items() if labels}
    if not lacking:
        return
    named = [f"{name} lacks {', '.join(labels)}" for name, labels in lacking.items()]
    if (more := len(named) - _NAMED) > 0:
        named = [*named[:_NAMED], f"and {more} more"]
    labels = ", ".join(f"{key}={value}" for key, value in wanted.items())
    raise TargetNotAllowed(
        f"The token '{token.name}' launches only on targets with the labels {labels}, but "
        f"{'; '.join(named)}.",
        "Choose other targets, or label these, their hosts or their arrays.",
        wanted,
        list(lacking),
    )


def _check_campaigns(session: Session, token: ApiToken, used: Usage) -> None:
    limit, active = token.campaigns_at_once, used.campaign_ids
    if limit is None or len(active) < limit:
        return
    ids = ", ".join(map(str, active))
    raise QuotaExceeded(
        f"`campaigns_at_once` of the token '{token.name}' is {limit}, and as many are active: "
        f"{ids}.",
        f"Wait for the end of one with `GET /campaigns/{active[0]}?wait=600`, or cancel one.",
        _until_one_ends(session, active),
        {
            "name": "campaigns_at_once",
            "limit": limit,
            "used": len(active),
            "wanted": 1,
            "campaign_ids": list(active),
            "free_at": None,
        },
    )


def _until_one_ends(session: Session, campaign_ids: Sequence[int]) -> int:
    """Return the seconds until the first of these campaigns may end, as its runs estimate it."""
    active = select(Run).where(among(session, Run.campaign_id, campaign_ids), Run.state.in_(ACTIVE))
    longest: dict[int, float] = {}
    for run in session.scalars(active):
        if (left := eta_s(session, run, 0.0)) is not None:
            longest[run.campaign_id] = max(left, longest.get(run.campaign_id, 0.0))
    if not longest:
        return CAMPAIGNS_RETRY_S
    return max(1, min(ceil(min(longest.values())), LONGEST_RETRY_S))


def _check_bytes(token: ApiToken, used: Usage, planned_bytes: int, present: datetime) -> None:
    limit = token.bytes_per_day
    if limit is None or not planned_bytes or used.bytes_today + planned_bytes <= limit:
        return
    if planned_bytes > limit:
        raise LargerThanQuota(limit, planned_bytes)
    until = used.day_ends_at
    reserved = f", {size(used.reserved_bytes)} of it by active campaigns" * bool(
        used.reserved_bytes
    )
    raise QuotaExceeded(
        f"The campaign writes up to {size(planned_bytes)}, but of `bytes_per_day` of the token "
        f"'{token.name}', {size(limit)}, {size(used.bytes_today)} are used today{reserved}.",
        f"Try again after {until:%Y-%m-%dT%H:%M:%SZ}, or when an active campaign has ended and "
        "written less than planned.",
        max(1, ceil((until - present).total_seconds())),
        {
            "name": "bytes_per_day",
            "limit": limit,
            "used": used.bytes_today,
            "wanted": planned_bytes,
            "campaign_ids": list(used.campaign_ids),
            "free_at": until.isoformat().replace("+00:00", "Z"),
        },
    )
