"""A campaign's state, derived from those of its runs and never stored."""

from collections.abc import Collection
from typing import Literal

from assay.runs import lifecycle as runs

State = Literal["waiting", "running", "done", "failed", "cancelled", "lost"]

FINAL: frozenset[State] = frozenset({"done", "failed", "cancelled"})


def derive(states: Collection[str]) -> State:
    """The state of a campaign whose runs are in `states`.

    One that has begun is running until its last run has ended, unless only lost runs keep it from
    going on. Ended, it is failed when a run failed, else cancelled when one was, else done.
    """
    present = set(states)
    if present <= runs.FINAL:
        for worst in ("failed", "cancelled"):
            if worst in present:
                return worst
        return "done"
    if present == {runs.WAITING}:
        return "waiting"
    if runs.LOST in present and present <= {runs.LOST, runs.WAITING} | runs.FINAL:
        return "lost"
    return "running"
