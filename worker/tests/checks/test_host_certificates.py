"""Checks of hosts that are trusted by the certificate of an authority, with a real sshd."""

from pathlib import Path

import asyncssh
import pytest
from assay.tables.authorities import HostAuthority
from assay.tables.database import writing
from assay.tables.hosts import Host
from testing.certificates import Authority
from testing.installation import Installation
from testing.sshd import Sshd


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "authority")


def host_key(server: Sshd) -> asyncssh.SSHKey:
    return asyncssh.import_private_key((server.folder / "host_key").read_text())


def certify(server: Sshd, certificate: str | None) -> None:
    """Restart the server with a certificate of its host key, or without one."""
    path = server.folder / "host_key-cert.pub"
    server.stop()
    server.options = []
    if certificate is not None:
        path.write_text(certificate)
        server.options = [f"HostCertificate {path}"]
    server.start()


def trust(authority: Authority, *revoked: str, patterns: tuple[str, ...] = ("*",)) -> int:
    with writing() as session:
        row = HostAuthority(
            name="fleet",
            public_key=authority.key.export_public_key().decode().strip(),
            fingerprint=authority.fingerprint,
            patterns=list(patterns),
            revoked_keys=list(revoked),
        )
        session.add(row)
        session.flush()
        return row.id


def rejection(installation: Installation, host: int) -> str:
    check = installation.check(host)
    assert check.error is not None
    assert check.error["code"] == "host_certificate_rejected", check.error
    assert installation.host(host).state == "key_unapproved"
    return check.error["detail"]


def test_a_host_with_a_certificate_needs_no_approval(
    installation: Installation, sshd: Sshd, authority: Authority, tmp_path: Path
) -> None:
    certify(sshd, authority.sign_host(host_key(sshd), "127.0.0.1"))
    trust(authority, patterns=(f"[127.0.0.1]:{sshd.port}",))
    host = installation.ssh_host(sshd, approved=False)
    check = installation.check(host)
    assert (check.state, check.error) == ("ok", None)
    assert installation.host(host).state == "ready"
    assert installation.host(host).approved_key is None
    assert installation.target(host, tmp_path / "disk")
    sshd.new_host_key()
    certify(sshd, authority.sign_host(host_key(sshd), "127.0.0.1"))
    assert installation.check(host).error is None, "a new key with a certificate is no change"


def test_an_authority_of_other_hosts_is_not_trusted_here(
    installation: Installation, sshd: Sshd, authority: Authority
) -> None:
    certify(sshd, authority.sign_host(host_key(sshd), "127.0.0.1"))
    trust(authority, patterns=("*.example",))
    check = installation.check(installation.ssh_host(sshd, approved=False))
    assert check.error is not None
    assert check.error["code"] == "host_key_unapproved"


@pytest.mark.parametrize(
    ("principal", "validity", "said"),
    [
        ("127.0.0.1", "-2h:-1h", "has expired"),
        ("127.0.0.1", "+1h:+2h", "is not valid yet"),
        ("web-9", "-1h:+1h", "does not name the address 127.0.0.1"),
    ],
)
def test_a_certificate_that_does_not_hold_is_named(
    installation: Installation,
    sshd: Sshd,
    authority: Authority,
    principal: str,
    validity: str,
    said: str,
) -> None:
    certify(sshd, authority.sign_host(host_key(sshd), principal, validity=validity))
    trust(authority)
    host = installation.ssh_host(sshd, approved=False)
    assert said in rejection(installation, host)
    assert installation.host(host).offered_key == sshd.host_key
    assert "Accepted" not in (sshd.folder / "log").read_text()


def test_a_certificate_of_another_authority_is_named(
    installation: Installation, sshd: Sshd, authority: Authority, tmp_path: Path
) -> None:
    other = Authority(tmp_path / "other")
    certify(sshd, other.sign_host(host_key(sshd), "127.0.0.1"))
    trust(authority)
    host = installation.ssh_host(sshd, approved=False)
    assert "signed by another authority than fleet" in rejection(installation, host)


def test_a_host_without_a_certificate_is_named(
    installation: Installation, sshd: Sshd, authority: Authority
) -> None:
    trust(authority)
    host = installation.ssh_host(sshd, approved=False)
    assert "it shows no certificate" in rejection(installation, host)
    assert installation.host(host).offered_key == sshd.host_key


def test_a_revoked_key_is_named_and_not_offered_for_approval(
    installation: Installation, sshd: Sshd, authority: Authority
) -> None:
    certify(sshd, authority.sign_host(host_key(sshd), "127.0.0.1"))
    trust(authority, sshd.host_key)
    host = installation.ssh_host(sshd, approved=False)
    assert "its key is revoked" in rejection(installation, host)
    assert installation.host(host).offered_key is None


def test_an_approved_key_is_rejected_once_it_is_revoked(
    installation: Installation, sshd: Sshd, authority: Authority
) -> None:
    host = installation.ssh_host(sshd)
    assert installation.check(host).error is None
    trust(authority, sshd.host_key)
    assert "its key is revoked" in rejection(installation, host)


def test_an_approved_key_counts_whatever_the_certificate_says(
    installation: Installation, sshd: Sshd, authority: Authority
) -> None:
    certify(sshd, authority.sign_host(host_key(sshd), "web-9", validity="-2h:-1h"))
    trust(authority)
    host = installation.ssh_host(sshd)
    assert installation.check(host).error is None
    with writing() as session:
        session.get_one(Host, host).approved_key = None
    assert "has expired" in rejection(installation, host)
