"""Endpoints for credentials; secrets are write-only."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.authentication import Admin, HostManager
from assay.credentials import ssh_keys
from assay.credentials.models import Credential
from assay.credentials.schemas import CredentialIn, CredentialKind, CredentialOut, HostName
from assay.credentials.sealing import seal
from assay.hosts.models import Host
from assay.http.errors import Conflict, Invalid, NameTaken, NotFound
from assay.http.field_errors import FieldError
from assay.http.field_types import Id
from assay.http.filters import Words, has_words
from assay.http.paging import Listing, Page, caseless, listing
from assay.http.routes import Route
from assay.http.transactions import Reading, Writing

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
        super().__init__(f"It is used by {names}. Select another credential for these hosts first.")
        self.hosts = hosts

    @property
    def facts(self) -> dict[str, Any]:
        """The hosts, in machine-readable form."""
        return {"hosts": [host.model_dump() for host in self.hosts]}


@router.get("", response_model=Page[CredentialOut], summary="List credentials")
def list_credentials(
    _who: HostManager,
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
def create_credential(body: CredentialIn, who: Admin, session: Writing) -> CredentialOut:
    """For `generated`, add `public_key` of the response to the host's `authorized_keys`."""
    pair, secret = _secret(body)
    if taken := session.scalar(select(Credential.id).where(Credential.name == body.name)):
        raise NameTaken("credential", body.name, taken)
    row = Credential(
        name=body.name,
        kind=body.kind,
        sealed=seal(secret),
        public_key=pair.public if pair else None,
        fingerprint=pair.fingerprint if pair else None,
    )
    session.add(row)
    session.flush()
    record(session, who, "credential.created", f"credential {row.id} {row.name}", kind=row.kind)
    return _shape(row, [])


@router.get("/{credential_id}", summary="Show a credential")
def show_credential(credential_id: Id, _who: HostManager, session: Reading) -> CredentialOut:
    """Includes its public key and the hosts that use it; its secret is never returned."""
    row = session.get(Credential, credential_id)
    if row is None:
        raise NotFound("credential", credential_id)
    return _shape(row, _hosts_of(session, [row.id])[row.id])


@router.delete("/{credential_id}", status_code=204, summary="Delete a credential")
def delete_credential(credential_id: Id, who: Admin, session: Writing) -> None:
    """Rejected while a host uses it."""
    row = session.get(Credential, credential_id, with_for_update=True)
    if row is None:
        raise NotFound("credential", credential_id)
    if hosts := _hosts_of(session, [row.id])[row.id]:
        raise CredentialInUse(hosts)
    record(session, who, "credential.deleted", f"credential {row.id} {row.name}")
    session.delete(row)


def _secret(body: CredentialIn) -> tuple[ssh_keys.KeyPair | None, str]:
    """Return the key pair, if any, and the secret to seal; raises Invalid."""
    given = {"private_key", "passphrase", "password"} & body.model_dump(exclude_none=True).keys()
    if body.kind == "generated":
        _only(given, set())
        pair = ssh_keys.generate(body.name)
        return pair, pair.private
    if body.kind == "private_key":
        _only(given, {"private_key", "passphrase"})
        if body.private_key is None:
            raise Invalid([FieldError("private_key", "is required", "Paste the private key file.")])
        pair = ssh_keys.read(body.private_key, body.passphrase)
        return pair, pair.private
    _only(given, {"password"})
    if body.password is None:
        raise Invalid([FieldError("password", "is required", "Enter the user's password.")])
    return None, body.password


def _only(given: set[str], fitting: set[str]) -> None:
    if wrong := sorted(given - fitting):
        message = "is not allowed for this kind of credential"
        raise Invalid([FieldError(name, message, "Omit it.") for name in wrong])


def _hosts_of(session: Session, ids: Iterable[int]) -> defaultdict[int, list[HostName]]:
    """Return the hosts that use each credential."""
    found: defaultdict[int, list[HostName]] = defaultdict(list)
    hosts = session.scalars(select(Host).where(Host.credential_id.in_(ids)).order_by(Host.name))
    for host in hosts:
        if host.credential_id is not None:
            found[host.credential_id].append(HostName(id=host.id, name=host.name))
    return found


def _shapes(session: Session, rows: Sequence[Credential]) -> list[CredentialOut]:
    hosts = _hosts_of(session, [row.id for row in rows])
    return [_shape(row, hosts[row.id]) for row in rows]


def _shape(row: Credential, hosts: list[HostName]) -> CredentialOut:
    return CredentialOut.model_validate(
        {
            "id": row.id,
            "name": row.name,
            "kind": row.kind,
            "public_key": row.public_key,
            "fingerprint": row.fingerprint,
            "created_at": row.created_at,
            "hosts": hosts,
        }
    )
