"""The conditions at a run's start and end, on this machine and on simulated ones."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from machines import Machine
from probe_driver import LONG, Probe, of

VM = Path("/proc/sys/vm")
CPUS = "/sys/devices/system/cpu"


def conditions(probe: Probe) -> list[dict]:
    assert probe.problems() == []
    return of(probe.events(), "conditions")


@pytest.fixture
def machine(probe: Probe, tmp_path: Path) -> Machine:
    machine = Machine(tmp_path / "root", probe)
    machine.mount("8:0", "ext4", "/dev/sda")
    machine.device("sda", "8:0")
    machine.write("/sys/class/block/sda/dev", "8:0\n")
    return machine


def unreadable(event: dict) -> dict[str, str]:
    return {one["what"]: one["reason"] for one in event["unreadable"]}


def test_the_writeback_settings_are_those_of_the_kernel(probe: Probe) -> None:
    probe.run({})
    start, end = conditions(probe)
    assert (start["when"], end["when"]) == ("start", "end")
    for name, value in start["vm"].items():
        assert value == int((VM / name).read_text()), name
    assert end["vm"] == start["vm"]
    events = [event["ev"] for event in probe.events()]
    assert events.index("conditions") < events.index("trial")
    assert events[-2:] == ["conditions", "end"]


def test_a_stopped_run_has_its_conditions_at_the_end(probe: Probe) -> None:
    probe.start(probe.plan(LONG))
    probe.wait_for("sample")
    probe.stop()
    assert [event["when"] for event in conditions(probe)] == ["start", "end"]


def test_every_governor_is_counted(machine: Machine) -> None:
    for cpu in range(12):
        name = "powersave" if cpu in (3, 10) else "performance"
        machine.write(f"{CPUS}/cpu{cpu}/cpufreq/scaling_governor", f"{name}\n")
    machine.probe.run({})
    counted = {one["name"]: one["cpus"] for one in conditions(machine.probe)[0]["governors"]}
    assert counted == {"performance": 10, "powersave": 2}


def test_a_host_without_governors_says_why(machine: Machine) -> None:
    if list(Path(CPUS).glob("cpu*/cpufreq/scaling_governor")):
        pytest.fail("this machine has governors: run this test where it has none")
    machine.probe.run({})
    start = conditions(machine.probe)[0]
    assert start["governors"] == []
    assert "no CPU has one" in unreadable(start)["governor"]


def test_a_change_of_a_setting_during_the_run_is_reported(machine: Machine) -> None:
    machine.write("/proc/sys/vm/dirty_bytes", "0")
    machine.probe.start(machine.probe.plan(LONG))
    machine.probe.wait_for("sample")
    machine.write("/proc/sys/vm/dirty_bytes", "268435456")
    machine.probe.stop()
    start, end = conditions(machine.probe)
    assert (start["vm"]["dirty_bytes"], end["vm"]["dirty_bytes"]) == (0, 268435456)


def test_an_unreadable_setting_is_null_and_has_a_reason(machine: Machine) -> None:
    machine.write("/proc/sys/vm/dirty_ratio", "many")
    machine.probe.run({})
    start = conditions(machine.probe)[0]
    assert start["vm"]["dirty_ratio"] is None
    assert unreadable(start)["vm.dirty_ratio"] == os.strerror(22)


def test_temperatures_and_health_of_a_scsi_disk(machine: Machine) -> None:
    sensor = "/sys/class/block/sda/device/hwmon/hwmon3"
    machine.write(f"{sensor}/name", "drivetemp\n")
    machine.write(f"{sensor}/temp1_input", "34000\n")
    machine.write("/sys/class/block/sda/device/state", "running\n")
    machine.write("/sys/class/block/sda/device/ioerr_cnt", "0x1f\n")
    machine.write("/sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n")
    machine.write("/sys/class/thermal/thermal_zone0/temp", "51000\n")
    machine.probe.run({})
    start = conditions(machine.probe)[0]
    assert start["temperatures"] == [
        {"source": "device", "device": "sda", "sensor": "drivetemp", "millidegrees_c": 34000}
    ]
    assert start["health"] == [
        {"device": "sda", "state": "running", "io_errors": 31, "members_missing": None}
    ]


def test_each_sensor_of_an_nvme_device_below_a_raid(machine: Machine) -> None:
    machine.mount("9:0", "xfs", "/dev/md0")
    machine.device("md0", "9:0")
    machine.write("/sys/class/block/md0/md/degraded", "1\n")
    machine.write("/sys/class/block/md0/slaves/nvme0n1/x", "")
    machine.write("/sys/class/block/nvme0n1/dev", "259:0\n")
    machine.write("/sys/class/block/nvme0n1/device/state", "live\n")
    sensor = "/sys/class/block/nvme0n1/device/hwmon1"
    machine.write(f"{sensor}/name", "nvme\n")
    machine.write(f"{sensor}/temp1_input", "-1500\n")
    machine.write(f"{sensor}/temp1_label", "Composite\n")
    machine.write(f"{sensor}/temp2_input", "broken\n")
    machine.probe.run({})
    start = conditions(machine.probe)[0]
    assert start["temperatures"] == [
        {
            "source": "device",
            "device": "nvme0n1",
            "sensor": "nvme Composite",
            "millidegrees_c": -1500,
        }
    ]
    assert {one["device"]: one["members_missing"] for one in start["health"]} == {
        "nvme0n1": None,
        "md0": 1,
    }


def test_thermal_zones_stand_in_for_a_disk_without_a_sensor(machine: Machine) -> None:
    machine.write("/sys/class/thermal/thermal_zone0/type", "acpitz\n")
    machine.write("/sys/class/thermal/thermal_zone0/temp", "41500\n")
    machine.probe.run({})
    start = conditions(machine.probe)[0]
    assert start["temperatures"] == [
        {"source": "thermal_zone", "device": None, "sensor": "acpitz", "millidegrees_c": 41500}
    ]
    assert "drivetemp" in unreadable(start)["temperature of sda"]
    assert "root" in unreadable(start)["health of sda"]
    assert start["health"] == []


def test_memory_has_no_device_to_read(memory_target: Probe) -> None:
    memory_target.run({})
    start = conditions(memory_target)[0]
    assert "no local device" in unreadable(start)["device temperature"]
    assert start["health"] == []


@pytest.mark.parametrize("when", ["start", "end"])
def test_a_sensor_that_does_not_respond_costs_only_its_reading(machine: Machine, when: str) -> None:
    """Opening a FIFO without a writer takes forever, as reading a hung drive's sensor does."""
    disk = "/sys/class/block/sda/device"
    machine.write(f"{disk}/hwmon/hwmon3/temp1_input", "34000\n")
    machine.write(f"{disk}/state", "running\n")
    if when == "start":
        machine.hang(f"{disk}/hwmon/hwmon3/temp1_input")
        machine.probe.run({}, hang_ms=2000)
    else:
        machine.probe.start(machine.probe.plan(LONG, hang_ms=2000))
        machine.probe.wait_for("sample")
        machine.hang(f"{disk}/hwmon/hwmon3/temp1_input")
        machine.probe.stop()
    found = {event["when"]: event for event in conditions(machine.probe)}
    assert unreadable(found[when])["temperature of sda"] == "it did not respond within 5 s"
    assert found[when]["health"][0]["state"] == "running"
    end = of(machine.probe.events(), "end")[0]
    assert (end["status"], end["cleaned"]) == ("done" if when == "start" else "stopped", True)
    assert of(machine.probe.events(), "error") == []
    assert machine.probe.leftovers() == []


def test_a_stop_does_not_wait_for_a_sensor(machine: Machine) -> None:
    sensor = "/sys/class/block/sda/device/hwmon/hwmon3/temp1_input"
    machine.write(sensor, "34000\n")
    machine.hang(sensor)
    with ThreadPoolExecutor(1) as pool:
        started = pool.submit(machine.probe.start, machine.probe.plan(LONG))
        machine.probe.wait_for("hello")
        assert machine.probe.stop() == "stopped"
        started.result()
    assert of(machine.probe.events(), "result") == []
