"""Why a trial of a run failed: the first cause in time, among all participants.

When one end of a transfer fails, the other one reports a moment later that its connection ended.
Such a consequence is a reason only where no participant reported a cause.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.analysis.statuses import rank_of_reason
from assay.tables.hosts import Host
from assay.tables.runs import Attempt, Notice, Participant

ERROR = "error"
"""The level of a notice that tells a failure."""

_UNKNOWN = timedelta.max
"""The time of a cause that only an attempt has, or that lies outside every trial."""


class _Order(NamedTuple):
    """Causes of the lowest order come first."""

    rank: int
    after: timedelta
    position: int


@dataclass(frozen=True)
class Cause:
    """What a participant reported: a code, and its message, which names the host if it is one of
    several."""

    code: str
    message: str | None
    order: _Order

    def is_told_by(self, error: Mapping[str, Any]) -> bool:
        """Return whether an error of a run is this one, reported in a trial."""
        timed = self.order.after != _UNKNOWN
        return timed and (self.code, self.message) == (error["code"], error["detail"])


class Causes:
    """The failures that the probes of a run reported; its final state and its result use them."""

    def __init__(self, session: Session, run_id: int) -> None:
        """Read them."""
        self._of_trial: dict[int | None, list[Notice]] = {}
        self._names: dict[int, str] = {}
        self._positions: dict[int, int] = {}
        for one, name in session.execute(
            select(Participant, Host.name).join(Host).where(Participant.run_id == run_id)
        ):
            self._names[one.id], self._positions[one.id] = name, one.position
        for notice in session.scalars(
            select(Notice)
            .where(Notice.run_id == run_id, Notice.level == ERROR)
            .where(Notice.participant_id.in_(self._names))
            .order_by(Notice.id)
        ):
            self._of_trial.setdefault(notice.detail.get("trial"), []).append(notice)

    def of_trial(self, trial_id: int, attempts: Sequence[Attempt | None]) -> list[Cause]:
        """Return why a trial failed in its deciding attempts, the first cause first.

        Times are since the agreed start of the trial at each participant, since the clocks of hosts
        differ by more than consequences take.
        """
        found = {one.participant_id: one for one in attempts if one}
        number = max((one.number for one in found.values()), default=1)
        causes = [
            Cause(one.reason, None, self._order(one.reason, _UNKNOWN, one.participant_id))
            for one in found.values()
            if one.reason
        ]
        for notice in self._of_trial.get(trial_id, ()):
            attempt = found.get(notice.participant_id or 0)
            after = _UNKNOWN
            if attempt and attempt.started_at:
                after = notice.at - attempt.started_at
            if _is_of(number, notice, after):
                causes.append(self._told(notice, after))
        causes += [self._told(one, _UNKNOWN) for one in self._of_trial.get(None, ())]
        # with the same order, one with a message comes first
        return sorted(causes, key=lambda one: (one.order, one.message is None))

    def _told(self, notice: Notice, after: timedelta) -> Cause:
        participant_id = notice.participant_id or 0  # read with one
        several = len(self._names) > 1
        message = f"{self._names[participant_id]}: {notice.message}" if several else notice.message
        return Cause(notice.code, message, self._order(notice.code, after, participant_id))

    def _order(self, code: str, after: timedelta, participant_id: int) -> _Order:
        return _Order(rank_of_reason(code), after, self._positions[participant_id])


def _is_of(number: int, notice: Notice, after: timedelta) -> bool:
    """Return whether a notice of a trial is of its attempt with this number.

    What was reported while no attempt was under way tells no number: before a repeated attempt
    began, it is of an earlier one.
    """
    told = notice.detail.get("attempt")
    return (number == 1 or after >= timedelta(0)) if told is None else told == number
