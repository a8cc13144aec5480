"""The states of a run, and the only ways between them."""

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
    PREPARING: frozenset({RUNNING, FINISHING, LOST, FAILED, CANCELLED}),
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
