"""A request's database session: one commit, in one place, before the response is sent.

With the scope `function`, FastAPI exits the dependency before it sends the response, so that no
success is reported if the commit fails. Messages and notifications (`assay.base.messaging.queue`,
`assay.base.messaging.changes`) are sent after the commit, and discarded by a rollback.
"""

from collections.abc import Generator
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from assay.tables import database


def _reading() -> Generator[Session]:
    with database.reading() as session:
        yield session


def begin_writing(request: Request) -> Generator[Session]:
    """Yield a session that is committed afterwards: the dependency of `Writing`."""
    with database.writing() as session:
        request.state.writing_session = session
        yield session


def writing_session(request: Request) -> Session | None:
    """Return the request's uncommitted session, or None if its endpoint has none."""
    return getattr(request.state, "writing_session", None)


Reading = Annotated[Session, Depends(_reading, scope="function")]
"""A read-only session."""

Writing = Annotated[Session, Depends(begin_writing, scope="function")]
"""A session that is committed before the response, or rolled back if the endpoint raises."""
