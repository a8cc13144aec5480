"""A pause of a machine that its own clocks do not show is detected by the worker's clock."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from assay_worker.connectors.connection import Connection, Finished
from assay_worker.driver import host_clock
from assay_worker.driver.host_clock import Pauses, UptimeReading, paused_ns
from assay_worker.loop import wait_for
from hypothesis import given
from hypothesis import strategies as st
from testing.hostile import HostileHost
from testing.installation import BOTH, Installation

ways = st.floats(0, 5)
"""Seconds from here to the host, or back."""

SECONDS = st.floats(0, 7 * 86400)
SPEED = st.floats(1 - 400e-6, 1 + 400e-6)
TRIAL = {"open_mode": "rwd", "block": [4096], "threads": [1], "repeats": 1, "timeout_ms": 1500}


def reading(here_s: float, there_s: float, way_s: float, back_s: float) -> UptimeReading:
    """A reading taken at a true instant; uptime has a resolution of 10 ms."""
    return UptimeReading(here_s - way_s, here_s + back_s, int(there_s * 100) / 100)


@given(SECONDS, SPEED, ways, ways, ways, ways)
def test_network_delay_and_drift_are_not_mistaken_for_a_pause(
    length_s: float, speed: float, way: float, back: float, second_way: float, second_back: float
) -> None:
    before = reading(1e6, 5000, way, back)
    after = reading(1e6 + length_s, 5000 + length_s * speed, second_way, second_back)
    assert paused_ns(before, after) == 0


@given(st.floats(1, 3600), st.floats(0.4, 3600), st.floats(0, 0.02))
def test_a_pause_is_detected_minus_network_delay_and_drift(
    length_s: float, pause_s: float, way_s: float
) -> None:
    before = reading(1e6, 5000, way_s, way_s)
    after = reading(1e6 + length_s + pause_s, 5000 + length_s, way_s, way_s)
    hidden = 2 * way_s + 0.02 + 500e-6 * (length_s + pause_s)
    found = paused_ns(before, after) / 1e9
    assert found <= pause_s + 0.01
    assert found >= pause_s - hidden or pause_s - hidden < 0.25


def test_a_rebooted_host_was_not_paused() -> None:
    assert paused_ns(UptimeReading(0, 0, 900), UptimeReading(60, 60, 20)) == 0


class Machine:
    """Reports its uptime, which stops while it is paused; the worker's clock continues."""

    def __init__(self) -> None:
        self.now_s, self.paused_s, self.asked = 1e6, 0.0, 0

    def go_on(self, seconds: float, paused_s: float = 0) -> None:
        self.now_s += seconds
        self.paused_s += paused_s

    async def run(self, _argv: tuple[str, ...]) -> Finished:
        self.asked += 1
        return Finished(0, b"%.2f 1.00\n" % (self.now_s - self.paused_s), b"")

    def stream(self) -> "Stream":
        return Stream(wait_for(Pauses.begin(1, 1, cast(Connection, self), interval_s=1)))


class Stream:
    """`Pauses` for a test that is not a coroutine."""

    def __init__(self, pauses: Pauses) -> None:
        self.heard, self.stored = pauses.heard, pauses.stored
        self._pauses = pauses

    def charged_to(self, lines: bytes) -> int:
        return wait_for(self._pauses.charged_to(lines))


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    machine = Machine()
    monkeypatch.setattr(time, "clock_gettime", lambda _: machine.now_s)
    monkeypatch.setattr(time, "monotonic", lambda: machine.now_s)
    yield machine
    host_clock.forget(1)


BEGUN, SAMPLE, RESULT = (b'{"ev":"%s"}\n' % ev for ev in (b"trial", b"sample", b"result"))


def test_a_pause_that_broke_the_stream_affects_the_next_batch(
    machine: Machine,
) -> None:
    assert machine.stream().charged_to(SAMPLE) == 0
    machine.go_on(21, paused_s=20)
    again = machine.stream()
    again.heard(9, 9)
    assert again.charged_to(BEGUN) > 19e9
    again.heard(30, 30)
    assert again.charged_to(SAMPLE) > 19e9, "the first that was measured, however late"
    again.heard(5, 0.01)
    assert again.charged_to(SAMPLE + RESULT) > 19e9, "it waited while the first was being stored"
    again.heard(0.9, 0.9)
    assert again.charged_to(SAMPLE) == 0, "written after the clock was read"


