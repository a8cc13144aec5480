"""A campaign as it changes, as server-sent events and for those who wait for its end.

No session is held between looks. An event `campaign` carries the whole state and, as its id, the
revision; `samples` carries what was measured since the last look. Whoever connects anew takes a
snapshot over REST first.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable, Generator
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
from assay.messaging.changes import Broadcaster, wait_for
from assay.runs import lifecycle as runs
from assay.samples.queries import Fresh, samples_since

SHORTEST_PAUSE_S = 0.3
"""Between two events to one listener: three a second at most."""

LONGEST_SILENCE_S = 30.0

LOGIN_AGAIN_S = 5.0
"""How long a listener's login is believed without being looked at again."""


@dataclass
class _Look:
    campaign: CampaignOut | None
    fresh: list[Fresh]


@dataclass
class _View:
    """What one listener has seen."""

    campaign_id: int
    revision: int
    seen: dict[int, int] = field(default_factory=dict[int, int])

    def look(self) -> _Look:
        """What is new since the last look."""
        with reading() as session:
            revision = queries.revision(session, self.campaign_id)
            if revision is None or revision == self.revision:
                return _Look(None, [])
            campaign = queries.one(session, self.campaign_id)
            fresh: list[Fresh] = []
            for run in campaign.runs:
                if run.state in runs.ACTIVE or run.id in self.seen:
                    new, self.seen[run.id] = samples_since(session, run.id, self.seen.get(run.id))
                    fresh.extend(new)
            self.revision = campaign.revision
            return _Look(campaign, fresh)


async def events(
    broadcaster: Broadcaster,
    campaign_id: int,
    revision: int,
    ending: anyio.Event,
    may_listen: Callable[[], bool],
) -> AsyncGenerator[ServerSentEvent]:
    """Events for one listener who has seen `revision`.

    They end with the campaign, with the server, with the listener's login, or when the listener
    goes away. Whoever comes back after the campaign's end hears nothing more: a browser would come
    back again and again.
    """
    view, believed = _View(campaign_id, revision), Deadline(LOGIN_AGAIN_S)
    with (
        broadcaster.subscription(f"campaign:{campaign_id}") as bell,
        _ringing_at(ending, bell),
    ):
        while not ending.is_set():
            if believed.over():
                if not await run_in_threadpool(may_listen):
                    return
                believed = Deadline(LOGIN_AGAIN_S)
            found = await run_in_threadpool(view.look)
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
            await wait_for(bell, LONGEST_SILENCE_S)


@contextlib.contextmanager
def _ringing_at(ending: anyio.Event, bell: asyncio.Event) -> Generator[None]:
    """Ring the bell at the server's end, so that nobody sleeps through it."""

    async def ring() -> None:
        await ending.wait()
        bell.set()

    waiting = asyncio.create_task(ring())
    try:
        yield
    finally:
        waiting.cancel()


async def ended(broadcaster: Broadcaster, campaign_id: int, seconds: float) -> CampaignOut:
    """The campaign as it is when its last run has ended, or after `seconds`."""
    deadline = Deadline(seconds)
    with broadcaster.subscription(f"campaign:{campaign_id}") as bell:
        while True:
            campaign = await run_in_threadpool(_load, campaign_id)
            if campaign.state in FINAL or deadline.over():
                return campaign
            await wait_for(bell, deadline.left())


def _load(campaign_id: int) -> CampaignOut:
    with reading() as session:
        return queries.one(session, campaign_id)


def revision_of(campaign_id: int) -> int:
    """The campaign's present revision; raises NotFound."""
    with reading() as session:
        revision = queries.revision(session, campaign_id)
    if revision is None:
        raise NotFound("campaign", campaign_id)
    return revision
