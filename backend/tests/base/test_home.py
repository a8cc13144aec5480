import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from assay.base import home as home_directory
from assay.base.home import StartupError
from lab.commands import wait_until


def test_the_runtime_directory_is_short_private_and_derived_from_the_home(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 40)
    folder = home_directory.make_runtime_folder(home)
    try:
        assert len(str(home_directory.queue_socket(home))) < 107
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (
            folder == home_directory.runtime_folder(home) != home_directory.runtime_folder(tmp_path)
        )
    finally:
        folder.rmdir()


@pytest.mark.parametrize("what", ["open folder", "symbolic link"])
def test_a_runtime_directory_that_is_not_private_is_rejected(tmp_path: Path, what: str) -> None:
    folder = home_directory.runtime_folder(tmp_path)
    if what == "open folder":
        folder.mkdir(mode=0o755)
    else:
        folder.symlink_to(tmp_path)
    try:
        with pytest.raises(StartupError, match="remove it"):
            home_directory.make_runtime_folder(tmp_path)
    finally:
        folder.unlink() if folder.is_symlink() else folder.rmdir()


def test_a_second_supervisor_is_rejected_and_names_the_first(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys; from assay.base import home as home_directory\n"
        "with home_directory.locked(pathlib.Path(sys.argv[1])): print('held', flush=True); input()"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None and first.stdout.readline() == "held\n"
        with (
            pytest.raises(StartupError, match=f"process {first.pid}"),
            home_directory.locked(tmp_path),
        ):
            pass
        first.communicate("\n")
    with home_directory.locked(tmp_path):
        assert (tmp_path / "supervisor.lock").read_text() == f"{os.getpid()}\n"


def test_a_port_in_use_is_reported_with_a_remedy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StartupError, match=rf"port {port} .*ASSAY_PORT") as raised:
            home_directory.check_address("127.0.0.1", port)
    assert "\n" not in str(raised.value)
    home_directory.check_address("127.0.0.1", port)


def test_an_unusable_home_directory_is_reported_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StartupError, match="ASSAY_HOME"):
        home_directory.make_home(tmp_path / "file" / "home")


@pytest.fixture(autouse=True)
def restored_umask() -> Generator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("existing", [None, 0o755, 0o750, 0o700])
def test_a_new_or_empty_home_is_restricted_to_its_owner(
    tmp_path: Path, existing: int | None
) -> None:
    home = tmp_path / "home"
    if existing is not None:
        home.mkdir()
        home.chmod(existing)
    home_directory.make_home(home)
    assert mode(home) == 0o700
    (home / "assay.db").write_text("")
    (home / "queue").mkdir()
    assert (mode(home / "assay.db"), mode(home / "queue")) == (0o600, 0o700)


def test_a_home_of_an_earlier_start_is_restricted_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home_directory.make_home(home)
    (home / "assay.db").write_text("")
    home.chmod(0o755)
    home_directory.make_home(home)
    assert mode(home) == 0o700


@pytest.mark.parametrize("name", ["it's", "home"])
def test_a_readable_directory_with_other_files_is_refused_with_the_command(
    tmp_path: Path, name: str
) -> None:
    home = tmp_path / name
    home.mkdir()
    (home / "thesis.txt").write_text("")
    home.chmod(0o755)
    with pytest.raises(StartupError, match="chmod 700") as raised:
        home_directory.make_home(home)
    assert mode(home) == 0o755
    assert [path.name for path in home.iterdir()] == ["thesis.txt"]
    (command,) = re.findall("`(.*)`", str(raised.value))
    subprocess.run(["sh", "-c", command], check=True)
    home_directory.make_home(home)


@pytest.mark.parametrize("permissions", [0o777, 0o1777, 0o770, 0o702, 0o720])
@pytest.mark.parametrize("contents", ["none", "marker", "files"])
def test_a_home_that_others_can_write_is_refused(
    tmp_path: Path, permissions: int, contents: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    if contents != "none":
        (home / (home_directory.MARKER if contents == "marker" else "file")).write_text("")
    home.chmod(permissions)
    with pytest.raises(StartupError, match=f"can write.*mode {permissions:04o}.*chmod 700"):
        home_directory.make_home(home)
    assert mode(home) == permissions


def test_a_home_of_another_user_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    os.chown(home, 65534, -1)
    with pytest.raises(StartupError, match="belongs to user 65534"):
        home_directory.make_home(home)


WITHOUT_PERMISSIONS = """
import stat, sys, mfusepy

class Fixed(mfusepy.Operations):
    def getattr(self, path, fh=None):
        return {"st_mode": stat.S_IFDIR | 0o755, "st_nlink": 2, "st_uid": 0, "st_gid": 0}
    def readdir(self, path, fh):
        return [".", ".."]
    def chmod(self, path, mode):
        return 0

mfusepy.FUSE(Fixed(), sys.argv[1], foreground=True)
"""
"""A file system that accepts each change of permissions and ignores it, as some network ones do."""


def test_a_file_system_without_permissions_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with subprocess.Popen([sys.executable, "-c", WITHOUT_PERMISSIONS, home]) as server:
        try:
            wait_until("the file system is mounted", lambda: os.path.ismount(home))
            with pytest.raises(StartupError, match="keeps no permissions"):
                home_directory.make_home(home)
        finally:
            subprocess.run(["umount", home], check=False)
            server.terminate()


@pytest.mark.parametrize(
    ("host", "printed"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::1", "http://[::1]:80"),
        ("::", "http://[::1]:80"),
        ("lab.example", "http://lab.example:80"),
    ],
)
def test_the_address_is_valid_in_a_browser(host: str, printed: str) -> None:
    assert home_directory.address(host, 80) == printed
