"""Fields of a host: names in place of ids, and what a connection requires."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.credentials.models import Credential
from assay.hosts import queries
from assay.hosts.models import Host
from assay.http.errors import Invalid, NameTaken
from assay.http.field_errors import FieldError
from assay.http.names import Known


def check_complete(
    connection: str, address: str | None, user: str | None, credential_id: int | None
) -> None:
    """Raise Invalid if the connection lacks a required field."""
    if connection == "local":
        return
    needed = {"address": address, "user": user, "credential_id": credential_id}
    remedies = {
        "address": "Enter the host's name or address.",
        "user": "Enter the login user.",
        "credential_id": "Select a credential, or create one first.",
    }
    missing = [name for name, value in needed.items() if not value]
    if missing:
        raise Invalid([FieldError(n, "is required for SSH", remedies[n]) for n in missing])


def check_credential(session: Session, credential_id: int | None) -> None:
    """Raise Invalid if a credential is given and does not exist."""
    if credential_id is not None and session.get(Credential, credential_id) is None:
        raise Invalid(
            [FieldError("credential_id", "does not exist", "Select a credential.", credential_id)]
        )


def resolved(session: Session, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a request with ids in place of the names of other objects."""
    credential: str | None = fields.pop("credential", None)
    if credential is not None:
        rows = session.execute(select(Credential.id, Credential.name))
        known = Known("credential", "credentials", {number: (own,) for number, own in rows})
        fields = fields | {"credential_id": known.find("credential", credential)}
    jump_host: str | None = fields.pop("jump_host", None)
    if jump_host is not None:
        fields = fields | {"jump_host_id": queries.names(session).find("jump_host", jump_host)}
    return fields


def check_name(session: Session, name: str) -> None:
    """Raise NameTaken if a host has this name."""
    if taken := session.scalar(select(Host.id).where(Host.name == name)):
        raise NameTaken("host", name, taken)
