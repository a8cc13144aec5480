"""Paths between two hosts of the lab, measured by an installation."""

from collections.abc import Callable, Sequence
from typing import Any

from assay.kinds.path.result import PathResult
from lab import Disk, Host

from testing import transfers
from testing.installation import Installation, wait_until

TargetOn = Callable[[Host, Disk], int]


class LabPath:
    """A source and a sink: hosts with a disk each, or only their memory."""

    def __init__(
        self,
        installation: Installation,
        hosts: Sequence[Host],
        address: str,
        target_on: TargetOn | None = None,
        **test: Any,
    ) -> None:
        """Register the hosts; `address` is the sink's. `test` has fields of every test."""
        self.installation, self.hosts = installation, hosts
        self.test = {"sink_address": address, "legs": ["memory"]} | test
        self.ends: list[dict[str, int]] = []
        for host in hosts:
            if target_on is None:
                own = installation.ssh_host(host, name=host.name, address=host.address)
                self.ends.append({"host_id": own})
            else:
                (disk,) = host.disks.values()
                self.ends.append({"target_id": target_on(host, disk)})

    def launch(self, **test: Any) -> int:
        """Launch a path test; return its run."""
        return transfers.launch(*self.ends, **self.test | test)

    def measured(self, run_id: int | None = None, **test: Any) -> PathResult:
        """Drive a run to its end, and return its result; nothing of it stays on the hosts."""
        run_id = run_id or self.launch(**test)
        self.installation.drive_to_the_end(run_id, 90)
        assert self.installation.run(run_id).state == "done", self.installation.run(run_id).error
        for host in self.hosts:
            wait_until(lambda host=host: not host.processes("assay-probe"), 5, "the probes end")
        found = transfers.path_of(run_id)
        print(*evidence(found), sep="\n")  # for a failed test
        return found


def evidence(found: PathResult) -> list[object]:
    """Return what a failed assertion should show of a result."""
    trials: list[object] = [
        (leg.leg, trial.status, trial.reason, [(flag.code, flag.evidence) for flag in trial.flags])
        for leg in found.legs
        for trial in leg.trials
    ]
    trials += [
        (leg.leg, trial.leading_bytes_per_s, trial.link, trial.sender, trial.receiver)
        for leg in found.legs
        for trial in leg.trials
    ]
    return [*trials, *(one.bottleneck for one in found.settings)]
