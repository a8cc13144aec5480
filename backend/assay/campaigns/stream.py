"""Changes of a campaign, as server-sent events and for requests that wait for its end.

No session is held between reads. An event `campaign` contains the whole state, and the revision as
its id; `samples` contains the samples since the last event. A client that reconnects first requests
a snapshot over REST.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from dataclasses import asdict, dataclass, field

import anyio
from fastapi.concurrency import run_in_threadpool
from sse_starlette import ServerSentEvent

from assay.campaigns import queries
from assay.campaigns.lifecycle import FINAL
from assay.campaigns.schemas import CampaignOut
from assay.db.database import reading
from assay.deadline import Deadline
from assay.http.errors import NotFound
from assay.messaging.changes import Broadcaster, until, wait_for
from assay.runs import lifecycle as runs
from assay.samples.queries import Fresh, samples_since

SHORTEST_PAUSE_S = 0.3
"""Between two reads for one subscriber: at most three per second."""

LONGEST_SILENCE_S = 30.0

LOGIN_RECHECK_S = 5.0
"""How long a subscriber's login is trusted before it is checked again."""


@dataclass
class _Changes:
    campaign: CampaignOut | None
    fresh: list[Fresh]
    gone: bool = False
    """Whether the campaign was deleted."""


@dataclass
class _Subscriber:
    """State of one subscriber: the revision, and the byte of each participant's log, received."""

    campaign_id: int
    revision: int
    seen: dict[int, int] = field(default_factory=dict[int, int])

    def changes(self) -> _Changes:
        """Return the changes since the last call."""
        with reading() as session:
            revision = queries.revision(session, self.campaign_id)
            if revision is None or revision == self.revision:
                return _Changes(None, [], gone=revision is None)
            campaign = queries.one(session, self.campaign_id)
            fresh: list[Fresh] = []
            for run in campaign.runs:
                for one in run.participants:
                    if run.state in runs.ACTIVE or one.id in self.seen:
                        new, self.seen[one.id] = samples_since(
                            session, one.id, self.seen.get(one.id)
                        )
                        fresh.extend(new)
            self.revision = campaign.revision
            return _Changes(campaign, fresh)


async def events(
    broadcaster: Broadcaster,
    campaign_id: int,
    revision: int,
    ending: anyio.Event,
    may_listen: Callable[[], bool],
) -> AsyncGenerator[ServerSentEvent]:
    """Yield events for one subscriber that has received `revision`.

    They end with the campaign or its deletion, with the server, with the subscriber's login, or
    when it disconnects. A client that reconnects after the campaign's end receives nothing: a
    browser would otherwise reconnect forever.
    """
    subscriber, trusted = _Subscriber(campaign_id, revision), Deadline(LOGIN_RECHECK_S)
    with (
        broadcaster.subscription(f"campaign:{campaign_id}") as notified,
        _notified_at(ending, notified),
    ):
        while not ending.is_set():
            if trusted.over():
                if not await run_in_threadpool(may_listen):
                    return
                trusted = Deadline(LOGIN_RECHECK_S)
            found = await run_in_threadpool(subscriber.changes)
            if found.gone:
                yield ServerSentEvent("{}", event="deleted")
                return
            for fresh in found.fresh:
                data = asdict(fresh)
                yield ServerSentEvent(json.dumps(data, separators=(",", ":")), event="samples")
            if found.campaign is not None:
                yield ServerSentEvent(
                    found.campaign.model_dump_json(),
                    event="campaign",
                    id=str(found.campaign.revision),
                )
                if found.campaign.state in FINAL:
                    return
            await asyncio.sleep(SHORTEST_PAUSE_S)
            await wait_for(notified, LONGEST_SILENCE_S)


@contextlib.contextmanager
def _notified_at(ending: anyio.Event, notified: asyncio.Event) -> Generator[None]:
    """Wake the subscriber when the server ends."""

    async def notify() -> None:
        await ending.wait()
        notified.set()

    waiting = asyncio.create_task(notify())
    try:
        yield
    finally:
        waiting.cancel()


async def ended(broadcaster: Broadcaster, campaign_id: int, seconds: float) -> CampaignOut:
    """Return the campaign when its last run has ended, or after `seconds`."""

    def load() -> Awaitable[CampaignOut]:
        return run_in_threadpool(_load, campaign_id)

    return await until(
        broadcaster, f"campaign:{campaign_id}", load, lambda one: one.state in FINAL, seconds
    )


def _load(campaign_id: int) -> CampaignOut:
    with reading() as session:
        return queries.one(session, campaign_id)


def revision_of(campaign_id: int) -> int:
    """Return the campaign's current revision; raises NotFound."""
    with reading() as session:
        revision = queries.revision(session, campaign_id)
    if revision is None:
        raise NotFound("campaign", campaign_id)
    return revision
