"""API types of credentials; secrets are write-only."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from assay.base.field_types import Name, RequestBody

CredentialKind = Literal["private_key", "password", "generated"]

Certificate = Annotated[
    str,
    StringConstraints(min_length=1, max_length=16_000),
    Field(description="SSH user certificate of the key: the file that ends in `-cert.pub`"),
]

Secret = Annotated[str, StringConstraints(min_length=1, max_length=50_000)]


class CredentialIn(RequestBody):
    """A new credential: a private key, a password, or a key pair that Assay generates."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"name": "lab key", "kind": "generated"},
                {
                    "name": "my key",
                    "kind": "private_key",
                    "private_key": "-----BEGIN OPENSSH PRIVATE KEY-----\n…",
                    "passphrase": "…",
                },
            ]
        }
    )

    name: Name
    kind: CredentialKind
    private_key: Secret | None = None
    passphrase: Secret | None = None
    password: Secret | None = None
    certificate: Certificate | None = None


class CertificateIn(RequestBody):
    """A user certificate for the key of a credential; without one, it is removed."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"certificate": None},
                {"certificate": "ssh-ed25519-cert-v01@openssh.com AAAAIHNza… lab"},
            ]
        }
    )

    certificate: Certificate | None = None


class HostName(BaseModel):
    """Id and name of a host."""

    id: int
    name: str


class UserCertificate(BaseModel):
    """An SSH user certificate; a missing time is no limit.

    `serial` is text, since it may have 64 bits. `authority` is the fingerprint of the key that
    signed it.
    """

    key_id: str
    serial: str
    principals: list[str]
    valid_from: datetime | None
    valid_until: datetime | None
    authority: str
    force_command: str | None
    source_address: str | None


class CredentialOut(BaseModel):
    """A credential, without its secret."""

    model_config = ConfigDict(
        title="Credential",
        json_schema_extra={
            "examples": [
                {
                    "id": 1,
                    "name": "lab key",
                    "kind": "generated",
                    "public_key": "ssh-ed25519 AAAAC3… assay-lab-key",
                    "fingerprint": "SHA256:pccWDxB0…",
                    "created_at": "2026-11-21T01:00:00Z",
                    "hosts": [{"id": 5, "name": "web-1"}],
                    "certificate": None,
                    "warnings": [],
                }
            ]
        },
    )

    id: int
    name: str
    kind: CredentialKind
    public_key: str | None
    fingerprint: str | None
    created_at: datetime
    hosts: list[HostName]
    certificate: UserCertificate | None
    warnings: Annotated[
        list[str], Field(description="Why logins with the certificate fail, or soon will")
    ]
