"""A hostile host gets a clear error, uses limited memory, and has no other effect."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from assay_worker.connectors import ssh
from assay_worker.driver import failures, follow
from testing.hostile import GIGABYTE, HostileHost
from testing.installation import Installation, drive

MOST_MEMORY = 96 * 2**20
"""Bytes that this process may grow by while a host floods it."""

NOT_PRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")


def said(name: str, value: str) -> str:
    """Return the real probe's response with the first value of that name replaced."""
    return rf"""$REAL "$@" | sed -E 's/"{name}":("[^"]*"|[0-9]+|\[[^]]*\])/"{name}":{value}/'"""


def said_of_target(name: str, value: str) -> str:
    """Return the real probe's response with the last value of that name replaced."""
    return rf"""$REAL "$@" | sed -E 's/(.*)"{name}":("[^"]*"|[0-9a-z]+)/\1"{name}":{value}/'"""


@pytest.fixture
def host(tmp_path: Path, probe: None) -> Iterator[HostileHost]:
    server = HostileHost(tmp_path / "hostile")
    server.start()
    yield server
    server.stop()


@contextmanager
def bounded_memory() -> Iterator[None]:
    """The kernel's memory high-water mark of this process, reset before."""
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    yield
    assert _status("VmHWM") - before < MOST_MEMORY


def _status(name: str) -> int:
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if name in x)
    return int(line.split()[1]) * 1024


ANSWERS = {
    "endless lines": ("yes '{}'", "probe_failed", "printed more than 4194304 bytes"),
    "a line of 1 GB": (GIGABYTE, "probe_failed", "printed more than 4194304 bytes"),
    "no UTF-8": (r"""printf '{"a":"\377"}'""", "probe_failed", "invalid JSON"),
    "no object": ("echo '[1]'", "probe_failed", "not print a JSON object"),
    "nothing": ("true", "probe_failed", "invalid JSON"),
    "brackets without end": (
        "head -c 1000000 /dev/zero | tr '\\0' '['",
        "probe_failed",
        "invalid JSON",
    ),
    "not a number": (said("mem_total_bytes", "NaN"), "probe_failed", "invalid JSON"),
    "an incomplete character": (said("hostname", r'"\\ud800"'), "probe_failed", "invalid JSON"),
    "a NUL": (said("hostname", r'"\\u0000"'), "probe_failed", "NUL"),
    "a word instead of a number": (
        said("mem_total_bytes", '"many"'),
        "probe_failed",
        "mem_total_bytes: ",
    ),
    "a number over the maximum": (said("mem_total_bytes", "9" * 30), "probe_failed", "63 bits"),
    "a negative number": (said("mem_total_bytes", "-1"), "probe_failed", "mem_total_bytes: "),
    "a number instead of a name": (said("machine_id", "7"), "probe_failed", "machine_id: "),
    "an empty name": (said("hostname", "null"), "probe_failed", "hostname: "),
    "a word instead of a list": (said("nics", '"eth0"'), "probe_failed", "nics: "),
    "endless standard error": (
        "yes no | head -c 100000000 >&2; exit 9",
        "probe_failed",
        "exit code 9: ",
    ),
    "terminal escapes": (
        r"printf 'gone\033[2J\033]0;mine\007\302\233\342\200\256' >&2; exit 9",
        "probe_failed",
        r"gone\x1b[2J\x1b]0;mine\x07\x9b\u202e",
    ),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_a_malicious_response_fails_the_check_with_the_reason(
    installation: Installation, host: HostileHost, case: str
) -> None:
    script, code, words = ANSWERS[case]
    host.answers("inspect", script)
    with bounded_memory():
        check = installation.check(installation.ssh_host(host))
    assert check.state == "failed"
    assert check.error is not None
    assert (check.error["code"], words in check.error["detail"]) == (code, True), check.error
    assert not NOT_PRINTABLE.search(json.dumps(check.error, ensure_ascii=False))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "null") for name in ("type", "source", "direct", "free_bytes", "size_bytes")),
        *((name, f'"{"x" * 1001}"') for name in ("type", "source", "uuid", "direct")),
        *(("alignment_bytes", "0"), ("rotational", '"x"'), ("model", "7"), ("device_bytes", "-1")),
    ],
)
def test_an_invalid_response_about_a_directory_fails_the_check(
    installation: Installation, host: HostileHost, tmp_path: Path, name: str, value: str
) -> None:
    host.answers("inspect", said_of_target(name, value))
    check = installation.check(installation.ssh_host(host), "target", path=str(tmp_path))
    assert check.error is not None, check.answer
    assert check.error["code"] == "probe_failed"
    assert f": target.{name}: " in check.error["detail"]


