import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from assay.supervisor import place
from assay.supervisor.place import CannotStartError


def test_the_runtime_folder_is_short_private_and_follows_from_the_home(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 40)
    folder = place.make_runtime_folder(home)
    try:
        assert len(str(place.queue_socket(home))) < 107
        assert folder.stat().st_mode & 0o777 == 0o700
        assert folder == place.runtime_folder(home) != place.runtime_folder(tmp_path)
    finally:
        folder.rmdir()


@pytest.mark.parametrize("what", ["open folder", "symbolic link"])
def test_a_runtime_folder_that_is_not_private_is_refused(tmp_path: Path, what: str) -> None:
    folder = place.runtime_folder(tmp_path)
    if what == "open folder":
        folder.mkdir(mode=0o755)
    else:
        folder.symlink_to(tmp_path)
    try:
        with pytest.raises(CannotStartError, match="remove it"):
            place.make_runtime_folder(tmp_path)
    finally:
        folder.unlink() if folder.is_symlink() else folder.rmdir()


def test_a_second_supervisor_on_one_home_is_refused_and_names_the_first(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys; from assay.supervisor import place\n"
        "with place.locked(pathlib.Path(sys.argv[1])): print('held', flush=True); input()"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None and first.stdout.readline() == "held\n"
        with (
            pytest.raises(CannotStartError, match=f"process {first.pid}"),
            place.locked(tmp_path),
        ):
            pass
        first.communicate("\n")
    with place.locked(tmp_path):
        assert (tmp_path / "supervisor.lock").read_text() == f"{os.getpid()}\n"


def test_a_port_in_use_is_one_line_with_the_remedy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotStartError, match=rf"port {port} .*ASSAY_PORT") as raised:
            place.check_address("127.0.0.1", port)
    assert "\n" not in str(raised.value)
    place.check_address("127.0.0.1", port)


def test_a_home_that_can_not_be_made_is_one_line_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotStartError, match="ASSAY_HOME"):
        place.make_home(tmp_path / "file" / "home")


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
def test_the_address_is_one_that_a_browser_takes(host: str, printed: str) -> None:
    assert place.address(host, 80) == printed
