"""A campaign's state: derived from those of its runs and never stored."""

from collections.abc import Collection, Iterable
from typing import Literal

from assay.base import states as runs

CampaignState = Literal["queued", "running", "done", "failed", "cancelled"]

FINAL: frozenset[CampaignState] = frozenset({"done", "failed", "cancelled"})


def derive(states: Collection[str]) -> CampaignState:
    """Return the state of a campaign whose runs are in `states`.

    A started campaign is running until its last run has ended. It is then failed if a run failed,
    else cancelled if one was canceled, else done.
    """
    present = set(states)
    if present <= runs.FINAL:
        for worst in ("failed", "cancelled"):
            if worst in present:
                return worst
        return "done"
    if present == {runs.QUEUED}:
        return "queued"
    return "running"


def condition(its_runs: Iterable[tuple[str, runs.Condition | None]]) -> runs.Condition | None:
    """Return *lost* if each active run, as (state, condition), is lost and at least one is."""
    active = {condition for state, condition in its_runs if state in runs.ACTIVE}
    return runs.LOST if active == {runs.LOST} else None
