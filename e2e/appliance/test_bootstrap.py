"""`bootstrap.py` on machines with missing software, and on a clean copy of the source."""

import ast
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from testing.appliance import Appliance

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bootstrap.py"


IN_INTERPRETER = """\
import sys, runpy
{what}
sys.argv[:] = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
NEEDED = [
    "sh",
    "bash",
    "env",
    "sed",
    "grep",
    "mkdir",
    "rm",
    "cat",
    "uname",
    "make",
    "git",
    "sha256sum",
]


def lacking(what: str, *arguments: str, **environment: str) -> str:
    """Return the script's output in an interpreter that lacks something."""
    done = subprocess.run(
        [sys.executable, "-c", IN_INTERPRETER.format(what=what), str(SCRIPT), *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stdout == ""
    return done.stderr


def test_any_python_3_parses_it() -> None:
    ast.parse(SCRIPT.read_text(), feature_version=(3, 4))


def test_an_old_python_is_reported_with_the_required_version_and_a_remedy() -> None:
    said = lacking("sys.version_info = (3, 9, 2)", PATH="/nowhere")
    assert "Python 3.11 or newer" in said
    assert "PYTHON=python3.11" in said


def test_a_newer_python_on_the_path_is_named(tmp_path: Path) -> None:
    (tmp_path / "python3.12").touch(mode=0o755)
    said = lacking("sys.version_info = (3, 9, 2)", PATH=str(tmp_path))
    assert "repeat with PYTHON=python3.12" in said


def test_an_unsupported_architecture_is_rejected() -> None:
    said = lacking("import platform; platform.machine = lambda: 'riscv64'")
    assert "x86-64 or aarch64" in said


def test_a_missing_make_is_reported_in_one_line() -> None:
    assert "make" in lacking("pass", PATH="/nowhere")


def test_a_missing_venv_module_is_reported_with_the_package(tmp_path: Path) -> None:
    copy = shutil.copy(SCRIPT, tmp_path)
    program = IN_INTERPRETER.format(what="sys.modules['ensurepip'] = None")
    done = subprocess.run(
        [sys.executable, "-c", program, copy], capture_output=True, text=True, check=False
    )
    version = "{}.{}".format(*sys.version_info[:2])
    assert done.returncode == 1
    assert f"apt-get install python{version}-venv" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_port_in_use_is_reported_before_any_preparation() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = lacking("pass", "--check-port", ASSAY_PORT=port)
    assert f"port {port}" in said
    assert "ASSAY_PORT=" in said


@pytest.mark.parametrize("port", ["http", "0", "65536", "-1"])
def test_an_invalid_port_is_reported_in_one_line(port: str) -> None:
    assert "from 1 to 65535" in lacking("pass", "--check-port", ASSAY_PORT=port)


def test_files_owned_by_root_are_reported_with_a_remedy(tmp_path: Path) -> None:
    copy = shutil.copy(SCRIPT, tmp_path)
    stamps = tmp_path / ".venv" / "stamps"
    stamps.mkdir(parents=True)
    (stamps / "venv").write_text("of another source")
    stamps.chmod(0o555)
    as_a_user = ["setpriv", "--bounding-set=-dac_override", "--"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*as_a_user, sys.executable, copy], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"{stamps}/venv: Permission denied" in done.stderr
    assert f"sudo chown -R {os.getuid()} {tmp_path}" in done.stderr
    assert done.stderr.count("\n") == 1


def clean_copy(folder: Path) -> Path:
    """Copy what a clone of the current source contains."""
    listed = subprocess.check_output(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, text=True
    )
    for name in listed.split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def bare_path(folder: Path) -> str:
    """A PATH with Python and make, but without Node and a C compiler."""
    folder.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found is not None, name
        (folder / name).symlink_to(found)
    (folder / "python3").symlink_to(Path(sys.base_prefix) / "bin" / "python3")
    return str(folder)


@pytest.mark.timeout(900)
def test_make_run_on_a_clean_copy_without_node_and_compiler(
    tmp_path: Path, appliances: Callable[..., Appliance]
) -> None:
    copy = clean_copy(tmp_path / "copy")
    path = bare_path(tmp_path / "bin")
    appliance = appliances(command=("make", "-C", str(copy), "run"), PATH=path)
    appliance.start(ready_within_s=800)
    page = httpx.get(appliance.url)
    assert page.status_code == 200
    assert "<title>Assay" in page.text
    for architecture in ("x86_64", "aarch64"):
        assert (copy / "worker/probe/build" / architecture / "assay-probe").stat().st_mode & 0o111
    prepared = re.findall(r"^assay: (.*) \.\.\.$", appliance.log, re.M)
    assert prepared[-1] == "front end"
    appliance.interrupt()

    appliance.start()
    again = re.findall(r"^assay: (.*) \.\.\.$", appliance.log, re.M)
    assert again == prepared, "a second start prepares nothing"
    appliance.interrupt()


def test_a_step_with_changed_inputs_is_repeated(tmp_path: Path) -> None:
    copy = clean_copy(tmp_path)
    program = (
        "import bootstrap, os, sys\n"
        "print(bootstrap.digest(['text'], [os.path.join(bootstrap.ROOT, 'worker/probe')]))"
    )

    def hashed() -> str:
        command = [sys.executable, "-c", program]
        return subprocess.check_output(command, cwd=copy, env={"PYTHONPATH": str(copy)}, text=True)

    before = hashed()
    assert hashed() == before
    source = next((copy / "worker/probe/src").glob("*.c"))
    source.write_text(source.read_text() + "\n")
    changed = hashed()
    source.rename(source.with_name("another.c"))
    assert len({before, changed, hashed()}) == 3


@pytest.mark.parametrize(
    ("version", "enough"),
    [
        ("v18.20.0", False),
        ("v20.18.9", False),
        ("v20.19.0", True),
        ("v21.9.0", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v24.0.0", True),
        ("nonsense", False),
    ],
)
def test_the_system_node_is_used_if_vite_supports_it(version: str, enough: bool) -> None:
    program = f"import bootstrap; print(bootstrap.new_enough({version!r}))"
    said = subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, text=True)
    assert said.strip() == str(enough)
