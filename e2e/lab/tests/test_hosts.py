"""Hosts look like separate machines, and lose what machines lose."""

import os

import pytest
from lab import GIB, MIB, Lab, LabError
from lab.commands import wait_until


def test_hosts_have_separate_names_identities_and_mounts(lab: Lab) -> None:
    disk = lab.disk("a", 1 * GIB)
    one, other = lab.host("one", disk), lab.host("other")
    for path in ("/etc/machine-id", "/proc/sys/kernel/random/boot_id"):
        assert len({host.run_as_root("cat", path) for host in (one, other)}) == 2
    assert one.run_as_root("hostname") == "one\n"
    assert "/mnt/a " in one.run_as_root("cat", "/proc/mounts")
    assert "/mnt/a " not in other.run_as_root("cat", "/proc/mounts")
    assert set(one.run_as_root("ls", "/run").split()) <= {"sshd", "mount"}
    assert one.host_key != other.host_key


def test_a_replaced_table_of_users_on_the_machine_does_not_reach_a_host(lab: Lab) -> None:
    """A mount on the file would vanish with it, as after `useradd`, and with that the user."""
    host = lab.host("one")
    points = {line.split()[1] for line in host.run_as_root("cat", "/proc/mounts").splitlines()}
    assert {point for point in points if point.startswith("/etc")} == {"/etc"}
    assert host.log_in("id -un") == "assay\n"
    host.reboot()
    assert host.log_in("id -un") == "assay\n"


def test_its_user_can_log_in_with_any_umask() -> None:
    before = os.umask(0o077)
    try:
        with Lab() as lab:
            host = lab.host("one", lab.disk("a", 1 * GIB))
            assert host.log_in("id -un && touch /mnt/a/file") == "assay\n"
    finally:
        os.umask(before)


def test_hosts_reach_one_another_by_their_own_cards_also_after_a_reboot(lab: Lab) -> None:
    one, other, stranger = (lab.host(name) for name in ("one", "other", "stranger"))
    for host in (one, other):
        host.reach_others()
    one.allow_logins_from_here()
    options = "-o BatchMode=yes -o ConnectTimeout=5 -o StrictHostKeyChecking=no"
    words = f"ssh -q {options} -o UserKnownHostsFile=/dev/null"
    assert one.log_in(f"{words} {other.address} hostname") == "other\n"
    one.reboot()
    assert one.log_in(f"{words} {other.address} hostname") == "other\n"
    with pytest.raises(LabError):
        one.log_in(f"{words} {stranger.address} hostname")


def test_a_reboot_ends_processes_and_keeps_disks(lab: Lab) -> None:
    disk = lab.disk("a", 1 * GIB, file_system="xfs")
    host = lab.host("one", disk)
    boot = host.run_as_root("cat", "/proc/sys/kernel/random/boot_id")
    host.run_as_root("sh", "-c", "echo kept >/mnt/a/file; sync; setsid sleep 99 >/dev/null 2>&1 &")
    wait_until("the second sleeps", lambda: len(host.processes("sleep")) == 2)
    host.reboot()
    assert len(host.processes("sleep")) == 1
    assert host.run_as_root("cat", "/mnt/a/file") == "kept\n"
    assert host.run_as_root("cat", "/proc/sys/kernel/random/boot_id") != boot


def test_an_unmounted_file_system_leaves_its_mount_point(lab: Lab) -> None:
    disk = lab.disk("a", 1 * GIB)
    host = lab.host("one", disk)
    host.run_as_root("touch", "/mnt/a/file")
    host.unmount(disk)
    assert host.run_as_root("ls", "/mnt/a") == ""
    host.remount(disk)
    assert "file" in host.run_as_root("ls", "/mnt/a")


def test_the_memory_of_a_host_is_limited(lab: Lab) -> None:
    host = lab.host("one", memory=256 * MIB)
    # of all processes that log in, so of a probe too
    assert f"{lab.site.name}one" in host.log_in("cat /proc/self/cgroup")


def test_dirty_memory_is_limited_by_the_memory_of_the_host(lab: Lab) -> None:
    disk = lab.disk("a", 1 * GIB, write=40 * MIB)
    host = lab.host("one", disk, memory=256 * MIB)
    host.limit_waiting(disk)
    before = disk.moved.written
    host.log_in("head -c 160M /dev/zero >/mnt/a/file")
    waiting = 160 * MIB - (disk.moved.written - before)
    assert waiting < 256 * MIB / 4


def test_a_file_system_becomes_read_only(lab: Lab) -> None:
    disk = lab.disk("a", 1 * GIB)
    host = lab.host("one", disk)
    host.log_in("echo kept >/mnt/a/file")
    host.make_read_only(disk)
    assert host.log_in("cat /mnt/a/file") == "kept\n"
    with pytest.raises(LabError, match="Read-only file system"):
        host.log_in("touch /mnt/a/other")


@pytest.mark.parametrize("file_system", ["ext4", "xfs"])
def test_a_broken_file_system_returns_errors_until_it_is_remounted(
    lab: Lab, file_system: str
) -> None:
    disk = lab.disk("a", 1 * GIB, file_system)
    host = lab.host("one", disk)
    host.break_file_system(disk)
    with pytest.raises(LabError, match="Input/output error"):
        host.log_in("dd if=/dev/zero of=/mnt/a/file bs=4k count=1 oflag=direct")
    host.unmount(disk)
    host.remount(disk)
    host.log_in("dd if=/dev/zero of=/mnt/a/file bs=4k count=1 oflag=direct 2>/dev/null")


@pytest.mark.parametrize("file_system", ["ext4", "xfs"])
def test_a_disk_is_filled_by_other_processes(lab: Lab, file_system: str) -> None:
    disk = lab.disk("a", 1 * GIB, file_system)
    host = lab.host("one", disk)
    host.fill(disk, leaving=10 * MIB)
    host.log_in("head -c 8M /dev/zero >/mnt/a/fits")
    with pytest.raises(LabError, match="No space left"):
        host.log_in("head -c 8M /dev/zero >/mnt/a/fits-not")
