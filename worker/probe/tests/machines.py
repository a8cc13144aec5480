"""Simulated machines, as files of /proc and /sys below a root.

The probe's test build looks there first. The texts are excerpts from such kernels; only the mount's
id is that of the test's target.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from probe_driver import Probe

STAT = "{:>8} {:>8} {:>16} {:>8} {:>8} {:>8} {:>16} {:>8} {:>8} {:>8} {:>8}\n"
MOUNTSTATS = """device {source} mounted on {point} with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.2,rsize=1048576,wsize=1048576,hard,proto=tcp,timeo=600,retrans=2,sec=sys
\tage:\t86731
\tcaps:\tcaps=0xffbfff,wtmult=512,dtsize=1048576,bsize=0,namlen=255
\tsec:\tflavor=1,pseudoflavor=1
\tevents:\t12 3 0 1 2 5 40 900 0 8 0 7 3 0 5 0 0 3 0 0 900 0 0 0 0 0 0
\tbytes:\t{:>16} {:>16} {:>16} {:>16} {:>16} {:>16} {:>8} {:>8}
\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)
\txprt:\ttcp 0 0 2 0 38 1203 1203 0 1203 0 2 0 0
\tper-op statistics
\t        READ: 0 0 0 0 0 0 0 0 0
\t       WRITE: 450 450 0 943718400 79200 30 9100 9210 0

"""


class Machine:
    """A root with files of a machine, which a probe takes for its own."""

    def __init__(self, root: Path, probe: Probe) -> None:
        self.root, self.probe = root, probe
        self.numbers: dict[str, str] = {}
        root.mkdir()
        probe.environment |= {"ASSAY_PROBE_ROOT": str(root)}

    def write(self, path: str, text: str) -> None:
        """Replace a file's text in place: the probe keeps it open."""
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(place, os.O_WRONLY | os.O_CREAT)
        os.write(file, text.encode())
        os.close(file)

    def hang(self, path: str) -> None:
        """Make the open of a file wait: it becomes a FIFO without a writer."""
        place = self.root / path.lstrip("/")
        place.unlink()
        os.mkfifo(place)

    def mount(self, number: str, kind: str, source: str, options: str = "rw") -> None:
        """Add the target's mount, by its id, on the file system of that machine."""
        target = os.open(self.probe.target, os.O_RDONLY)
        info = Path(f"/proc/self/fdinfo/{target}").read_text()
        os.close(target)
        mount_id = next(line.split()[1] for line in info.splitlines() if line.startswith("mnt_id"))
        point = "/mnt/array\\040a"
        line = f"{mount_id} 1 {number} / {point} rw,relatime shared:9 - {kind} {source} {options}\n"
        self.write("/proc/self/mountinfo", line)

    def device(self, name: str, number: str = "", *, iostats: int = 1) -> None:
        """Add a disk that has not moved any bytes."""
        self.moved(name, 0, 0)
        self.write(f"/sys/class/block/{name}/queue/iostats", f"{iostats}\n")
        (self.root / "sys/block" / name).mkdir(parents=True, exist_ok=True)
        if number:
            link = self.root / "sys/dev/block" / number
            link.parent.mkdir(parents=True, exist_ok=True)
            (self.root / "sys/devices" / name).mkdir(parents=True)
            link.symlink_to(f"../../devices/{name}")
            self.write(f"/sys/class/block/{name}/dev", f"{number}\n")

    def moved(self, name: str, read: int, written: int) -> None:
        """Set the bytes that a device has moved, in its statistics."""
        text = STAT.format(9, 0, read // 512, 3, 9, 0, written // 512, 3, 0, 40, 50)
        self.write(f"/sys/class/block/{name}/stat", text)

    def served(self, read: int, written: int) -> None:
        """Set the bytes that NFS servers have moved: another mount's, then the target's."""
        other = MOUNTSTATS.format(*[7] * 8, source="filer:/other", point="/mnt/array")
        ours = MOUNTSTATS.format(
            1, 2, 3, 4, read, written, 5, 6, source="filer:/vol/a", point="/mnt/array\\040a"
        )
        local = "device /dev/vda mounted on / with fstype ext4\n"
        self.write("/proc/self/mountstats", local + other + ours)

    def disk(self, name: str) -> None:
        """Add a disk, which may have partitions."""
        self._place(name, self.root / "sys/devices" / name)

    def partition(self, name: str, disk: str) -> None:
        """Add a partition, which sysfs has in the folder of its disk."""
        self._place(name, self.root / "sys/devices" / disk / name)
        self.write(f"/sys/class/block/{name}/partition", "1\n")

    def stacked(self, name: str, below: Sequence[str], uuid: str | None = None) -> None:
        """Add a device made of others: a mapping with its `uuid`, or a RAID."""
        self._place(name, self.root / "sys/devices/virtual/block" / name)
        for device in below:
            for folder, entry in ((f"{name}/slaves", device), (f"{device}/holders", name)):
                place = self.root / "sys/class/block" / folder
                place.mkdir(parents=True, exist_ok=True)
                (place / entry).symlink_to(self.root / "sys/class/block" / entry)
        if uuid is not None:
            self.write(f"/sys/class/block/{name}/dm/uuid", f"{uuid}\n")

    def _place(self, name: str, folder: Path) -> None:
        folder.mkdir(parents=True)
        number = f"8:{len(list(self.root.glob('sys/dev/block/*')))}"
        for link in (self.root / "sys/class/block" / name, self.root / "sys/dev/block" / number):
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(folder)
        self.numbers[name] = number
        self.write(f"/sys/class/block/{name}/dev", f"{number}\n")
        self.write(f"/sys/class/block/{name}/queue/iostats", "1\n")
        self.moved(name, 0, 0)
