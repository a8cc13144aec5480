"""The files of a tool's login at the sink: `ssh` reads each value as it is, or none is written."""

import subprocess
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from assay.base.host_field_types import Address, UserName
from assay.kinds.programs import ToolDefinition
from assay.kinds.transfer import fields
from assay.tables.hosts import Host
from assay_worker.driver.orders import SINK_ALIAS, SSH_CONFIG, login_files
from assay_worker.errors import LoginFilesError
from pydantic import TypeAdapter, ValidationError
from testing import transfers
from testing.installation import Installation, drive
from testing.sshd import Sshd

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGbw29uLsDMsccMCoWx+ThD5z7MDWlZtLitsrNH4cd6W"
LOGS_IN = "ssh -F {ssh_config} sink true"

EVIL = "touch /tmp/assay-ran"

NOT_USERS = (
    *(f"x\nProxyCommand {EVIL}", f"x\rProxyCommand {EVIL}", "x\n", "\nx", "x\x00y", "a\tb", "a b"),
    *("-oProxyCommand=id", "-x", "`id`", "$(id)", "${HOME}", "%h", '"x"', "'x'", "a;b", "a#b", "#"),
    *(
        "a\x1b[2J",
        "a\u202eb",
        "a\u2028b",
        "ren\u00e9",
        "\udc80",
        "@corp",
        "svc@",
        "CORP\\",
        "\\svc",
    ),
    *("a\\\\b", "a@\\b", "a/b", "x" * 257, "", " "),
)
USERS = (
    *("assay", "_x", "a.b-c_d", ".dot", "9", "svc@corp", "CORP\\svc", "CORP\\nt", "a@b@c"),
    *("svc@corp.example", "a-", "x" * 256),
)
NOT_ADDRESSES = (
    *(f"h\nProxyCommand {EVIL}", "h\r", "h\x00", "h h", "h\th", "`id`", "$(id)", '"h"', "%h", "-h"),
    *("fe80::1%e\nProxyCommand x", "2001:db8::1%", "::1%a b", "::1%%h", "h%h", "1::2::3", "[::1"),
    *("b\u00fccher.example", "h\u202e", "h;id", "h,i", "*", "!h", "?", "a#b", ""),
)
ADDRESSES = ("10.0.0.7", "web-1", "a_b.example.", "xn--bcher-kva.example", "::1", "fe80::1%eth0.7")

NOT_DIRECTORIES = ("/a\nb", '/a"b', "/a\\b", "/a\rb", "/a\x00b", "/a${HOME}b", "/a\tb", "/a\x1bb")
DIRECTORIES = ("a b: c", "it's 100 % $HOME", "a;b|c&d", "`id`", "$(id)", "#x", "%h", "~", "d\u00e9")


def sink(**fields: Any) -> Host:
    return Host(**{"name": "web-1", "port": 2222, "user": "assay", "approved_key": KEY, **fields})


def read_by_ssh(folder: Path, host: Host, address: str) -> dict[str, str]:
    """Write the files as the source does, and return what ssh makes of them."""
    subprocess.run(["/bin/sh", "-c", login_files(host, address, str(folder))], check=True)
    command = ["ssh", "-G", "-F", str(folder / SSH_CONFIG), SINK_ALIAS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize("user", NOT_USERS)
def test_no_other_user_name_is_accepted_or_written(user: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(UserName).validate_python(user)
    if user:  # without one, the login is that of the tool
        with pytest.raises(LoginFilesError, match="user"):
            login_files(sink(user=user), "10.0.0.7", "/run")


@pytest.mark.parametrize("user", USERS)
def test_ssh_reads_the_user_name(user: str, tmp_path: Path) -> None:
    assert TypeAdapter(UserName).validate_python(user) == user
    assert read_by_ssh(tmp_path, sink(user=user), "10.0.0.7")["user"] == user


@pytest.mark.parametrize("address", NOT_ADDRESSES)
def test_no_other_address_is_accepted_or_written(address: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Address).validate_python(address)
    with pytest.raises(LoginFilesError, match="address"):
        login_files(sink(), address, "/run")


@pytest.mark.parametrize("zone", ["x\nProxyCommand id", "eth0", "$(id)", "", "-x"])
def test_the_address_of_a_test_has_no_zone(zone: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(fields.Address).validate_python(f"2001:db8::1%{zone}")


@pytest.mark.parametrize("address", ADDRESSES)
def test_ssh_reads_the_address(address: str, tmp_path: Path) -> None:
    assert TypeAdapter(Address).validate_python(address) == address
    assert read_by_ssh(tmp_path, sink(), address)["hostname"] == address


@pytest.mark.parametrize("directory", NOT_DIRECTORIES)
def test_a_directory_that_ssh_would_misread_is_not_written(directory: str) -> None:
    with pytest.raises(LoginFilesError, match="directory"):
        login_files(sink(), "10.0.0.7", directory)


@pytest.mark.parametrize("name", DIRECTORIES)
def test_ssh_reads_the_keys_of_the_directory(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    read = read_by_ssh(folder, sink(), "10.0.0.7")
    assert read["userknownhostsfile"] == str(folder / "known_hosts")
    key = asyncssh.import_known_hosts((folder / "known_hosts").read_text()).match("sink", "", 0)
    assert [one.export_public_key().decode().strip() for one in key[0]] == [KEY]
    assert "proxycommand" not in read


@pytest.mark.parametrize("key", [f"{KEY}\n* {KEY}", "x", f"ssh-ed25519\n{KEY}", "ssh-ed25519 `id`"])
def test_no_other_key_is_written(key: str) -> None:
    with pytest.raises(LoginFilesError, match="key"):
        login_files(sink(approved_key=key), "10.0.0.7", "/run")


@pytest.mark.parametrize("user", ["x\nProxyCommand touch {ran}", "-oProxyCommand=touch {ran}"])
def test_the_check_of_a_tool_fails_for_a_user_of_older_data(
    installation: Installation, sshd: Sshd, tmp_path: Path, user: str
) -> None:
    ran = tmp_path / "ran"
    source, other = (
        installation.local_host(),
        installation.ssh_host(sshd, user=user.format(ran=ran)),
    )
    commands = {"source_command": LOGS_IN, "source_check": LOGS_IN}
    definition = ToolDefinition.model_validate(
        {"name": "login", "title": "x", "input": "files", **commands}
    )
    check = installation.check(
        source,
        "tool",
        side="source",
        definition=definition.model_dump(mode="json"),
        source_host_id=source,
        sink_host_id=other,
        source_address=None,
        sink_address=None,
    )
    assert check.state == "failed"
    assert check.error is not None and check.error["code"] == "login_files_refused"
    assert "the user" in check.error["detail"]
    assert not ran.exists()


def test_a_run_whose_directory_cannot_be_written_fails(
    installation: Installation, sshd: Sshd, tmp_path: Path
) -> None:
    probe_dir = str(tmp_path / "a\nProxyCommand id")
    hosts = installation.ssh_host(sshd, probe_dir=probe_dir), installation.ssh_host(sshd, name="b")
    a, b = ({"target_id": installation.target(one, tmp_path / str(one))} for one in hosts)
    run_id = transfers.launch_tools(a, b, transfers.define("login", LOGS_IN))
    drive(run_id)
    run = installation.run(run_id)
    assert run.state == "failed"
    assert run.error is not None and run.error["code"] == "login_files_refused"
    assert "directory" in run.error["detail"]
