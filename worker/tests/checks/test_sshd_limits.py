"""Hosts with a restricted sshd, mount or user: each works, or the check names what to change."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from assay.inventory.hosts.queries import shapes
from assay.tables.database import reading
from assay.tables.hosts import Host
from testing.installation import Installation
from testing.sshd import Sshd

LIMITS: dict[str, tuple[tuple[str, ...], str, str | None]] = {
    "no SFTP": (("Subsystem sftp /bin/false",), "true", None),
    "no terminal": (("PermitTTY no",), "true", None),
    "no forwarding": (("AllowTcpForwarding no", "DisableForwarding yes"), "true", None),
    "three sessions": (("MaxSessions 3",), "true", None),
    "two sessions": (("MaxSessions 2",), "true", "session_limit"),
    "one session": (("MaxSessions 1",), "true", "session_limit"),
    "forced command": (("ForceCommand echo no",), "true", "login_shell"),
    "forced SFTP": (("ForceCommand internal-sftp",), "true", "login_shell"),
    "directory without a shell": (("ChrootDirectory /var/empty",), "true", "login_shell"),
    "hidden processes": ((), "mount -t proc -o hidepid=2 proc /proc", None),
    "no execution in /tmp": ((), "mount -t tmpfs -o noexec tmpfs /var/tmp", None),
    "no execution at home": ((), "mount -t tmpfs -o noexec tmpfs {home}", "home_noexec"),
    "read-only home": ((), "mount -t tmpfs -o ro tmpfs {home}", "home_read_only"),
    "full home": (
        (),
        "mount -t tmpfs -o size=200k tmpfs {home}",
        "home_read_only",
    ),
    "twenty processes": ((), "echo $$ > {group}/cgroup.procs", None),
}
"""By case: options of sshd, commands before its start, and the expected code of the check."""


@contextmanager
def twenty_processes() -> Iterator[Path]:
    group = Path(f"/sys/fs/cgroup/pids/assay-test-{os.getpid()}")
    group.mkdir()
    (group / "pids.max").write_text("20")
    try:
        yield group
    finally:
        group.rmdir()


DAY_NS = 86_400 * 10**9


@pytest.mark.parametrize(
    ("worker_ahead_ns", "said"),
    [(0, None), (-DAY_NS, "1 d ahead of Assay's"), (3 * 10**9, "3 s behind Assay's")],
)
def test_a_clock_that_differs_is_named_and_the_host_works(
    installation: Installation,
    sshd: Sshd,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    worker_ahead_ns: int,
    said: str | None,
) -> None:
    """The worker's clock is set here, which is the same to a host."""
    right = time.time_ns
    monkeypatch.setattr("assay_worker.checks.host.time.time_ns", lambda: right() + worker_ahead_ns)
    host = installation.ssh_host(sshd)
    assert installation.check(host).error is None
    with reading() as session:
        (shown,) = shapes(session, [session.get_one(Host, host)])
    assert len(shown.warnings) == bool(said)
    for warning in shown.warnings:
        assert said and said in warning
        assert "the times of its trials and notices differ by as much from Assay's." in warning
    run = installation.launch(installation.target(host, tmp_path / "scratch"))
    installation.drive_to_the_end(run)
    assert installation.run(run).state == "done"


@pytest.mark.parametrize("case", LIMITS)
def test_a_restricted_host_works_or_is_named(
    installation: Installation, tmp_path: Path, case: str
) -> None:
    options, prelude, code = LIMITS[case]
    Path("/var/empty").mkdir(exist_ok=True)
    server = Sshd(tmp_path / "sshd")
    server.options += options
    with twenty_processes() as group:
        server.prelude = prelude.format(home=server.home, group=group)
        server.start()
        try:
            host = installation.ssh_host(server)
            check = installation.check(host)
            assert (check.error and check.error["code"]) == code, check.error
            if code is None:
                run = installation.launch(installation.target(host, tmp_path / "scratch"))
                installation.drive_to_the_end(run)
                assert installation.run(run).state == "done"
            else:
                assert check.error is not None
                assert all(check.error[part] for part in ("title", "detail", "remedy"))
        finally:
            server.stop()
