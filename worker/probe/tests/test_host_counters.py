"""The samples' host columns compared with independent readings of /proc."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from probe_driver import LONG, Probe, of, samples
from test_disks import call

TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")
SENT = 3 * 10**6


def cpu_times() -> dict[str, int]:
    """Return the times of all CPUs in ns from the total line, which the probe does not read."""
    fields = [int(n) * TICK_NS for n in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    user, nice, system, idle, iowait, irq, softirq, steal = fields
    return {
        "cpu_user_ns": user + nice,
        "cpu_system_ns": system,
        "cpu_softirq_ns": irq + softirq,
        "cpu_iowait_ns": iowait,
        "cpu_steal_ns": steal,
        "cpu_idle_ns": idle,
    }


def burn(seconds: float) -> None:
    """Use user time and almost no system time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(1000))


def timed(probe: Probe) -> list[dict]:
    """Return the samples with start and end of each on the monotonic clock."""
    events = probe.events()
    hello, result = events[0], of(events, "result")[0]
    origin = hello["mono_ns"] + result["started_ns"]
    return [
        sample
        | {"until": origin + sample["end_ns"], "since": origin + sample["end_ns"] - sample["dt_ns"]}
        for sample in samples(events)
    ]


def test_cpu_columns_agree_with_an_independent_reader(probe: Probe) -> None:
    probe.start(probe.plan(LONG))
    probe.wait_for("sample", count=2)
    before, since = cpu_times(), time.monotonic_ns()
    burn(2.0)
    until, after = time.monotonic_ns(), cpu_times()
    probe.wait_for("sample", count=len(of(probe.events(), "sample")) + 2)
    probe.stop()
    seen = timed(probe)
    inside = [s for s in seen if s["since"] >= since and s["until"] <= until]
    around = [s for s in seen if s["until"] > since and s["since"] < until]
    # each CPU's line is rounded by itself, and a reading may come late on a busy machine
    slack = 6 * TICK_NS * (os.cpu_count() or 1)
    for name, spent in ((name, after[name] - before[name]) for name in after):
        assert sum(s[name] for s in inside) <= spent + slack, name
        assert sum(s[name] for s in around) >= spent - slack, name
    assert sum(s["cpu_user_ns"] for s in around) >= 1.0e9, "burning is hardly system time"
    for sample in seen:
        busy = sum(sample[f"cpu_{name}_ns"] for name in ("user", "system", "softirq"))
        assert sample["cpu_busiest_ns"] * (os.cpu_count() or 1) >= busy
        assert sample["cpu_busiest_ns"] <= busy


@pytest.fixture
def namespace() -> Iterator[tuple[str, str]]:
    """A network namespace with one interface, and its address."""
    name = f"assay-probe-{os.getpid()}"
    card = f"ap{os.getpid() % 10**6}"
    call("ip", "netns", "add", name)
    try:
        call("ip", "link", "add", card, "type", "veth", "peer", "name", "inner", "netns", name)
        call("ip", "addr", "add", "198.18.77.1/30", "dev", card)
        call("ip", "link", "set", card, "up")
        call("ip", "netns", "exec", name, "ip", "addr", "add", "198.18.77.2/30", "dev", "inner")
        call("ip", "netns", "exec", name, "ip", "link", "set", "inner", "up")
        yield name, "198.18.77.2"
    finally:
        call("ip", "netns", "delete", name)


def test_received_and_sent_bytes_are_distinguished(
    probe: Probe, namespace: tuple[str, str]
) -> None:
    name, address = namespace
    probe.start(probe.plan(LONG), prefix=("ip", "netns", "exec", name))
    probe.wait_for("sample")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for _ in range(SENT // 1000):
            try:
                sender.sendto(bytes(1000), (address, 9))
            except ConnectionRefusedError:  # the answer to an earlier request, which is ignored
                sender.sendto(bytes(1000), (address, 9))
    probe.wait_for("sample", count=len(of(probe.events(), "sample")) + 2)
    probe.stop()
    seen = samples(probe.events())
    received, sent = (sum(s[f"net_{way}_bytes"] for s in seen) for way in ("rx", "tx"))
    counted = subprocess.run(
        ["ip", "netns", "exec", name, "cat", "/proc/net/dev"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    fields = next(line.split() for line in counted.splitlines() if "inner:" in line)
    assert SENT <= received <= int(fields[1])
    assert sent <= int(fields[9]) < SENT / 4
