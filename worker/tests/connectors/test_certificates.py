"""Logins with user certificates, at a real sshd that trusts their authority only."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest
from assay_worker.connectors.ssh import SshLogin, connect
from assay_worker.errors import AuthenticationError, CertificateRejectedError
from testing.certificates import Authority
from testing.sshd import Sshd


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "authority")


@pytest.fixture
def server(tmp_path: Path, authority: Authority) -> Iterator[Sshd]:
    """A server that knows no key of a user, but trusts the authority."""
    made = Sshd(tmp_path / "server")
    made.options = [f"TrustedUserCAKeys {authority.public}"]
    made.start()
    yield made
    made.stop()


KEY = asyncssh.generate_private_key("ssh-ed25519")


def login(server: Sshd, certificate: str | None) -> SshLogin:
    private = KEY.export_private_key().decode()
    return SshLogin(
        "127.0.0.1",
        server.port,
        server.user,
        server.host_key,
        private,
        certificate=certificate,
        name="web-1",
    )


def said(wanted: SshLogin) -> bytes:
    async def go() -> bytes:
        connection = await connect(wanted)
        try:
            return (await connection.run(["echo", "here"])).stdout
        finally:
            await connection.close()

    return asyncio.run(go())


def failure(wanted: SshLogin) -> AuthenticationError:
    with pytest.raises(AuthenticationError) as caught:
        said(wanted)
    return caught.value


def test_a_login_with_a_certificate_succeeds(server: Sshd, authority: Authority) -> None:
    assert said(login(server, authority.sign(KEY, server.user))) == b"here\n"
    log = (server.folder / "log").read_text()
    assert "CA ED25519" in log
    assert "made for a test" in log


def test_a_certificate_is_not_required_where_the_key_is_authorized(
    server: Sshd, tmp_path: Path
) -> None:
    server.stop()
    server.options, server.client_key = [], KEY
    server.start()
    unknown = Authority(tmp_path / "unknown").sign(KEY, "somebody")
    assert said(login(server, unknown)) == b"here\n"


def test_the_key_alone_is_rejected(server: Sshd) -> None:
    assert type(failure(login(server, None))) is AuthenticationError


def test_an_expired_certificate_is_named(server: Sshd, authority: Authority) -> None:
    error = failure(login(server, authority.sign(KEY, server.user, validity="-2h:-1h")))
    assert isinstance(error, CertificateRejectedError)
    assert "The certificate expired at" in str(error)


def test_a_certificate_that_is_not_yet_valid_is_named(server: Sshd, authority: Authority) -> None:
    error = failure(login(server, authority.sign(KEY, server.user, validity="+1h:+2h")))
    assert "is valid only from" in str(error)


def test_a_wrong_principal_is_named(server: Sshd, authority: Authority) -> None:
    error = failure(login(server, authority.sign(KEY, "somebody")))
    assert f"The user '{server.user}' is not a principal of the certificate (somebody)" in str(
        error
    )


def test_an_authority_that_the_host_does_not_trust_is_named(server: Sshd, tmp_path: Path) -> None:
    other = Authority(tmp_path / "other")
    error = failure(login(server, other.sign(KEY, server.user)))
    assert isinstance(error, CertificateRejectedError)
    assert other.fingerprint in str(error)
    assert "TrustedUserCAKeys" in error.remedy
