"""Poll for canceled campaigns, with one query for all drivers of this process."""

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
    """Polls the watched campaigns every `LOOK_S`."""

    def __init__(self) -> None:
        """Watch no campaign yet."""
        self._lock = threading.Lock()
        self._watched: Counter[int] = Counter()
        self._cancelled: frozenset[int] = frozenset()
        background.repeat("cancellations", self._look, lambda: time.sleep(LOOK_S))

    @contextmanager
    def watching(self, campaign_id: int) -> Generator[Callable[[], bool]]:
        """Return a function that tells whether the campaign was canceled at the last poll."""
        with self._lock:
            if not self._watched[campaign_id]:
                self._cancelled -= {campaign_id}
            self._watched[campaign_id] += 1
        try:
            yield lambda: campaign_id in self._cancelled
        finally:
            with self._lock:
                self._watched[campaign_id] -= 1
                self._watched += Counter()  # removes campaigns without a watcher

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
    """Return the shared poller of all followers."""
    return Cancellations()
