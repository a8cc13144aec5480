"""Parsing and generation of SSH keys."""

from dataclasses import dataclass

import asyncssh

from assay.http.errors import Invalid
from assay.http.field_errors import FieldError


@dataclass(frozen=True)
class KeyPair:
    """A private key in OpenSSH format, its public key and its fingerprint."""

    private: str
    public: str
    fingerprint: str


def generate(comment: str) -> KeyPair:
    """Generate an Ed25519 key pair; `comment` identifies it in `authorized_keys`."""
    word = "".join(c if c.isascii() and c.isalnum() else "-" for c in comment)[:60]
    key = asyncssh.generate_private_key(  # pyright: ignore[reportUnknownMemberType]
        "ssh-ed25519", comment=f"assay-{word}"
    )
    return _pair(key)


def read(text: str, passphrase: str | None) -> KeyPair:
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
