"""Commands reach every login shell unchanged, and startup files do not disturb them."""

import asyncio
import shutil
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from assay_worker.connectors import ssh
from assay_worker.connectors.ssh import SshConnection, SshLogin, connect
from assay_worker.errors import HostError, LoginShellError, SessionLimitError
from testing.sshd import Sshd

STARTUP_FILES = {
    "bash": ".bashrc",
    "zsh": ".zshenv",
    "fish": ".config/fish/config.fish",
    "tcsh": ".tcshrc",
    "bsd-csh": ".cshrc",
}
"""Which the shell reads for a command by SSH, by its program."""

ARGUMENTS = [
    *("it's", 'a "quote"', "new\nline", "$(id)", "`id`", "$HOME", "ümläut ☃", "-n", "", "*", "~"),
    *("!x a!b !!", "\\n \\\\ \\0101", "%d", "{a,b}", "^a^b", "#x", "tab\there", "x" * 3000),
]


def call(server: Sshd, work: Callable[[SshConnection], Coroutine[Any, Any, Any]]) -> Any:
    login = SshLogin("127.0.0.1", server.port, server.user, server.host_key, server.private_key)

    async def go() -> Any:
        connection = await connect(login)
        try:
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(go())


@contextmanager
def serving(folder: Path, shell: str = "bash", startup: str = "", *options: str) -> Iterator[Sshd]:
    program = shutil.which(shell) or shell
    server = Sshd(folder / "sshd", shell=program)
    if startup:
        file = server.home / STARTUP_FILES[shell]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{startup}\n")
    server.options += options
    server.start()
    try:
        yield server
    finally:
        server.stop()


async def use(connection: SshConnection) -> None:
    """Use a connection as a check and a run do: commands, input, a stream and an upload."""
    done = await connection.run(["printf", "%s\\0", *ARGUMENTS])
    assert done.stdout.decode().split("\0")[:-1] == ARGUMENTS
    echo = ["sh", "-c", "cat; echo why >&2; exit 7"]
    done = await connection.run(echo, b"\x00\xff in")
    assert (done.stdout.removesuffix(b"why\n"), done.exit_code) == (b"\x00\xff in", 7)
    assert "why" in done.complaint
    stream = await connection.stream(["sh", "-c", "echo one; read line; echo $line; exit 3"])
    assert await stream.read(100) == b"one\n"
    await stream.close()
    home = (await connection.run(["sh", "-c", 'printf %s "$HOME"'])).stdout.decode()
    await connection.upload(b"\x00x" * 10_000, f"{home}/it's there")
    done = await connection.run(["sha256sum", "--", f"{home}/it's there"])
    assert done.exit_code == 0 and (await connection.run(["true"])).complaint == ""


@pytest.mark.parametrize("shell", [*STARTUP_FILES, "sh"])
def test_a_command_reaches_every_login_shell_unchanged(tmp_path: Path, shell: str) -> None:
    with serving(tmp_path, shell) as server:
        call(server, use)


CHATTER = {
    **dict.fromkeys(STARTUP_FILES, "echo WELCOME TO HOST"),
    "bash, on the standard error": "echo WELCOME TO HOST >&2",
    "bash, with set -e": "set -eu; echo WELCOME TO HOST",
    "bash, with both outputs in one": "exec 2>&1; echo WELCOME TO HOST",
    "bash, that traces": "set -xv; echo WELCOME TO HOST",
    "bash, without a last newline": "printf 'WELCOME TO HOST'",
    "zsh, that traces": "setopt xtrace; echo WELCOME TO HOST",
    "bash, with a lot of text": "seq 20000; echo WELCOME TO HOST",
    "bash, with bytes": r"printf '\000\377\033[2J'; echo WELCOME TO HOST",
    "tcsh, with a prompt": "set prompt='> '; echo WELCOME TO HOST; stty erase x",
    "bash, with other options": "shopt -s failglob; set -o noclobber; echo WELCOME TO HOST",
}


@pytest.mark.parametrize("case", CHATTER)
def test_what_startup_files_print_is_no_output(tmp_path: Path, case: str) -> None:
    with serving(tmp_path, case.partition(",")[0], CHATTER[case]) as server:
        call(server, use)


def test_what_startup_files_printed_is_shown_when_the_command_fails(tmp_path: Path) -> None:
    async def fail(connection: SshConnection) -> Any:
        return await connection.run(["sh", "-c", "echo out; echo why >&2; exit 1"])

    with serving(tmp_path, "bash", "echo WELCOME; echo TO HOST >&2") as server:
        done = call(server, fail)
    assert done.stdout == b"out\n"
    assert done.complaint == "why (The login shell's startup files printed: WELCOME TO HOST)"


UNUSABLE: dict[str, tuple[str, str, tuple[str, ...], type[HostError], str]] = {
    "restricted shell": ("rbash", "", (), LoginShellError, "it is a restricted shell"),
    "nologin": ("nologin", "", (), LoginShellError, "This account is currently not available"),
    "false": ("false", "", (), LoginShellError, "it ended with exit code 1"),
    "startup file that ends the shell": (
        *("bash", "echo maintenance; exit 0", ()),
        *(LoginShellError, "it ended with exit code 0: maintenance"),
    ),
    "startup file without an end": (
        *("bash", "yes", ()),
        *(LoginShellError, "its startup files print without an end: y y y"),
    ),
    "startup file that waits for input": (
        *("bash", "echo 'Name?'; read x; echo $x", ()),
        *(LoginShellError, "it did not within 2 s, only printed: Name?"),
    ),
    "another shell in its place": (
        *("bash", "exec cat", ()),
        *(LoginShellError, "it did not within 2 s"),
    ),
    "output that goes elsewhere": (
        *("bash", "exec >/dev/null", ()),
        *(LoginShellError, "it did not within 2 s"),
    ),
    "forced command": (
        *("bash", "", ("ForceCommand echo only backups",)),
        *(LoginShellError, "it ended with exit code 0: only backups"),
    ),
    "forced SFTP": (
        *("bash", "", ("ForceCommand internal-sftp",)),
        *(LoginShellError, "it ended with exit code 1: This service allows sftp"),
    ),
    "directory without a shell": (
        *("bash", "", ("ChrootDirectory /var/empty",)),
        *(LoginShellError, "No such file or directory"),
    ),
    "one session": ("bash", "", ("MaxSessions 1",), SessionLimitError, "open failed"),
    "no session": ("bash", "", ("MaxSessions 0",), SessionLimitError, "open failed"),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_a_login_that_cannot_run_commands_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    shell, startup, options, kind, reason = UNUSABLE[case]
    monkeypatch.setattr(ssh, "OPEN_TIMEOUT_S", 2.0)
    Path("/var/empty").mkdir(exist_ok=True)
    with (
        serving(tmp_path, shell, startup, *options) as server,
        pytest.raises(kind, match=reason),
    ):
        call(server, lambda one: one.check_sessions())


def test_startup_files_never_read_the_input_of_a_command(tmp_path: Path) -> None:
    """It may be a plan, or have a secret."""
    startup = "read -t 1 stolen; echo $stolen > $HOME/stolen"
    with serving(tmp_path, "bash", startup) as server:
        done = call(server, lambda one: one.run(["cat"], b"the plan"))
        assert done.stdout == b"the plan"
        assert (server.home / "stolen").read_text() == "\n"
