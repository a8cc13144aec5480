"""Where an end of a transfer runs: pinned threads, the card's interrupts and queues, NUMA nodes."""

import os
from pathlib import Path

import pytest
from machines import Machine
from probe_driver import of
from transfer_driver import Ends, error

ENDLESS = {"length_bytes": 0, "duration_ms": 60_000}
CPUS = sorted(os.sched_getaffinity(0))
FIRST, LAST = CPUS[0], CPUS[-1]
HEADER = "            CPU0       CPU1       \n"
PCI = "/sys/devices/pci0000:00/0000:00:01.0"


def placement(result: dict) -> dict:
    return result["detail"]["placement"]


def pinned(cpu: object, **fields: object) -> dict:
    """Return the fields of a trial whose sender runs on these CPUs."""
    return {"own": {"sender": {"cpus": cpu}}, **fields}


def listed(cpus: list[int]) -> str:
    """Return these CPUs one by one, in the kernel's notation."""
    return ",".join(map(str, cpus))


def plan(ends: Ends, **fields: object) -> str:
    return ends.plan(ends.sender, fields, target=None)


def refusal(ends: Ends, **fields: object) -> str:
    """Return the message with which the sender refuses a plan, of which nothing is left."""
    refused = ends.sender.start(plan(ends, **fields), check=False, prefix=ends.sender.prefix)
    assert refused.returncode == 3
    assert not ends.sender.run_dir.exists()
    return refused.stderr.decode()


@pytest.mark.parametrize("source", ["memory", "disk"])
def test_each_end_runs_on_the_cpus_that_its_plan_names(ends: Ends, source: str) -> None:
    own = {"sender": {"cpus": LAST, "disk_threads": 2}, "receiver": {"cpus": FIRST}}
    sender, receiver = ends.run({"own": own, "streams": 2, "source": source})
    for result, cpu in ((sender, LAST), (receiver, FIRST)):
        assert result["status"] == "complete"
        found = placement(result)
        assert [found["cpus"], found["cpus_allowed"], found["cpus_used"]] == [str(cpu)] * 3


def test_only_the_threads_that_move_data_are_pinned(ends: Ends) -> None:
    ends.start(ENDLESS | pinned(LAST, streams=3), targets=False)
    ends.meet()
    ends.release()
    ends.sender.wait_for("sample")
    statuses = Path(f"/proc/{ends.sender.pid()}/task").glob("*/status")
    allowed = [
        line.split()[1]
        for status in statuses
        for line in status.read_text().splitlines()
        if line.startswith("Cpus_allowed_list")
    ]
    assert allowed.count(str(LAST)) == (3 if len(CPUS) > 1 else len(allowed))
    assert len(allowed) > 3
    ends.sender.stop()


def test_without_a_choice_the_threads_may_run_on_every_cpu(ends: Ends) -> None:
    sender, _ = ends.run({}, targets=False)
    found = placement(sender)
    assert found["cpus"] is None
    assert (
        found["cpus_allowed"]
        == Path("/proc/self/status").read_text().split("Cpus_allowed_list:")[1].split()[0]
    )
    assert found["cpus_used"]


def test_an_end_without_a_part_in_a_leg_has_no_cpus(ends: Ends) -> None:
    sender, receiver = ends.run({"leg": "read", "source": "disk"})
    assert placement(sender)["cpus_used"]
    assert placement(receiver)["cpus_allowed"] is placement(receiver)["cpus_used"] is None


@pytest.mark.parametrize(
    ("cpus", "named"),
    [
        ("4095", "cpus=4095: no list of CPUs below 1024"),
        ("0-", "cpus=0-: no list of CPUs"),
        ("3-1", "cpus=3-1: no list of CPUs"),
        ("0,,1", "cpus=0,,1: no list of CPUs"),
        ("node:", "cpus=node:: a node is a number"),
        ("node:1x", "cpus=node:1x: a node is a number"),
        ("cards", "cpus=cards: no list of CPUs"),
        ("1023", "cpus=1023: CPU 1023 is offline, or not in the cpuset of this process"),
    ],
)
def test_cpus_that_do_not_exist_are_refused_before_anything_starts(
    ends: Ends, cpus: str, named: str
) -> None:
    assert named in refusal(ends, cpus=cpus)


