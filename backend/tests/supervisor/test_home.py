import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from assay.supervisor import home as home_directory
from assay.supervisor.home import StartupError


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
        "import pathlib, sys; from assay.supervisor import home as home_directory\n"
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
