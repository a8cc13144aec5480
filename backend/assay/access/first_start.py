"""Creation of the first administrator, by a setup code or `ASSAY_ADMIN_PASSWORD`."""

import hmac

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.access.secrets import fingerprint, hash_password, in_groups, new_code
from assay.base.errors import Conflict, Problem
from assay.base.field_errors import FieldError
from assay.base.identity import Identity
from assay.tables.accounts import Installation, User

CODE = "setup_code"
ADMINISTRATOR = "admin"


class AlreadySetUp(Conflict):
    """An administrator exists."""

    code, title = "already_set_up", "Assay is already set up"


class WrongSetupCode(Problem):
    """The code is not the one in the log."""

    status, code, title = 403, "wrong_setup_code", "Wrong setup code"

    def __init__(self) -> None:
        """Say where the code is."""
        message = "is not the code that the last start printed"
        remedy = "Copy the code from the newest log."
        super().__init__(f"code: {message}", errors=[FieldError("code", message, remedy)])


def is_set_up(session: Session) -> bool:
    """Return whether a user exists."""
    return bool(session.scalar(select(exists().where(User.id.is_not(None)))))


def prepare(session: Session, admin_password: str | None) -> str | None:
    """Create the administrator from the settings, or else a new setup code.

    Returns the code to print. Each start before the setup invalidates the previous code.
    """
    if is_set_up(session):
        return None
    if admin_password:
        password_hash = hash_password(admin_password)
        user = User(name=ADMINISTRATOR, password_hash=password_hash, role="admin")
        _add(session, user, Identity("ASSAY_ADMIN_PASSWORD", "admin", "local"))
        return None
    code = new_code()
    session.merge(Installation(name=CODE, value=fingerprint(code)))
    return code


def set_up(session: Session, code: str, name: str, password: str, address: str) -> User:
    """Create the first administrator; raises AlreadySetUp or WrongSetupCode."""
    stored = session.get(Installation, CODE, with_for_update=True)
    if is_set_up(session):
        raise AlreadySetUp("The first administrator exists.", "Log in instead.")
    given = fingerprint(in_groups(code))
    if stored is None or not hmac.compare_digest(stored.value, given):
        raise WrongSetupCode
    user = User(name=name, password_hash=hash_password(password), role="admin")
    _add(session, user, Identity("setup code", "admin", address))
    session.delete(stored)
    return user


def _add(session: Session, user: User, who: Identity) -> None:
    session.add(user)
    session.flush()
    record(session, who, "user.created", f"user {user.id} {user.name}", role=user.role)
