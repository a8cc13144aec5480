"""Changes of a campaign, as server-sent events.

A process reads a campaign once per change for all its subscribers. No session is held between
reads. An event `campaign` contains the whole state, and the revision as its id; `samples` contains
the samples since the last event. A client that reconnects first requests a snapshot over REST.
"""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Hashable
from dataclasses import asdict, dataclass, field

import anyio
from cachetools import TTLCache
from fastapi.concurrency import run_in_threadpool
from sse_starlette import ServerSentEvent

from assay.campaigns import queries
from assay.campaigns.states import State, States
from assay.db.database import reading
from assay.http.turns import Turns
from assay.messaging.changes import POLL_S, Broadcaster, wait_for
from assay.runs import lifecycle as runs
from assay.samples.queries import Fresh, samples_since

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
