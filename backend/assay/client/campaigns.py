"""Campaigns: launch, wait, verdict and results."""

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Unpack

from assay.base import nouns
from assay.client.errors import ApiError, AssayError, NoResponseError, WaitTimeoutError
from assay.client.resources import Annotatable, Labeled
from assay.client.runs import MeasurementFilter
from assay.client.transport import TIMEOUT_S, parsed
from assay.kinds.registry import Result
from assay.runs.campaigns.lifecycle import FINAL, CampaignState
from assay.runs.campaigns.schemas import (
    CampaignChange,
    CampaignOut,
    CampaignPlan,
    DeletedCampaign,
    Estimate,
    LaunchedCampaign,
)
from assay.runs.profiles.schemas import ProfileOut
from assay.runs.schemas import RunSummary
from assay.runs.verdicts.schemas import CampaignVerdict, WaiverIn

POLL_S = 60.0
"""How long one request waits for the end of a campaign."""

SHORTEST_POLL_S = 0.2
"""A server that is about to stop responds at once; it must not be asked in a tight loop."""

OUTAGE_POLL_S = 1.0

OUTAGE_S = 600.0
"""How long the server may be away while a campaign is followed."""

Plan = CampaignPlan | Mapping[str, object]


class CampaignFilter(MeasurementFilter, total=False):
    """Which campaigns a list has, and in which order; one run must match all filters of runs."""

    state: CampaignState | Sequence[CampaignState]
    needs_attention: bool


@dataclass(frozen=True)
class MeasuredRun:
    """A run of a campaign and its result; the result's type is that of the run's test kind."""

    run: RunSummary
    result: Result


