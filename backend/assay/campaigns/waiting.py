"""Requests that wait for the end of a campaign: all receive the same document."""

from functools import partial

from fastapi import Request

from assay.campaigns.states import State, States, is_active
from assay.deadline import Deadline
from assay.http.disconnection import disconnection
from assay.messaging.watching import Watches
from assay.shared_reads import SharedReads


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
