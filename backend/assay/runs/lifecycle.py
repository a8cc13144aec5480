"""The states of a run, and the only ways between them."""

from typing import Any, Literal

from assay.database import now
from assay.runs.models import Run

State = Literal[
    "waiting", "preparing", "running", "finishing", "done", "failed", "cancelled", "lost"
]

WAITING = "waiting"
PREPARING = "preparing"
RUNNING = "running"
FINISHING = "finishing"
DONE = "done"
FAILED = "failed"
CANCELLED = "cancelled"
LOST = "lost"

ACTIVE = frozenset({PREPARING, RUNNING, FINISHING, LOST})
"""States in which a run holds its reservations and needs an owner."""

FINAL = frozenset({DONE, FAILED, CANCELLED})

TRANSITIONS: dict[str, frozenset[str]] = {
    WAITING: frozenset({PREPARING, CANCELLED, FAILED}),
    PREPARING: frozenset({WAITING, RUNNING, FINISHING, LOST, FAILED, CANCELLED}),
    RUNNING: frozenset({FINISHING, LOST, FAILED, CANCELLED}),
    FINISHING: frozenset({DONE, FAILED, CANCELLED, LOST}),
    LOST: frozenset({PREPARING, RUNNING, FINISHING, FAILED, CANCELLED}),
    DONE: frozenset(),
    FAILED: frozenset(),
    CANCELLED: frozenset(),
}


class WrongTransitionError(Exception):
    """A run was asked to go a way that does not exist."""

    def __init__(self, run_id: int, state: str, wanted: str) -> None:
        """Keep the facts beside the sentence."""
        super().__init__(f"run {run_id} can not go from {state} to {wanted}")
        self.run_id, self.state, self.wanted = run_id, state, wanted


def check(run_id: int, state: str, wanted: str) -> None:
    """Raise WrongTransitionError unless a run may go from `state` to `wanted`."""
    if wanted != state and wanted not in TRANSITIONS[state]:
        raise WrongTransitionError(run_id, state, wanted)


def enter(
    run: Run, wanted: str, reason: str | None = None, error: dict[str, Any] | None = None
) -> None:
    """Bring `run` into a state, with its times; raises WrongTransitionError.

    `reason` is shown beside the state; `error` (code, title, detail, remedy) is kept once given.
    """
    check(run.id, run.state, wanted)
    if run.state != wanted:
        run.state, run.state_since = wanted, now()
    run.state_reason = reason[:1000] if reason else None
    run.error = error or run.error
    if wanted == WAITING:
        run.started_at = None
    else:
        run.waits_for = None
    if wanted == PREPARING and run.started_at is None:
        run.started_at = run.state_since
    if wanted in FINAL:
        run.ended_at = run.state_since