@pytest.mark.skipif(len(CPUS) < 2, reason="a cpuset without a CPU needs two")
def test_a_cpu_outside_the_cpuset_is_refused_with_those_inside(ends: Ends) -> None:
    ends.sender.prefix = ("taskset", "-c", str(LAST))
    message = refusal(ends, cpus=f"{FIRST},{LAST}")
    assert f"CPU {FIRST} is offline, or not in the cpuset of this process, which allows" in message
    assert f"which allows {LAST}; use only these" in message


def test_the_cpus_of_a_node_are_those_in_the_cpuset(ends: Ends, tmp_path: Path) -> None:
    machine = Machine(tmp_path / "machine", ends.sender)
    machine.write("/sys/devices/system/node/online", "0-1\n")
    machine.write("/sys/devices/system/node/node0/cpulist", "1000-1023\n")
    machine.write("/sys/devices/system/node/node1/cpulist", f"{listed(CPUS)},999\n")
    sender, _ = ends.run(pinned("node:1"), targets=False)
    found = placement(sender)
    assert (found["cpus"], found["numa_nodes_used"]) == ("node:1", [1])
    ends.sender.run_dir = ends.sender.home / "runs" / "other"
    assert "cpus=node:0: none of its CPUs is in the cpuset" in refusal(ends, cpus="node:0")
    assert "cpus=node:2: this host has no such NUMA node; its nodes are 0-1" in refusal(
        ends, cpus="node:2"
    )


def card(machine: Machine, counts: tuple[int, int], irqs: tuple[str, str] = ("0", "1")) -> None:
    """Describe the loopback interface as a card with two queues."""
    device = "/sys/class/net/lo/device"
    driver = machine.root / "sys/bus/pci/drivers/mlx5_core"
    if not driver.exists():
        driver.mkdir(parents=True)
        machine.write(f"{device}/numa_node", "1\n")
        (machine.root / device.lstrip("/") / "driver").symlink_to(driver)
    machine.write(f"{device}/local_cpulist", f"{listed(CPUS)}\n")
    for number, cpus in zip((33, 34), irqs, strict=True):
        machine.write(f"{device}/msi_irqs/{number}", "msix\n")
        machine.write(f"/proc/irq/{number}/effective_affinity_list", f"{cpus}\n")
    queues = "/sys/class/net/lo/queues"
    machine.write(f"{queues}/rx-0/rps_cpus", "00000000,00000000\n")
    machine.write(f"{queues}/rx-1/rps_cpus", "00000001,0000000c\n")
    machine.write(f"{queues}/tx-0/xps_cpus", "3\n")
    own = f" 33:  {counts[0]:>9}          7   IR-PCI-MSI 0-edge      mlx5_comp0@pci\n"
    other = f" 34:          0  {counts[1]:>9}   IR-PCI-MSI 1-edge      mlx5_comp1@pci\n"
    foreign = " 35:  9000000000          0   IR-PCI-MSI 2-edge      nvme0q1\n"
    machine.write("/proc/interrupts", f"{HEADER}{own}{foreign}{other}NMI:  1  2  Non-maskable\n")


def test_a_cards_driver_queues_and_interrupts_are_recorded(ends: Ends, tmp_path: Path) -> None:
    machine = Machine(tmp_path / "machine", ends.sender)
    card(machine, (100, 4_000_000_000))
    ends.start(ENDLESS | pinned("card"), targets=False)
    ends.meet()
    ends.sender.wait_for("ready")
    card(machine, (150, 5_000_000_000), irqs=("0", "0"))
    ends.release()
    ends.sender.wait_for("sample")
    ends.sender.stop()
    found = placement(of(ends.sender.events(), "result")[-1])
    assert found["cpus"] == "card"
    assert found["start"] == {
        "driver": "mlx5_core",
        "local_cpus": found["cpus_allowed"],
        "rx_queues": 2,
        "tx_queues": 1,
        "rps_cpus": "2-3,32",
        "xps_cpus": "0-1",
        "irqs": [{"irq": 33, "cpus": "0"}, {"irq": 34, "cpus": "1"}],
    }
    assert found["end"]["irqs"] == [{"irq": 33, "cpus": "0"}, {"irq": 34, "cpus": "0"}]
    assert found["interrupts"] == [[33, 0, 50], [34, 1, 1_000_000_000]]


