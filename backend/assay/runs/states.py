"""The states of a run, and what they mean to those who wait for it."""

from typing import Literal

RunState = Literal["queued", "preparing", "running", "finishing", "done", "failed", "cancelled"]
Condition = Literal["lost"]

QUEUED = "queued"
PREPARING = "preparing"
RUNNING = "running"
FINISHING = "finishing"
DONE = "done"
FAILED = "failed"
CANCELLED = "cancelled"
LOST: Condition = "lost"

ACTIVE = frozenset({PREPARING, RUNNING, FINISHING})
"""States in which a run holds its reservations and needs an owner."""

FINAL = frozenset({DONE, FAILED, CANCELLED})
