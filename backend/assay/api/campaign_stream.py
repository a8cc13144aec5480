"""Changes of a campaign: server-sent events, and requests that wait for its end.

A process reads a campaign once per change for all its subscribers. No session is held between
reads. An event `campaign` contains the whole state, and the revision as its id; `samples` contains
the samples since the last event. A client that reconnects first requests a snapshot over REST. The
state is encoded once per version, and requests that wait for the end receive the same document.
"""

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Hashable
from dataclasses import asdict, dataclass, field
from functools import partial
from threading import Lock

import anyio
from cachetools import TTLCache
from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from sqlalchemy import exists, select
from sqlalchemy.orm import Session
from sse_starlette import ServerSentEvent

from assay.api.http.page_cache import Encoded
from assay.base.deadline import Deadline
from assay.base.errors import NotFound
from assay.base.messaging.changes import POLL_S, Broadcaster, wait_for
from assay.base.messaging.watching import Watches
from assay.base.shared_reads import SharedReads
from assay.base.turns import Turns, disconnection
from assay.runs import lifecycle as runs
from assay.runs.campaigns import queries
from assay.runs.campaigns.lifecycle import FINAL
from assay.runs.campaigns.schemas import CampaignOut
from assay.runs.samples.queries import Fresh, samples_since
from assay.tables.campaigns import Campaign
from assay.tables.database import reading
from assay.tables.runs import Run

MOST_BYTES = 32 << 20
DUE_S = 5.0
"""Some of a state depends on the time, such as the remaining time of a run."""


@dataclass(frozen=True)
class State:
    """One version of a campaign, and its document."""

    campaign: CampaignOut
    document: Encoded

    @property
    def is_over(self) -> bool:
        """Whether the last run has ended."""
        return self.campaign.state in FINAL


class States:
    """The newest state of each campaign that has subscribers; used by threads that read."""

    def __init__(self) -> None:
        """Start without states."""
        self._known: TTLCache[int, State] = TTLCache(
            MOST_BYTES, DUE_S, time.monotonic, getsizeof=lambda one: one.document.size
        )
        self._lock = Lock()

    def read(self, session: Session, campaign_id: int) -> State:
        """Return the state that `session` sees; raises NotFound."""
        revision = queries.revision(session, campaign_id)
        if revision is None:
            raise NotFound("campaign", campaign_id)
        with self._lock:
            known = self._known.get(campaign_id)
        if known is not None and known.campaign.revision == revision and not known.is_over:
            return known
        campaign = queries.one(session, campaign_id)
        document = Encoded.of(campaign.model_dump_json(by_alias=True).encode())
        state = State(campaign, document)
        if document.size < MOST_BYTES:
            with self._lock:
                self._known[campaign_id] = state
        return state

    def current(self, campaign_id: int) -> State:
        """Return the campaign's current state; raises NotFound."""
        with reading() as session:
            return self.read(session, campaign_id)


def is_active(campaign_id: int) -> bool:
    """Return whether the campaign exists and has a run that has not ended."""
    there = select(Campaign.id).where(Campaign.id == campaign_id, Campaign.deleted_at.is_(None))
    unended = exists().where(Run.campaign_id == Campaign.id, Run.state.not_in(runs.FINAL))
    with reading() as session:
        return session.scalar(there.where(unended)) is not None


SHORTEST_PAUSE_S = 0.3
"""Between two reads of a campaign: at most three per second."""

PAUSE_PER_SUBSCRIBER_S = 0.0005
"""Added to it: the events of a read are sent to all subscribers before the next."""

LONGEST_SILENCE_S = 30.0

LOGIN_RECHECK_S = 5.0
"""How long a login is trusted before it is checked again, once for all subscribers with it."""

MOST_BEHIND = 100
"""Batches that wait for a slow subscriber. Its stream then ends, and it starts from a snapshot."""

log = logging.getLogger(__name__)


@dataclass
class _Changes:
    state: State | None
    fresh: list[Fresh]
    gone: bool = False
    """Whether the campaign was deleted."""


@dataclass
class _Reader:
    """The revision, and the byte of each participant's log, that was read."""

    campaign_id: int
    states: States
    revision: int = -1
    seen: dict[int, int] = field(default_factory=dict[int, int])

    def changes(self) -> _Changes:
        """Return the changes since the last call."""
        with reading() as session:
            revision = queries.revision(session, self.campaign_id)
            if revision is None or revision == self.revision:
                return _Changes(None, [], gone=revision is None)
            state = self.states.read(session, self.campaign_id)
            fresh: list[Fresh] = []
            for run in state.campaign.runs:
                for one in run.participants:
                    if run.state in runs.ACTIVE or one.id in self.seen:
                        new, self.seen[one.id] = samples_since(
                            session, one.id, self.seen.get(one.id)
                        )
                        fresh.extend(new)
            self.revision = state.campaign.revision
            return _Changes(state, fresh)


@dataclass
class _Batch:
    """Events of one read, encoded, as a link of a chain: subscribers wait for `next`.

    `campaign` is the newest state up to here, and `revision` its number. The chain ends with
    `is_last`, or with None if the campaign could not be read.
    """

    number: int
    others: bytes
    campaign: bytes
    revision: int
    is_last: bool
    next: asyncio.Future["_Batch | None"]