UPLOADED = "[ $# -gt 0 ] || exec /bin/cat"
PROGRAMS = {
    "not the uploaded probe": ("cat", f"{UPLOADED}; echo other", "probe_altered", "wrong hash"),
    "not all of the probe": ("cat", "head -c 100", "probe_altered", "100 of "),
    "a probe of 1 GB": ("cat", f"{UPLOADED}; {GIGABYTE}", "probe_failed", "printed more than"),
    "a machine that clears the screen": (
        "uname",
        r"printf '\033[2J'",
        "unsupported_architecture",
        r"\x1b[2J",
    ),
}


@pytest.mark.parametrize("case", PROGRAMS)
def test_a_malicious_program_fails_the_check_with_the_reason(
    installation: Installation, host: HostileHost, case: str
) -> None:
    program, script, code, words = PROGRAMS[case]
    host.replaces(program, script)
    with bounded_memory():
        check = installation.check(installation.ssh_host(host))
    assert check.error is not None
    assert (check.error["code"], words in check.error["detail"]) == (code, True), check.error
    assert not NOT_PRINTABLE.search(json.dumps(check.error, ensure_ascii=False))


def test_a_flood_of_valid_events_uses_no_memory_and_ends_on_cancellation(
    installation: Installation,
    host: HostileHost,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(follow, "AFTER_STOP_S", 0.5)
    target = installation.target(installation.ssh_host(host), tmp_path / "scratch")
    told = r"{\"v\":2,\"seq\":%d,\"t\":1,\"ev\":\"notice\",\"code\":\"swept\",\"message\":\"m\"}\n"
    endless = f"awk 'BEGIN {{ for (n = 1; ; n++) printf \"{told}\", n }}'"
    host.answers("follow", f'$REAL "$@" | head -n 1; {endless}')
    run_id = installation.launch(target)

    def is_cancelled_in_vain() -> bool:
        if installation.participant(run_id).next_seq > 10_000:
            installation.cancel(run_id)
        return "`follow` did not end after the probe was stopped" in caplog.text

    with bounded_memory():
        installation.drive_until(run_id, is_cancelled_in_vain)
    installation.drive_to_the_end(run_id)
    assert installation.run(run_id).error is not None


LOGS = {
    "endless lines": ("yes '<b>'", "broken_log", "at byte 0"),
    "a line of 1 GB": (GIGABYTE, "broken_log", "a line grows past 262144 bytes"),
    "no UTF-8": (r"printf '\377\376\n'", "broken_log", "at byte 0"),
    "a seq that jumps back": (
        '$REAL "$@" | sed -u \'3s/"seq":2/"seq":0/\'',
        "broken_log",
        "event 2 was expected, but event 0 came",
    ),
    "another run's trial": (
        '$REAL "$@" | sed -u \'s/"trial":[0-9]*/"trial":99999/\'',
        "broken_log",
        "99999",
    ),
    "terminal escapes": (
        r"""printf '{"v":2,"seq":0,"t":0,"ev":"\033[2J"}\n'""",
        "broken_log",
        "at byte 0",
    ),
    "closes its output and keeps running": (
        "exec cat >/dev/null 2>&1",
        "probe_failed",
        "closed its output, but did not exit within",
    ),
}


@pytest.mark.parametrize("case", LOGS)
def test_a_malicious_event_log_fails_the_run_with_the_reason(
    installation: Installation,
    host: HostileHost,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    case: str,
) -> None:
    monkeypatch.setattr(ssh, "END_TIMEOUT_S", 0.5)
    monkeypatch.setattr(failures, "FIRST_PAUSE_S", 0.0)
    script, code, words = LOGS[case]
    target = installation.target(installation.ssh_host(host), tmp_path / "scratch")
    host.stop()
    host.answers("follow", script)
    host.start()
    run_id = installation.launch(target, repeats=3)
    with bounded_memory():
        installation.drive_to_the_end(run_id, 120)
    run = installation.run(run_id)
    assert run.state == "failed"
    assert run.error is not None
    assert (run.error["code"], words in run.error["detail"]) == (code, True), run.error
    assert not NOT_PRINTABLE.search(json.dumps(run.error, ensure_ascii=False))
    assert installation.reservations(run_id) == []
    assert list((tmp_path / "scratch").iterdir()) == []


ENDS = {"ended": 0, "dead": 10, "absent": 11}
"""What `follow` calls a run, and the exit code by which it does."""


@pytest.fixture
def liar(host: HostileHost) -> HostileHost:
    """A probe whose `start` reports success and does nothing."""
    host.answers("start", """cat >/dev/null; echo '{"state":"started"}'""")
    return host


@pytest.mark.parametrize("word", ENDS)
def test_a_silent_probe_fails_the_run_after_a_few_retries(
    installation: Installation,
    liar: HostileHost,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    word: str,
) -> None:
    monkeypatch.setattr(failures, "FIRST_PAUSE_S", 0.0)
    target = installation.target(installation.ssh_host(liar), tmp_path / "scratch")
    liar.answers("follow", f"exit {ENDS[word]}")
    run_id = installation.launch(target)
    installation.drive_to_the_end(run_id, 120)
    run = installation.run(run_id)
    assert run.state == "failed"
    assert run.error is not None
    assert run.error["code"] == "probe_failed"
    assert f"`follow` reports it as {word}, with no events after byte 0" in run.error["detail"]
    assert len(installation.notices(run_id)) <= 3 * failures.MOST_TRIES
    assert installation.reservations(run_id) == []


@pytest.mark.parametrize("word", ENDS)
def test_a_run_with_a_silent_probe_can_be_cancelled(
    installation: Installation, liar: HostileHost, tmp_path: Path, word: str
) -> None:
    target = installation.target(installation.ssh_host(liar), tmp_path / "scratch")
    liar.answers("follow", f"exit {ENDS[word]}")
    run_id = installation.launch(target)
    drive(run_id)
    assert installation.run(run_id).state == "running"
    installation.cancel(run_id)
    installation.drive_to_the_end(run_id)
    assert installation.run(run_id).state == "cancelled"
    assert installation.notices(run_id).count("probe_failed") == 1


def test_a_cancelled_run_ends_even_if_its_host_sends_tiny_chunks(
    installation: Installation,
    host: HostileHost,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ssh, "END_TIMEOUT_S", 0.5)
    monkeypatch.setattr(failures, "FIRST_PAUSE_S", 0.0)
    target = installation.target(installation.ssh_host(host), tmp_path / "scratch")
    host.answers("follow", '$REAL "$@" | head -n 1; exec cat >/dev/null 2>&1')
    run_id = installation.launch(target, repeats=50)
    drive(run_id)
    installation.cancel(run_id)
    installation.drive_to_the_end(run_id, 120)
    assert installation.run(run_id).state == "failed"
    assert len(installation.notices(run_id)) <= 3 * failures.MOST_TRIES
    assert list((tmp_path / "scratch").iterdir()) == []
