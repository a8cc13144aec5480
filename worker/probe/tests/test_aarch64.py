"""The aarch64 build behaves like the x86-64 one: it measures, verifies, stops and cleans up."""

import os

from probe_driver import LONG, Probe, of


def test_the_aarch64_probe_reports_its_architecture(foreign: Probe) -> None:
    assert foreign.answer("version")["arch"] == "aarch64"


def test_the_aarch64_probe_inspects_its_host(foreign: Probe) -> None:
    found = foreign.answer("inspect", "--target", foreign.target)
    assert found["target"]["path"] == str(foreign.target)
    assert found["target"]["real_path"] == os.path.realpath(foreign.target)


def test_the_aarch64_probe_writes_and_reads_by_the_contract(foreign: Probe) -> None:
    events = foreign.run(
        {"threads": 2, "files": 2, "block": 4096},
        {"threads": 2, "block": 65536, "cache": "direct"},
        {"threads": 2, "operation": "read", "block": 4096},
    )
    results = of(events, "result")
    assert [result["status"] for result in results] == ["complete"] * 3
    assert [result["bytes"] for result in results] == [2 << 20, 1 << 20, 1 << 20]
    assert [result["verify_errors"] for result in results] == [0, 0, 0]


def test_the_aarch64_probe_stops_and_leaves_nothing(foreign: Probe) -> None:
    foreign.start(foreign.plan(LONG))
    foreign.wait_for("sample")
    assert foreign.stop() == "stopped"
    assert foreign.events()[-1]["cleaned"]
    assert foreign.leftovers() == []


def test_leftovers_of_a_killed_aarch64_probe_are_swept(foreign: Probe) -> None:
    foreign.start(foreign.plan(LONG))
    foreign.wait_for("sample")
    foreign.kill()
    foreign.verb("sweep", foreign.run_dir.parent, "--forget", foreign.run_dir.name)
    assert foreign.leftovers() == []
    assert not foreign.run_dir.exists()