class _Feed:
    """The chain of one campaign's batches; `newest` is its last one so far."""

    def __init__(self, campaign_id: int, broadcaster: Broadcaster, states: States) -> None:
        self.subscribers = 0
        self.newest = _Batch(0, b"", b"", -1, False, asyncio.get_running_loop().create_future())
        self._reader = _Reader(campaign_id, states)
        self.task = asyncio.create_task(self._run(broadcaster), name=f"campaign {campaign_id}")

    async def _run(self, broadcaster: Broadcaster) -> None:
        """Read the campaign at each change, until it has ended."""
        try:
            with broadcaster.subscription(f"campaign:{self._reader.campaign_id}") as notified:
                while True:
                    found = await run_in_threadpool(self._reader.changes)
                    if found.gone or found.state is not None:
                        self._append(found)
                    if self.newest.is_last:
                        return
                    await asyncio.sleep(
                        SHORTEST_PAUSE_S + PAUSE_PER_SUBSCRIBER_S * self.subscribers
                    )
                    await wait_for(notified, LONGEST_SILENCE_S)
        except Exception:  # the subscribers reconnect
            log.exception("campaign %d cannot be followed", self._reader.campaign_id)
        finally:
            if not self.newest.next.done():
                self.newest.next.set_result(None)

    def _append(self, found: _Changes) -> None:
        others = b"".join(
            ServerSentEvent(
                json.dumps(asdict(fresh), separators=(",", ":")), event="samples"
            ).encode()
            for fresh in found.fresh
        )
        campaign, revision = self.newest.campaign, self.newest.revision
        if found.state is not None:
            document, revision = found.state.document.plain, found.state.campaign.revision
            campaign = ServerSentEvent(
                document.decode(), event="campaign", id=str(revision)
            ).encode()
        else:
            others += ServerSentEvent("{}", event="deleted").encode()
        is_last = found.state is None or found.state.is_over
        future = asyncio.get_running_loop().create_future()
        number = self.newest.number + 1
        batch = _Batch(number, others, campaign, revision, is_last, future)
        self.newest.next.set_result(batch)
        self.newest = batch


class Feeds:
    """The campaigns that subscribers of this process follow; runs on its event loop."""

    def __init__(self, broadcaster: Broadcaster, states: States, turns: Turns) -> None:
        """Start without feeds."""
        self.turns = turns
        self._broadcaster, self._states = broadcaster, states
        self._feeds: dict[int, _Feed] = {}
        self._logins = TTLCache[Hashable, asyncio.Future[bool]](10_000, LOGIN_RECHECK_S)

    @contextlib.contextmanager
    def following(self, campaign_id: int) -> Generator[_Feed]:
        """Read the campaign while at least one such block runs."""
        feed = self._feeds.get(campaign_id)
        if feed is None or feed.newest.next.done() or feed.newest.is_last:
            feed = self._feeds[campaign_id] = _Feed(campaign_id, self._broadcaster, self._states)
        feed.subscribers += 1
        try:
            yield feed
        finally:
            feed.subscribers -= 1
            if feed.subscribers == 0:
                feed.task.cancel()
                if self._feeds.get(campaign_id) is feed:
                    del self._feeds[campaign_id]

    async def may_listen(self, login: Hashable, check: Callable[[], bool]) -> bool:
        """Return whether a login is still valid, by `check` or the last one of the same login."""
        known = self._logins.get(login)
        if known is None:
            known = self._logins[login] = asyncio.ensure_future(run_in_threadpool(check))
        return await asyncio.shield(known)


async def events(
    feeds: Feeds,
    campaign_id: int,
    revision: int,
    ending: anyio.Event,
    may_listen: Callable[[], Awaitable[bool]],
) -> AsyncGenerator[bytes]:
    """Yield encoded events for one subscriber that has `revision`, those of a read at once.

    They end with the campaign or its deletion, with the server, with the subscriber's login, or
    when it disconnects or falls far behind. A client that reconnects after the campaign's end
    receives nothing: a browser would otherwise reconnect forever.
    """
    with feeds.following(campaign_id) as feed, _waiting(ending) as end:
        batch, others = feed.newest, b""
        while True:
            news = others + (batch.campaign if batch.revision > revision else b"")
            revision = max(revision, batch.revision)
            if news:
                yield news
            if batch.is_last:
                return
            await asyncio.wait(
                {end, batch.next}, timeout=POLL_S, return_when=asyncio.FIRST_COMPLETED
            )
            if not await may_listen():
                return
            if end.done() or feed.newest.number - batch.number > MOST_BEHIND:
                return
            others = b""
            if batch.next.done():
                following = batch.next.result()
                if following is None:
                    return
                await feeds.turns.take()
                batch, others = following, following.others


@contextlib.contextmanager
def _waiting(ending: anyio.Event) -> Generator[asyncio.Task[None]]:
    """Yield a task that ends with the server."""
    task = asyncio.create_task(ending.wait())
    try:
        yield task
    finally:
        task.cancel()


class Ends:
    """Waits for the ends of campaigns; runs on the event loop of its process."""

    def __init__(self, watches: Watches, states: States) -> None:
        """Use what the process watches, and the states that it has read."""
        self._watches, self._states = watches, states
        self._reads: SharedReads[int, State] = SharedReads()

    async def state(self, campaign_id: int) -> State:
        """Return the campaign's state, as it is now or a moment later; raises NotFound."""
        return await self._reads.get(campaign_id, partial(self._states.current, campaign_id))

    async def ended(self, campaign_id: int, seconds: float, request: Request) -> State | None:
        """Return the campaign's state when its last run has ended, or after `seconds`.

        Returns None once the client has disconnected. Raises NotFound, also when the campaign is
        deleted meanwhile.
        """
        deadline, topic = Deadline(seconds), f"campaign:{campaign_id}"
        active = partial(is_active, campaign_id)
        with disconnection(request) as gone:
            while True:
                await self._watches.end(topic, active, deadline.left(), gone)
                if gone.done():
                    return None
                state = await self.state(campaign_id)
                if state.is_over or deadline.over():
                    return state
