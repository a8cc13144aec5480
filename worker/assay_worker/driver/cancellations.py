"""Which campaigns driven by this process were cancelled: one query for all drivers."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager

from assay.campaigns.models import Campaign
from assay.db.database import reading
from assay.once import once
from sqlalchemy import select

from assay_worker import background

LOOK_S = 0.5


class Cancellations:
    """Looks every `LOOK_S` at the campaigns that are watched."""

    def __init__(self) -> None:
        """None is watched yet."""
        self._lock = threading.Lock()
        self._watched: Counter[int] = Counter()
        self._cancelled: frozenset[int] = frozenset()
        background.repeat("cancellations", self._look, lambda: time.sleep(LOOK_S))

    @contextmanager
    def watching(self, campaign_id: int) -> Generator[Callable[[], bool]]:
        """Whether the campaign was cancelled when somebody looked last; at first, nobody has."""
        with self._lock:
            if not self._watched[campaign_id]:
                self._cancelled -= {campaign_id}
            self._watched[campaign_id] += 1
        try:
            yield lambda: campaign_id in self._cancelled
        finally:
            with self._lock:
                self._watched[campaign_id] -= 1
                self._watched += Counter()  # forgets what nobody watches

    def _look(self) -> None:
        with self._lock:
            watched = list(self._watched)
        if not watched:
            return
        with reading() as session:
            asked = Campaign.cancel_requested_at.is_not(None)
            found = session.scalars(select(Campaign.id).where(Campaign.id.in_(watched), asked))
            self._cancelled = frozenset(found)


@once
def of_this_process() -> Cancellations:
    """The one look for all followers."""
    return Cancellations()
