"""What an operator sees of runs during a fault, when their records continue, and which probes
measure.
"""

import contextlib
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import httpx
from assay.runs.lifecycle import FINAL
from assay.tables.database import make_engine
from assay.tables.runs import Participant, Run
from faults.places import Scene
from faults.table import NO_PAGES, View
from lab.commands import LabError
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

LOOK_S = 0.1
PAGE_WITHIN_S = 5
"""A page that takes longer does not respond."""
MISSED = (SQLAlchemyError, ValueError, KeyError, OSError, LabError)
"""The database does not respond, a page is cut off, or a host is powered off."""


class Watch:
    """Polls the runs of a scene; a failed poll is skipped."""

    def __init__(self, scene: Scene, campaigns: list[int]) -> None:
        """Watch the runs of the campaigns, one at each place."""
        self._client, self._campaigns, self._places = scene.client, campaigns, scene.places
        self._engine = make_engine(scene.database)
        self._ends = threading.Event()
        looks = (self._look_at_records, self._look_at_pages, self._look_at_probes)
        self._threads = [threading.Thread(target=self._repeat, args=[look]) for look in looks]
        self.sights: dict[int, list[tuple[float, View]]] = {}
        self.answers: list[float] = []
        """When the pages of all campaigns had answered."""
        self.offsets: dict[int, list[tuple[float, int, bool]]] = {}
        self.probes: dict[str, int] = {}
        """The most probes that measured at once, at each place."""

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join()
        self._engine.dispose()

    def _repeat(self, look: Callable[[], None]) -> None:
        while not self._ends.wait(LOOK_S):
            with contextlib.suppress(*MISSED):
                look()

    def _look_at_records(self) -> None:
        with Session(self._engine) as session:
            rows = session.execute(
                select(Run.id, Run.state, Participant.offset)
                .join(Participant, Participant.run_id == Run.id)
                .where(Run.campaign_id.in_(self._campaigns))
                .where(Participant.host_id.in_([place.host_id for place in self._places]))
            ).all()
        seen = time.monotonic()
        for run_id, state, offset in rows:
            self.offsets.setdefault(run_id, []).append((seen, offset, state in FINAL))

    def _look_at_pages(self) -> None:
        try:
            for campaign in self._campaigns:
                answer = self._client.get(f"/campaigns/{campaign}", timeout=PAGE_WITHIN_S)
                for run in answer.raise_for_status().json()["runs"]:
                    self._note(run["id"], View.of(run))
            self.answers.append(time.monotonic())
        except httpx.HTTPError:
            for run_id in self.sights:
                self._note(run_id, NO_PAGES)

    def _note(self, run_id: int, sight: View) -> None:
        """Record the view of a run, if it changed."""
        sights = self.sights.setdefault(run_id, [])
        if not sights or sights[-1][1] != sight:
            sights.append((time.monotonic(), sight))

    def _look_at_probes(self) -> None:
        for place in self._places:
            self.probes[place.name] = max(self.probes.get(place.name, 0), place.measuring)

    def all_over(self, runs: list[int]) -> bool:
        """Return whether all runs have ended."""
        return all(self.offsets.get(run) and self.offsets[run][-1][2] for run in runs)

    def has_looked(self, since: float) -> bool:
        """Return whether pages were requested after a moment, and responded."""
        return (
            sum(at > since for at in self.answers) > 1
        )  # the first may have been requested before

    def ended(self, run_id: int) -> float | None:
        """Return when the run ended."""
        return next((at for at, _, over in self.offsets.get(run_id, []) if over), None)

    def went_on(self, run_id: int, since: float, size: int) -> float:
        """Return the seconds from a moment, when the spool had `size` bytes, until more of it was
        stored.

        The run's end counts as well; raises LookupError if neither happened, or no page responds.
        """
        for at, offset, over in self.offsets.get(run_id, []):
            if at > since and (offset > size or over):
                answered = next((seen for seen in self.answers if seen > since), None)
                if answered:
                    return max(at, answered) - since
        raise LookupError(run_id)

    def seen(self, run_id: int, since: float) -> list[tuple[float, View]]:
        """Return what was shown after a moment, with the seconds since."""
        return [(at - since, sight) for at, sight in self.sights.get(run_id, []) if at > since]
