"""Actions that run after a session's commit, and not after a rollback."""

import logging
from collections.abc import Callable

from sqlalchemy import event
from sqlalchemy.orm import Session

_KEY = "after_commit"

log = logging.getLogger(__name__)


def after_commit(session: Session, action: Callable[[], None]) -> None:
    """Call `action` after `session` has committed; a rollback discards it."""
    session.info.setdefault(_KEY, []).append(action)


@event.listens_for(Session, "after_commit")
def _act(session: Session) -> None:  # pyright: ignore[reportUnusedFunction]
    for action in session.info.pop(_KEY, []):
        action()


@event.listens_for(Session, "after_rollback")
def _drop(session: Session) -> None:  # pyright: ignore[reportUnusedFunction]
    session.info.pop(_KEY, None)