def test_interrupts_are_unknown_if_a_cpu_went_offline_meanwhile(ends: Ends, tmp_path: Path) -> None:
    machine = Machine(tmp_path / "machine", ends.sender)
    card(machine, (100, 200))
    ends.start(ENDLESS, targets=False)
    ends.meet()
    ends.sender.wait_for("ready")
    machine.write("/proc/interrupts", HEADER.replace("CPU1", "CPU3"))
    ends.release()
    ends.sender.wait_for("sample")
    ends.sender.stop()
    assert placement(of(ends.sender.events(), "result")[-1])["interrupts"] is None


def test_what_a_virtual_card_does_not_have_is_unknown(ends: Ends) -> None:
    sender, _ = ends.run({}, targets=False)
    for when in ("start", "end"):
        setup = placement(sender)[when]
        assert [setup[name] for name in ("driver", "local_cpus", "xps_cpus", "irqs")] == [None] * 4
        assert setup["rx_queues"] == setup["tx_queues"] == 1
    assert placement(sender)["interrupts"] is None


def test_a_card_of_another_network_namespace_is_unknown(ends: Ends, tmp_path: Path) -> None:
    machine = Machine(tmp_path / "machine", ends.sender)
    card(machine, (100, 200))
    machine.write("/sys/class/net/lo/ifindex", "7\n")
    machine.write("/sys/class/net/lo/speed", "10000\n")
    sender, _ = ends.run({}, targets=False)
    assert placement(sender)["start"] is placement(sender)["end"] is None
    assert sender["detail"]["card"] | {"tx_bytes": 0, "rx_bytes": 0} == {
        "name": "lo",
        "mtu_bytes": 65536,
        "speed_mbps": None,
        "numa_node": None,
        "tx_bytes": 0,
        "rx_bytes": 0,
    }


def test_the_cpus_of_a_card_without_a_node_are_refused(ends: Ends) -> None:
    ends.start(pinned("card"), targets=False)
    ends.meet()
    sender, _ = ends.fail(ends.sender)
    assert (sender["status"], sender["reason"]) == ("failed", "affinity_refused")
    assert error(ends.sender)["message"].startswith(
        "cpus=card: the kernel knows no NUMA node of the card lo"
    )


def test_a_leg_without_network_needs_an_address_to_know_its_card(
    ends: Ends, tmp_path: Path
) -> None:
    reads = {"leg": "read", "source": "disk"}
    refused = ends.sender.start(
        ends.plan(ends.sender, reads | {"cpus": "card"}, target=ends.sender.target), check=False
    )
    assert refused.returncode == 3
    assert "cpus=card: leg=read uses no network" in refused.stderr.decode()
    card(Machine(tmp_path / "machine", ends.sender), (100, 200))
    sender, _ = ends.run(pinned("card", **reads, bind="127.0.0.1"))
    assert placement(sender)["cpus"] == "card"
    assert sender["status"] == "complete"


def test_the_node_of_a_disk_is_that_of_the_device_above_it(ends: Ends, tmp_path: Path) -> None:
    machine = Machine(tmp_path / "machine", ends.sender)
    machine.mount("259:3", "ext4", "/dev/nvme0n1")
    machine.device("nvme0n1", "259:3")
    machine.write("/sys/class/block/nvme0n1/dev", "259:3\n")
    kept = machine.root / "sys/class/block/nvme0n1"
    block = machine.root / f"{PCI}/0000:81:00.0/nvme/nvme0/nvme0n1".lstrip("/")
    block.parent.mkdir(parents=True)
    kept.rename(block)
    kept.symlink_to(block)
    machine.write(f"{PCI}/0000:81:00.0/numa_node", "1\n")
    sender, receiver = ends.run({"source": "disk"})
    assert placement(sender)["disk_numa_nodes"] == [1]
    assert placement(receiver)["disk_numa_nodes"] is None


def test_a_static_release_pins_its_threads(shipped_ends: Ends) -> None:
    sender, _ = shipped_ends.run(pinned(LAST), targets=False)
    assert placement(sender)["cpus_used"] == str(LAST)
