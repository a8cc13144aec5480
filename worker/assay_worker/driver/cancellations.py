"""Which of the campaigns that this process drives somebody has cancelled: one look for all."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager

from assay.campaigns.models import Campaign
from assay.database import reading
from assay.once import once
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

LOOK_S = 0.5

log = logging.getLogger(__name__)


class Cancellations:
    """Looks every `LOOK_S` at the campaigns that are watched."""

    def __init__(self) -> None:
        """None is watched yet."""
        self._lock = threading.Lock()
        self._watched: Counter[int] = Counter()
        self._cancelled: frozenset[int] = frozenset()
        threading.Thread(target=self._look_forever, name="cancellations", daemon=True).start()

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

    def _look_forever(self) -> None:
        while True:
            time.sleep(LOOK_S)
            with self._lock:
                watched = list(self._watched)
            if not watched:
                continue
            try:
                with reading() as session:
                    asked = Campaign.cancel_requested_at.is_not(None)
                    found = session.scalars(
                        select(Campaign.id).where(Campaign.id.in_(watched), asked)
                    )
                    self._cancelled = frozenset(found)
            except SQLAlchemyError as error:
                log.warning("cancellations not seen: %s", error)


@once
def of_this_process() -> Cancellations:
    """The one look for all followers."""
    return Cancellations()
