"""Creation of credentials."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.accounts.audit import record
from assay.accounts.identity import Identity
from assay.credentials import certificates, ssh_keys
from assay.credentials.models import Credential
from assay.credentials.schemas import CredentialIn
from assay.credentials.sealing import seal
from assay.db.clock import now
from assay.http.errors import Invalid, NameTaken
from assay.http.field_errors import FieldError


def create(session: Session, body: CredentialIn, who: Identity) -> Credential:
    """Store a new credential with its secret encrypted; raises Invalid or NameTaken."""
    pair, secret = _secret(body)
    if taken := session.scalar(select(Credential.id).where(Credential.name == body.name)):
        raise NameTaken("credential", body.name, taken)
    certificate = None
    if pair is not None and body.certificate is not None:
        certificate = certificates.read(body.certificate, pair.public, now(session))
    row = Credential(
        name=body.name,
        kind=body.kind,
        sealed=seal(secret),
        public_key=pair.public if pair else None,
        fingerprint=pair.fingerprint if pair else None,
        certificate=certificate,
    )
    session.add(row)
    session.flush()
    record(session, who, "credential.created", f"credential {row.id} {row.name}", kind=row.kind)
    return row


def _secret(body: CredentialIn) -> tuple[ssh_keys.KeyPair | None, str]:
    """Return the key pair, if any, and the secret to seal; raises Invalid."""
    secrets = {"private_key", "passphrase", "password", "certificate"}
    given = secrets & body.model_dump(exclude_none=True).keys()
    if body.kind == "generated":
        _only(given, set())
        pair = ssh_keys.generate(body.name)
        return pair, pair.private
    if body.kind == "private_key":
        _only(given, {"private_key", "passphrase", "certificate"})
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