class Campaigns(Labeled[int, CampaignOut, CampaignChange], Annotatable[int, CampaignOut]):
    """Profiles launched on targets."""

    noun, _kind = nouns.CAMPAIGN, CampaignOut

    def list(
        self, *, most: int | None = None, **where: Unpack[CampaignFilter]
    ) -> Iterator[CampaignOut]:
        """Yield the campaigns that match all filters, newest first unless `sort` says otherwise."""
        return self._all(most, where)

    def estimate(self, plan: Plan) -> Estimate:
        """Return size, duration and problems of a campaign; changes nothing."""
        return parsed(Estimate, self._api.post(f"{self._path}/estimate", plan))

    def launch(self, plan: Plan, *, key: str | None = None) -> LaunchedCampaign:
        """Launch a campaign: once, however often the request is repeated with this `key`."""
        return parsed(LaunchedCampaign, self._api.post(self._path, plan, key=key))

    def wait(self, campaign_id: int, timeout_s: float | None = None) -> CampaignOut:
        """Return the campaign when it has ended; its `state` and `verdict` say how.

        A server that restarts meanwhile is waited for. Raises WaitTimeoutError after `timeout_s`,
        and NoResponseError if the server stays away for ten minutes.
        """
        return deque(self.follow(campaign_id, timeout_s), maxlen=1).pop()

    def follow(
        self, campaign_id: int, timeout_s: float | None = None, every_s: float = POLL_S
    ) -> Iterator[CampaignOut]:
        """Yield the campaign at least `every_s`, and last when it has ended.

        Raises as `wait` does.
        """
        end = None if timeout_s is None else time.monotonic() + timeout_s
        away_since: float | None = None
        last: CampaignOut | None = None
        while True:
            asked = time.monotonic()
            wait_s = every_s if end is None else max(0.0, min(every_s, end - asked))
            try:
                last = self._after(campaign_id, wait_s)
            except (NoResponseError, ApiError) as error:
                away_since = away_since or asked
                if not _is_temporary(error) or time.monotonic() - away_since > OUTAGE_S:
                    raise
                next_s = getattr(error, "retry_after_s", None) or OUTAGE_POLL_S
            else:
                away_since, next_s = None, SHORTEST_POLL_S
                yield last
                if last.state in FINAL:
                    return
            now = time.monotonic()
            if timeout_s is not None and end is not None and now >= end:
                raise WaitTimeoutError(campaign_id, timeout_s, last)
            next_at = asked + next_s if end is None else min(asked + next_s, end)
            time.sleep(max(0.0, next_at - now))

    def _after(self, campaign_id: int, wait_s: float) -> CampaignOut:
        """Return the campaign when it has ended, or after `wait_s`."""
        path, timeout_s = self.path_of(campaign_id), wait_s + TIMEOUT_S
        found = self._api.get(path, timeout_s=timeout_s, patience_s=0, wait=wait_s)
        return parsed(CampaignOut, found)

    def cancel(self, campaign_id: int) -> CampaignOut:
        """Stop the runs; what was measured is kept."""
        return parsed(CampaignOut, self._api.post(f"{self.path_of(campaign_id)}/cancel"))

    def verdict(self, campaign_id: int) -> CampaignVerdict:
        """Return the criteria as judged on every ended run; `outcome` is None without criteria."""
        return parsed(CampaignVerdict, self._api.get(f"{self.path_of(campaign_id)}/verdict"))

    def results(self, campaign_id: int) -> Iterator[MeasuredRun]:
        """Yield each run of a campaign with its result."""
        for run in self.get(campaign_id).runs:
            result = parsed(Result, self._api.get(f"/runs/{run.id}/result"))
            yield MeasuredRun(run, result)

    def plan(self, campaign_id: int, *, run_id: int | None = None) -> CampaignPlan:
        """Return what launches the campaign again, or only what one of its runs measured."""
        found = self._api.get(f"{self.path_of(campaign_id)}/plan", run_id=run_id)
        return parsed(CampaignPlan, found)

    def judge(self, campaign_id: int, criteria: Sequence[str]) -> CampaignVerdict:
        """Judge the ended runs by other criteria and the current rules; changes nothing."""
        body = {"criteria": [{"criterion": one} for one in criteria]}
        return parsed(
            CampaignVerdict, self._api.post(f"{self.path_of(campaign_id)}/verdicts", body)
        )

    def waive(self, campaign_id: int, waiver: WaiverIn | Mapping[str, object]) -> CampaignVerdict:
        """Accept a criterion by which no run was judged, until the waiver expires."""
        return parsed(
            CampaignVerdict, self._api.post(f"{self.path_of(campaign_id)}/waivers", waiver)
        )

    def save_as_profile(
        self, campaign_id: int, name: str, *, run_id: int | None = None, key: str | None = None
    ) -> ProfileOut:
        """Make a profile of what a campaign launched, or of what one of its runs measured."""
        body = {"name": name, "run_id": run_id}
        path = f"{self.path_of(campaign_id)}/profile"
        return parsed(ProfileOut, self._api.post(path, body, key=key))

    def delete(
        self, campaign_id: int, *, cancel: bool = False, etag: str | None = None
    ) -> DeletedCampaign:
        """Delete a campaign with everything it measured; `cancel` also an active one.

        With `etag`, only if nobody changed it since. `undelete` brings it back until `undo_until`.
        """
        found = self._api.delete(self.path_of(campaign_id), etag=etag, cancel=cancel)
        return parsed(DeletedCampaign, found)

    def mark_seen(self, campaign_id: int) -> CampaignOut:
        """Mark what failed as seen: it needs no attention any more."""
        return parsed(CampaignOut, self._api.post(f"{self.path_of(campaign_id)}/seen"))

    def mark_unseen(self, campaign_id: int) -> CampaignOut:
        """Undo `mark_seen`."""
        return parsed(CampaignOut, self._api.delete(f"{self.path_of(campaign_id)}/seen"))

    def undelete(self, campaign_id: int) -> CampaignOut:
        """Undo a deletion, within a minute."""
        return parsed(CampaignOut, self._api.post(f"{self.path_of(campaign_id)}/undelete"))


def _is_temporary(error: AssayError) -> bool:
    """Return whether the server is away or overloaded, and the request may succeed later."""
    if isinstance(error, ApiError):
        return error.status == HTTPStatus.TOO_MANY_REQUESTS or error.status >= 500
    return True
