"""What an operator sees of the runs while a fault lasts, and when their records go on."""

import contextlib
import threading
import time
from types import TracebackType
from typing import Self

import httpx
from assay.database import make_engine
from assay.runs.lifecycle import FINAL
from assay.runs.models import Participant, Run
from faults.table import View
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

LOOK_S = 0.1


class Watch:
    """Looks at some runs over and over; a look that fails is a look less."""

    def __init__(self, client: httpx.Client, database: str, campaigns: list[int]) -> None:
        """`database` is where the offsets of the records are found."""
        self._client, self._campaigns = client, campaigns
        self._engine = make_engine(database)
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._look_forever)
        self.sights: dict[int, list[tuple[float, View]]] = {}
        self.answers: list[float] = []
        """When the pages answered."""
        self.offsets: dict[int, list[tuple[float, int, bool]]] = {}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ends.set()
        self._thread.join()
        self._engine.dispose()

    def _look_forever(self) -> None:
        while not self._ends.wait(LOOK_S):
            with contextlib.suppress(SQLAlchemyError):
                self._look_at_records()
            with contextlib.suppress(httpx.HTTPError, ValueError, KeyError):
                self._look_at_pages()

    def _look_at_records(self) -> None:
        with Session(self._engine) as session:
            rows = session.execute(
                select(Run.id, Run.state, Participant.offset)
                .join(Participant, Participant.run_id == Run.id)
                .where(Run.campaign_id.in_(self._campaigns))
            ).all()
        seen = time.monotonic()
        for run_id, state, offset in rows:
            self.offsets.setdefault(run_id, []).append((seen, offset, state in FINAL))

    def _look_at_pages(self) -> None:
        for campaign in self._campaigns:
            answer = self._client.get(f"/campaigns/{campaign}", timeout=2)
            seen = time.monotonic()
            self.answers.append(seen)
            for run in answer.raise_for_status().json()["runs"]:
                sights = self.sights.setdefault(run["id"], [])
                sight = View.of(run)
                if not sights or sights[-1][1] != sight:
                    sights.append((seen, sight))

    def all_over(self, runs: list[int]) -> bool:
        """Whether all runs have ended."""
        return all(self.offsets.get(run) and self.offsets[run][-1][2] for run in runs)

    def ended(self, run_id: int) -> float | None:
        """When the run had ended."""
        return next((at for at, _, over in self.offsets.get(run_id, []) if over), None)

    def went_on(self, run_id: int, since: float, size: int) -> float:
        """Seconds from a moment, when the spool had `size` bytes, until more of it was stored.

        The run's end counts as well; raises LookupError when neither came, or no page answers.
        """
        for at, offset, over in self.offsets.get(run_id, []):
            if at > since and (offset > size or over):
                answered = next((seen for seen in self.answers if seen > since), None)
                if answered:
                    return max(at, answered) - since
        raise LookupError(run_id)

    def seen(self, run_id: int, since: float) -> list[tuple[float, View]]:
        """What was shown after a moment, with the seconds since."""
        return [(at - since, sight) for at, sight in self.sights.get(run_id, []) if at > since]
