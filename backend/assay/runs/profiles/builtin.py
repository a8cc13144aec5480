"""The built-in profiles, stored in the database at every start.

A changed one becomes a new version of its slug; an unchanged one stays as it is.
"""

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.runs.profiles.builtin_storage import MATRIX, SUSTAINED, Builtin
from assay.runs.profiles.builtin_transfers import TRANSFERS
from assay.runs.profiles.schemas import document
from assay.tables.profiles import Profile

AUTHOR = "assay"

BUILTINS: tuple[Builtin, ...] = (*MATRIX, *SUSTAINED, *TRANSFERS)


def install(session: Session) -> None:
    """Store the built-in profiles in the database; does nothing if they are stored."""
    for builtin in BUILTINS:
        newest = session.scalar(
            select(Profile)
            .where(Profile.slug == builtin.slug)
            .order_by(Profile.version.desc())
            .limit(1)
        )
        body = document(builtin.body)
        told = (builtin.name, builtin.description, body)
        if newest and (newest.name, newest.description, newest.body) == told:
            continue
        session.add(
            Profile(
                slug=builtin.slug,
                version=newest.version + 1 if newest else 1,
                name=builtin.name,
                description=builtin.description,
                builtin=True,
                body=body,
                created_by=AUTHOR,
            )
        )
