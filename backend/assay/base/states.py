"""The states of runs and what they mean to those who wait for them, and other stored states."""

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

Origin = Literal["person", "token", "schedule"]
"""Who launched a campaign."""

FiringOutcome = Literal["launched", "refused", "missed", "skipped"]
"""What became of a fire time of a schedule."""

DeliveryState = Literal["pending", "delivered", "failed"]

MatchOf = Literal["host", "target", "array"]
"""What was registered a second time."""
