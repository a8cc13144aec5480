"""Creation of credentials: parsing and generation of SSH keys, and storage."""

from dataclasses import dataclass

import asyncssh
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.base.errors import Invalid, NameTaken
from assay.base.field_errors import FieldError
from assay.base.identity import Identity
from assay.inventory.credentials import certificates
from assay.inventory.credentials.schemas import CredentialIn
from assay.inventory.credentials.sealing import seal
from assay.tables.clock import now
from assay.tables.credentials import Credential


@dataclass(frozen=True)
class KeyPair:
    """A private key in OpenSSH format, its public key and its fingerprint."""

    private: str
    public: str
    fingerprint: str


def generate_key(comment: str) -> KeyPair:
    """Generate an Ed25519 key pair; `comment` identifies it in `authorized_keys`."""
    word = "".join(c if c.isascii() and c.isalnum() else "-" for c in comment)[:60]
    key = asyncssh.generate_private_key(  # pyright: ignore[reportUnknownMemberType]
        "ssh-ed25519", comment=f"assay-{word}"
    )
    return _pair(key)


def read_key(text: str, passphrase: str | None) -> KeyPair:
    """Parse a private key file; raises Invalid with the reason."""
    try:
        pair = _pair(asyncssh.import_private_key(text, passphrase or None))
    except asyncssh.KeyEncryptionError as error:
        raise _wrong_passphrase() from error
    except (asyncssh.KeyImportError, ValueError, RecursionError) as error:
        raise Invalid([_what_is_wrong(text, passphrase, error)]) from error
    if not pair.public.isprintable():  # it becomes a line of authorized_keys
        message = "has a comment with line breaks or other control characters"
        raise Invalid(
            [FieldError("private_key", message, "Change it with `ssh-keygen -c -f FILE`.")]
        )
    return pair


def _pair(key: asyncssh.SSHKey) -> KeyPair:
    return KeyPair(
        key.export_private_key().decode(),
        key.export_public_key().decode().strip(),
        key.get_fingerprint(),
    )


def _wrong_passphrase() -> Invalid:
    return Invalid(
        [FieldError("passphrase", "is wrong for this key", "Enter the key's passphrase.")]
    )


def _what_is_wrong(text: str, passphrase: str | None, error: Exception) -> FieldError:
    if "Passphrase must be specified" in str(error):
        return FieldError("passphrase", "is required: the key is encrypted", "Enter it.")
    if "ecrypt" in str(error) and passphrase:
        return FieldError("passphrase", "is wrong for this key", "Enter the key's passphrase.")
    if text.lstrip().startswith(("ssh-", "ecdsa-", "---- BEGIN SSH2 PUBLIC")):
        return FieldError("private_key", "is a public key", "Use the file without the suffix .pub.")
    return FieldError(
        "private_key",
        f"cannot be read as a private key ({error})",
        "Paste the whole file, from the BEGIN line to the END line.",
    )


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


def _secret(body: CredentialIn) -> tuple[KeyPair | None, str]:
    """Return the key pair, if any, and the secret to seal; raises Invalid."""
    secrets = {"private_key", "passphrase", "password", "certificate"}
    given = secrets & body.model_dump(exclude_none=True).keys()
    if body.kind == "generated":
        _only(given, set())
        pair = generate_key(body.name)
        return pair, pair.private
    if body.kind == "private_key":
        _only(given, {"private_key", "passphrase", "certificate"})
        if body.private_key is None:
            raise Invalid([FieldError("private_key", "is required", "Paste the private key file.")])
        pair = read_key(body.private_key, body.passphrase)
        return pair, pair.private
    _only(given, {"password"})
    if body.password is None:
        raise Invalid([FieldError("password", "is required", "Enter the user's password.")])
    return None, body.password


def _only(given: set[str], fitting: set[str]) -> None:
    if wrong := sorted(given - fitting):
        message = "is not allowed for this kind of credential"
        raise Invalid([FieldError(name, message, "Omit it.") for name in wrong])
