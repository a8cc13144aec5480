"""A file system that hangs, delays and fails on demand."""

import time
from pathlib import Path

import pytest
from lab import FileFault, Host, Lab, LabError
from lab.commands import wait_until
from lab.processes import Process


def kill_and_look(host: Host, name: str) -> list[str]:
    """Return the states in which SIGKILL leaves processes."""
    if not host.processes(name):
        return []
    time.sleep(0.2)  # until it is where it hangs
    host.kill(name)
    time.sleep(0.2)
    states = [Path(f"/proc/{pid}/stat").read_text() for pid in host.processes(name)]
    return [state.rpartition(")")[2].split()[0] for state in states]


def test_without_faults_it_is_an_ordinary_file_system(lab: Lab) -> None:
    host = lab.host("one")
    point = host.mount_faulty("nas")
    host.log_in(f"cd {point} && mkdir a && echo kept >a/b && mv a/b a/c && truncate -s 3 a/c")
    assert host.log_in(f"cat {point}/a/c; stat -c %U {point}/a/c") == "kepassay\n"
    host.log_in(f'rm -r {point}/a && [ -z "$(ls {point})" ]')


def test_an_operation_fails_from_its_nth_call_on(lab: Lab) -> None:
    host = lab.host("one")
    point = host.mount_faulty("nas")
    host.fault_file_system("nas", FileFault("write", when=3, error="EIO"))
    with pytest.raises(LabError, match="Input/output error"):
        host.log_in(f"dd if=/dev/zero of={point}/a bs=4k count=9 oflag=direct")
    host.fault_file_system("nas", None)
    assert host.log_in(f"stat -c %s {point}/a") == "8192\n"
    host.log_in(f"dd if=/dev/zero of={point}/a bs=4k count=9 oflag=direct 2>/dev/null")


def test_an_operation_takes_longer(lab: Lab) -> None:
    host = lab.host("one")
    point = host.mount_faulty("nas")
    host.fault_file_system("nas", FileFault("unlink", delay_s=0.7))
    host.log_in(f"touch {point}/a")
    began = time.monotonic()
    host.log_in(f"rm {point}/a")
    assert time.monotonic() - began > 0.7


def test_a_process_waiting_for_a_hung_operation_cannot_be_killed(lab: Lab, tmp_path: Path) -> None:
    """Before the signal its sleep looks interruptible, as usual with FUSE."""
    host = lab.host("one")
    point = host.mount_faulty("nas")
    host.fault_file_system("nas", FileFault("write", hang=True))
    host.begin(["dd", "if=/dev/zero", f"of={point}/a", "bs=4k", "count=1"], tmp_path / "log")
    wait_until("dd hangs", lambda: kill_and_look(host, "dd") == ["D"])
    host.fault_file_system("nas", None)
    wait_until("dd ends", lambda: not host.processes("dd"))


def test_a_hanging_file_system_does_not_outlive_the_lab(tmp_path: Path) -> None:
    with Lab() as lab:
        host = lab.host("one")
        point = host.mount_faulty("nas")
        host.fault_file_system("nas", FileFault("*", hang=True))
        host.begin(["ls", point / "a"], tmp_path / "log")
        wait_until("ls hangs", lambda: kill_and_look(host, "ls") == ["D"])
        first = Process.of(host.process)
    assert first.is_gone()
    assert not lab.site.folder.exists()


def test_it_is_mounted_again_with_its_content_after_a_reboot(lab: Lab) -> None:
    host = lab.host("one")
    point = host.mount_faulty("nas")
    host.log_in(f"echo kept >{point}/a")
    host.reboot()
    host.mount_faulty("nas")
    assert host.log_in(f"cat {point}/a") == "kept\n"
