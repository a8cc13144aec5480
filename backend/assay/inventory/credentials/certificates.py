"""SSH user certificates: parsing, and the problems of using one."""

from datetime import UTC, datetime, timedelta

import asyncssh
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    SSHCertificate,
    SSHCertificateType,
    load_ssh_public_identity,
)

from assay.base.errors import Invalid
from assay.base.field_errors import FieldError
from assay.inventory.credentials.schemas import UserCertificate

FIELD = "certificate"

LATEST = 253_402_300_799
"""Seconds from 1970 to the end of the year 9999, the last of a date; "forever" is later."""

WARNED_BEFORE = timedelta(days=14)
"""A certificate is reported so long before its end, or in the last quarter of a shorter life."""


def read(text: str, public_key: str, now: datetime) -> str:
    """Return the line of a certificate for `public_key`; raises Invalid with the reason."""
    line = " ".join(text.split())
    found = _parsed(line)
    if found.type != SSHCertificateType.USER:
        raise _mistake("is a host certificate", "Paste a certificate of a user's key.")
    try:
        found.verify_cert_signature()
    except InvalidSignature:
        raise _mistake("has an invalid signature", "Copy the whole file again.") from None
    own, given = _fingerprint(public_key), _fingerprint(_line(found))
    if own != given:
        message = f"is for the key {given}, and this credential's key is {own}"
        raise _mistake(message, "Paste the certificate that was signed for this key.")
    until = _moment(found.valid_before)
    if until is not None and until <= now:
        raise _mistake(f"expired at {_written(until)}", "Have the key signed again.")
    return line


def shown(line: str) -> UserCertificate:
    """Return a stored certificate as an API type."""
    found = _parsed(line)
    options = found.critical_options
    return UserCertificate(
        key_id=found.key_id.decode(errors="replace"),
        serial=str(found.serial),
        principals=[name.decode(errors="replace") for name in found.valid_principals],
        valid_from=_moment(found.valid_after) if found.valid_after else None,
        valid_until=_moment(found.valid_before),
        authority=_fingerprint(_authority(found)),
        force_command=_option(options, b"force-command"),
        source_address=_option(options, b"source-address"),
    )


def doubts(certificate: UserCertificate, user: str | None, now: datetime) -> list[str]:
    """Return why a login with the certificate fails, or soon will, in sentences.

    With `user`, its principals are compared with it.
    """
    found = expiry(certificate, now)
    if user is not None and user not in certificate.principals:
        names = ", ".join(certificate.principals) or "none"
        found.append(
            f"The user '{user}' is not a principal of the certificate ({names}): the login fails "
            "unless the host maps principals (AuthorizedPrincipalsFile)."
        )
    if certificate.force_command is not None:
        found.append(
            f"The certificate forces the command '{certificate.force_command}', so Assay cannot "
            "run its own."
        )
    return found


def expiry(certificate: UserCertificate, now: datetime) -> list[str]:
    """Return that the certificate is not valid, or soon will not be, in sentences."""
    start, end = certificate.valid_from, certificate.valid_until
    if end is not None and end <= now:
        return [f"The certificate expired at {_written(end)}. Have the key signed again."]
    if start is not None and now < start:
        return [f"The certificate is valid only from {_written(start)} on."]
    if end is not None and end - now <= _warned_before(start, end):
        return [f"The certificate expires at {_written(end)}. Have the key signed again."]
    return []


def _warned_before(start: datetime | None, end: datetime) -> timedelta:
    return min(WARNED_BEFORE, (end - start) / 4) if start is not None else WARNED_BEFORE


def _parsed(line: str) -> SSHCertificate:
    try:
        found = load_ssh_public_identity(line.encode())
    except ValueError as error:
        remedy = "Paste the whole file whose name ends in -cert.pub."
        raise _mistake(f"cannot be read as an SSH certificate ({error})", remedy) from None
    if not isinstance(found, SSHCertificate):
        raise _mistake("is a public key", "Paste the file whose name ends in -cert.pub.")
    return found


def _line(certificate: SSHCertificate) -> str:
    key = certificate.public_key()
    return key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def _authority(certificate: SSHCertificate) -> str:
    key = certificate.signature_key()
    return key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def _fingerprint(line: str) -> str:
    return asyncssh.import_public_key(line).get_fingerprint()


def _option(options: dict[bytes, bytes], name: bytes) -> str | None:
    value = options.get(name)
    return None if value is None else value.decode(errors="replace")


def _moment(seconds: int) -> datetime | None:
    """Return a time of a certificate, or None for one that never comes."""
    return None if seconds > LATEST else datetime.fromtimestamp(seconds, UTC)


def _written(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _mistake(message: str, remedy: str) -> Invalid:
    return Invalid([FieldError(FIELD, message, remedy)])
