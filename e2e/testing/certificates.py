"""Certificate authorities and the certificates that they sign, by `ssh-keygen -s`."""

import subprocess
from pathlib import Path

import asyncssh


class Authority:
    """An authority with a key in `folder`; it signs keys of users and hosts."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.key = asyncssh.generate_private_key("ssh-ed25519")
        self.path = folder / "authority"
        self.path.write_bytes(self.key.export_private_key())
        self.path.chmod(0o600)
        self.public.write_bytes(self.key.export_public_key())

    @property
    def public(self) -> Path:
        return self.folder / "authority.pub"

    @property
    def fingerprint(self) -> str:
        return self.key.get_fingerprint()

    def sign(
        self, key: asyncssh.SSHKey, *principals: str, validity: str = "-1h:+1h", **options: str
    ) -> str:
        """Return the certificate of a user's key; `options` are those of `ssh-keygen -O`."""
        return self._sign(key, principals, validity, [f"{k}={v}" for k, v in options.items()])

    def sign_host(self, key: asyncssh.SSHKey, *principals: str, validity: str = "-1h:+1h") -> str:
        """Return the certificate of a host's key."""
        return self._sign(key, principals, validity, [], "-h")

    def _sign(
        self,
        key: asyncssh.SSHKey,
        principals: tuple[str, ...],
        validity: str,
        options: list[str],
        *more: str,
    ) -> str:
        public = self.folder / "signed.pub"
        public.write_bytes(key.export_public_key())
        command = ["ssh-keygen", "-q", "-s", self.path, "-I", "made for a test", "-z", "7"]
        if principals:
            command += ["-n", ",".join(principals)]
        for option in options:
            command += ["-O", option.replace("_", "-", 1)]
        subprocess.run(
            [*command, "-V", validity, *more, public], check=True, capture_output=True, text=True
        )
        return (self.folder / "signed-cert.pub").read_text()
