"""A request's database session: one commit, in one place, before the response goes out.

The scope `function` makes FastAPI leave the dependency before it sends the response, so that a
client never hears of a success that a failing commit then takes back. What is to be told to
others after the commit (`assay.messaging.queue`,
`assay.messaging.changes`) is dropped with a rollback.
"""

from collections.abc import Generator
from typing import Annotated

from fastapi import Depends
from sqlalchemy.orm import Session

from assay.db import database


def _reading() -> Generator[Session]:
    with database.reading() as session:
        yield session


def _writing() -> Generator[Session]:
    with database.writing() as session:
        yield session


Reading = Annotated[Session, Depends(_reading, scope="function")]
"""A session that only reads."""

Writing = Annotated[Session, Depends(_writing, scope="function")]
"""A session that is committed before the response, or rolled back when the endpoint raises."""
