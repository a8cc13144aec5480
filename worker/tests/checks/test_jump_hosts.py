"""Checks of hosts behind a jump host, and what a failure of it does to them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from assay.tables.database import writing
from assay.tables.hosts import Host
from assay_worker.connectors.keys import fingerprint
from testing.installation import Installation
from testing.sshd import Sshd, free_port


@pytest.fixture
def bastion(tmp_path: Path) -> Iterator[Sshd]:
    server = Sshd(tmp_path / "bastion")
    server.start()
    yield server
    server.stop()


def test_a_host_is_checked_through_its_jump_host(
    installation: Installation, sshd: Sshd, bastion: Sshd
) -> None:
    jump = installation.ssh_host(bastion)
    host = installation.ssh_host(sshd, jump_host_id=jump)
    check = installation.check(host)
    assert (check.state, check.error) == ("ok", None)
    assert "Accepted" in (bastion.folder / "log").read_text()
    assert list((sshd.home / ".cache/assay").rglob("assay-probe"))
    assert not list(bastion.home.rglob("assay-probe")), "it only forwards"


def test_a_first_key_and_an_expected_key_are_fetched_through_the_jump_host(
    installation: Installation, sshd: Sshd, bastion: Sshd
) -> None:
    jump = installation.ssh_host(bastion)
    host = installation.ssh_host(sshd, approved=False, jump_host_id=jump)
    check = installation.check(host)
    assert check.error is not None
    assert check.error["code"] == "host_key_unapproved"
    assert installation.host(host).offered_key == sshd.host_key
    with writing() as session:
        expected = {"type": None, "fingerprint": fingerprint(sshd.host_key)}
        session.get_one(Host, host).expected_keys = [expected]
    assert installation.check(host).error is None
    assert installation.host(host).approved_key == sshd.host_key


def test_an_unapproved_key_of_the_jump_host_is_the_jump_hosts_problem(
    installation: Installation, sshd: Sshd, bastion: Sshd
) -> None:
    jump = installation.ssh_host(bastion, approved=False, name="bastion")
    host = installation.ssh_host(sshd, jump_host_id=jump)
    check = installation.check(host)
    assert check.error is not None
    assert check.error["code"] == "jump_host_failed"
    assert check.error["detail"].startswith("jump host bastion: The host key is not approved")
    row = installation.host(host)
    assert (row.state, row.offered_key, row.approved_key) == ("error", None, sshd.host_key)


def test_a_changed_key_of_the_jump_host_is_not_offered_for_the_target(
    installation: Installation, sshd: Sshd, bastion: Sshd
) -> None:
    jump = installation.ssh_host(bastion, name="bastion")
    host = installation.ssh_host(sshd, jump_host_id=jump)
    bastion.stop()
    bastion.new_host_key()
    bastion.start()
    check = installation.check(host)
    assert check.error is not None
    assert check.error["code"] == "jump_host_failed"
    assert installation.host(host).offered_key is None
    assert installation.host(host).approved_key == sshd.host_key


def test_a_host_is_unreachable_while_its_jump_host_is(
    installation: Installation, sshd: Sshd, bastion: Sshd
) -> None:
    jump = installation.ssh_host(bastion, name="bastion", port=free_port())
    host = installation.ssh_host(sshd, jump_host_id=jump)
    check = installation.check(host)
    assert check.error is not None
    assert check.error["code"] == "jump_host_unreachable"
    assert installation.host(host).state == "unreachable"
    with writing() as session:
        session.get_one(Host, jump).port = bastion.port
    assert installation.check(host).error is None
    assert installation.host(host).state == "ready"


def test_a_cycle_in_the_database_ends_as_an_error(
    installation: Installation, sshd: Sshd, bastion: Sshd
) -> None:
    """Concurrent changes of four hosts could make one."""
    jump = installation.ssh_host(bastion, name="bastion")
    host = installation.ssh_host(sshd, jump_host_id=jump)
    with writing() as session:
        session.get_one(Host, jump).jump_host_id = host
    check = installation.check(host)
    assert check.error is not None
    assert "more than 3 in a row" in check.error["detail"]
