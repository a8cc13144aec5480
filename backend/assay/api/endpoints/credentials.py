"""Endpoints for credentials; secrets are write-only."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.api.accounts.authentication import may
from assay.api.http.paging import Listing, Page, caseless, listing
from assay.api.http.routes import Route
from assay.base.errors import Conflict, Invalid, NotFound
from assay.base.field_errors import FieldError
from assay.base.field_types import Id
from assay.base.filters import Words, has_words
from assay.base.identity import Identity
from assay.inventory.credentials import certificates
from assay.inventory.credentials.creation import create
from assay.inventory.credentials.schemas import (
    CertificateIn,
    CredentialIn,
    CredentialKind,
    CredentialOut,
    HostName,
)
from assay.tables.clock import now
from assay.tables.credentials import Credential
from assay.tables.hosts import Host
from assay.tables.transactions import Reading, Writing

router = APIRouter(prefix="/credentials", tags=["credentials"], route_class=Route)

CredentialList = Annotated[
    Listing[CredentialOut],
    Depends(
        listing(
            CredentialOut,
            {
                "id": Credential.id,
                "name": caseless(Credential.name),
                "kind": Credential.kind,
                "created_at": Credential.created_at,
            },
            by="-id",
        )
    ),
]


class CredentialInUse(Conflict):
    """Hosts use the credential."""

    code, title = "credential_in_use", "The credential is in use"

    def __init__(self, hosts: list[HostName]) -> None:
        """Name the hosts."""
        names = ", ".join(f"'{host.name}'" for host in hosts)
        super().__init__(
            f"It is used by {names}.", "Select another credential for these hosts first."
        )
        self.hosts = hosts

    @property
    def facts(self) -> dict[str, Any]:
        """The hosts, in machine-readable form."""
        return {"hosts": [host.model_dump() for host in self.hosts]}


@router.get("", response_model=Page[CredentialOut], summary="List credentials")
def list_credentials(
    _who: Annotated[Identity, may("credential.read")],
    session: Reading,
    part: CredentialList,
    *,
    kind: Annotated[
        list[CredentialKind] | None, Query(description="Only those of this kind; repeatable")
    ] = None,
    q: Words = None,
) -> Page[CredentialOut] | JSONResponse:
    """Newest first, with the hosts that use each; secrets are never returned."""
    chosen = select(Credential).where(has_words(q or "", Credential.name))
    if kind:
        chosen = chosen.where(Credential.kind.in_(kind))
    return part.page(session, chosen, _shapes)


@router.post("", status_code=201, summary="Add a credential")
def create_credential(
    body: CredentialIn, who: Annotated[Identity, may("credential.create")], session: Writing
) -> CredentialOut:
    """For `generated`, add `public_key` of the response to the host's `authorized_keys`."""
    row = create(session, body, who)
    return _shapes(session, [row])[0]


@router.get("/{credential_id}", summary="Show a credential")
def show_credential(
    credential_id: Id, _who: Annotated[Identity, may("credential.read")], session: Reading
) -> CredentialOut:
    """Includes its public key and the hosts that use it; its secret is never returned."""
    row = session.get(Credential, credential_id)
    if row is None:
        raise NotFound("credential", credential_id)
    return _shapes(session, [row])[0]


@router.put("/{credential_id}/certificate", summary="Replace a credential's certificate")
def put_certificate(
    credential_id: Id,
    body: CertificateIn,
    who: Annotated[Identity, may("credential.change")],
    session: Writing,
) -> CredentialOut:
    """For a renewed certificate, and for the first one of a generated key; null removes it."""
    row = session.get(Credential, credential_id, with_for_update=True)
    if row is None:
        raise NotFound("credential", credential_id)
    if row.public_key is None:
        message = "is not allowed for a password"
        raise Invalid([FieldError("certificate", message, "Use a credential with a key.")])
    detail: dict[str, Any] = {"removed": True}
    row.certificate = None
    if body.certificate is not None:
        line = certificates.read(body.certificate, row.public_key, now(session))
        row.certificate = line
        detail = certificates.shown(line).model_dump(mode="json")
    session.flush()
    record(session, who, "credential.certificate", f"credential {row.id} {row.name}", **detail)
    return _shapes(session, [row])[0]


@router.delete("/{credential_id}", status_code=204, summary="Delete a credential")
def delete_credential(
    credential_id: Id, who: Annotated[Identity, may("credential.delete")], session: Writing
) -> None:
    """Rejected while a host uses it."""
    row = session.get(Credential, credential_id, with_for_update=True)
    if row is None:
        raise NotFound("credential", credential_id)
    if hosts := _hosts_of(session, [row.id])[row.id]:
        raise CredentialInUse(_names(hosts))
    record(session, who, "credential.deleted", f"credential {row.id} {row.name}")
    session.delete(row)


def _hosts_of(session: Session, ids: Iterable[int]) -> defaultdict[int, list[Host]]:
    """Return the hosts that use each credential."""
    found: defaultdict[int, list[Host]] = defaultdict(list)
    hosts = session.scalars(select(Host).where(Host.credential_id.in_(ids)).order_by(Host.name))
    for host in hosts:
        if host.credential_id is not None:
            found[host.credential_id].append(host)
    return found


def _names(hosts: Sequence[Host]) -> list[HostName]:
    return [HostName(id=host.id, name=host.name) for host in hosts]


def _shapes(session: Session, rows: Sequence[Credential]) -> list[CredentialOut]:
    hosts, present = _hosts_of(session, [row.id for row in rows]), now(session)
    return [_shape(row, hosts[row.id], present) for row in rows]


def _shape(row: Credential, hosts: Sequence[Host], present: datetime) -> CredentialOut:
    certificate = certificates.shown(row.certificate) if row.certificate else None
    warnings: list[str] = []
    for user in dict.fromkeys(host.user for host in hosts) or [None]:
        for doubt in certificates.doubts(certificate, user, present) if certificate else []:
            warnings += [doubt] if doubt not in warnings else []
    return CredentialOut.model_validate(
        {
            "id": row.id,
            "name": row.name,
            "kind": row.kind,
            "public_key": row.public_key,
            "fingerprint": row.fingerprint,
            "created_at": row.created_at,
            "hosts": _names(hosts),
            "certificate": certificate,
            "warnings": warnings,
        }
    )