def test_the_clock_is_read_only_before_the_result_of_a_silent_trial(
    machine: Machine,
) -> None:
    stream = machine.stream()
    for lines, gap_s in ((SAMPLE, 0.9), (RESULT, 1.1), (SAMPLE, 1.2), (SAMPLE, 3)):
        machine.go_on(gap_s)
        stream.heard(gap_s, gap_s)
        assert stream.charged_to(lines) == 0
    assert machine.asked == 1
    machine.go_on(3, paused_s=2)
    stream.heard(0.01, 0.01)
    assert stream.charged_to(SAMPLE + RESULT) > 1.9e9
    assert machine.asked == 2
    machine.go_on(1)
    stream.heard(1, 1)
    assert stream.charged_to(RESULT) == 0
    assert machine.asked == 2


def test_every_pause_over_the_threshold_is_checked(
    machine: Machine,
) -> None:
    stream = machine.stream()
    stream.charged_to(SAMPLE)
    machine.go_on(1.3, paused_s=0.3)
    stream.heard(1.3, 1.3)
    assert stream.charged_to(RESULT) > 0.25e9


def test_a_pause_that_was_not_stored_is_reported_again(machine: Machine) -> None:
    machine.stream()
    machine.go_on(21, paused_s=20)
    assert machine.stream().charged_to(SAMPLE) > 19e9
    again = machine.stream()
    assert again.charged_to(SAMPLE) > 19e9, "the database was unreachable"
    again.stored()
    assert machine.stream().charged_to(SAMPLE) == 0


def test_a_pause_that_another_worker_may_have_reported_is_not_reported_again(
    machine: Machine,
) -> None:
    host_clock.taken(1, 1)
    machine.stream()
    machine.go_on(21, paused_s=20)
    for generation in (2, 3):  # drivers that do not reach the host, for instance
        host_clock.taken(1, generation)
    assert machine.stream().charged_to(SAMPLE) > 19e9
    host_clock.taken(1, 5)
    assert machine.stream().charged_to(SAMPLE) == 0


@pytest.fixture
def host(tmp_path: Path, probe: None) -> Iterator[HostileHost]:
    """A host whose stream is silent for two seconds in the middle of each trial."""
    server = HostileHost(tmp_path / "sshd")
    paused = tmp_path / "paused"
    hold = f'NR == 6 {{ system("touch {paused}; sleep 2") }}'
    server.answers("follow", f"$REAL \"$@\" | awk '{{ print; fflush() }} {hold}'")
    server.start()
    yield server
    server.stop()


def drive(installation: Installation, host: HostileHost, tmp_path: Path) -> list[tuple[str, int]]:
    target = installation.target(installation.ssh_host(host), tmp_path / "scratch")
    run_id = installation.launch(target, sample_ms=100, file_size=1 << 30, **TRIAL)
    installation.drive_to_the_end(run_id)
    assert installation.run(run_id).state == "done"
    return [(one.status, one.host_paused_ns) for one in installation.attempts(run_id)]


@BOTH
def test_a_trial_during_which_the_host_was_paused_is_suspended_and_repeated(
    installation: Installation, host: HostileHost, tmp_path: Path
) -> None:
    """The uptime is that of a machine that was paused for two seconds in the first trial."""
    two_less = """awk '{ printf "%.2f %s", $1 - 2, $2 }' /proc/uptime"""
    behind = f"[ -e {tmp_path}/paused ] && {two_less} && exit"
    host.replaces("cat", f'[ "$1" = /proc/uptime ] && {behind}\nexec /bin/cat "$@"')
    (first, paused), second = drive(installation, host, tmp_path)
    assert first == "suspended"
    # what it took to ask for the uptime is not counted as a pause
    assert 1.5e9 < paused <= 2.01e9
    assert second == ("timed_out", 0)


def test_a_delayed_stream_does_not_affect_its_trial(
    installation: Installation, host: HostileHost, tmp_path: Path
) -> None:
    assert drive(installation, host, tmp_path) == [("timed_out", 0)]


def test_a_host_without_readable_uptime_is_measured(
    installation: Installation, host: HostileHost, tmp_path: Path
) -> None:
    host.replaces("cat", '[ "$1" = /proc/uptime ] && exit 1\nexec /bin/cat "$@"')
    assert drive(installation, host, tmp_path) == [("timed_out", 0)]
