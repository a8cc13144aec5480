"""Where writes end up: the root file system is found behind overlays, images and FUSE."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from machines import Machine
from probe_driver import Probe

Answer = tuple[bool | None, str | None]
IMAGE = "truncate -s 16M {image} && mkfs.ext4 -q -F {image}"


@pytest.fixture
def on_root() -> Iterator[Path]:
    """A folder on the root file system, as temporary folders of tests are in memory."""
    with TemporaryDirectory(dir="/var/tmp") as name:
        assert Path(name).stat().st_dev == Path("/").stat().st_dev
        yield Path(name)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    assert tmp_path.stat().st_dev != Path("/").stat().st_dev
    return tmp_path


def found(probe: Probe, target: Path, commands: str = "true") -> Answer:
    """Inspect a target after mounts that end with their namespace, and with it loop devices."""
    prefix = ("unshare", "-m", "sh", "-ec", f'{commands}\n"$@"', "sh")
    facts = probe.answer("inspect", "--target", target, prefix=prefix)["target"]
    return facts["is_root_fs"], facts["root_fs_through"]


def overlay(at: Path, lower: Path, upper: Path) -> str:
    for folder in (at, lower, upper / "up", upper / "work"):
        folder.mkdir(parents=True, exist_ok=True)
    options = f"lowerdir={lower},upperdir={upper}/up,workdir={upper}/work"
    return f"mount -t overlay overlay -o '{options}' '{at}'"


def image(file: Path, at: Path) -> str:
    at.mkdir(exist_ok=True)
    return f"{IMAGE.format(image=file)} && mount -o loop {file} {at}"


Mounts = Callable[[Path, Path], tuple[Path, str, Answer]]
"""Given folders on the root file system and elsewhere: the target, its mounts, and the answer."""


def bind_mount(root: Path, other: Path) -> tuple[Path, str, Answer]:
    return other, f"mount --bind {root} {other}", (True, None)


def bind_mount_from_elsewhere(root: Path, other: Path) -> tuple[Path, str, Answer]:
    return root, f"mount --bind {other} {root}", (False, None)


def upper_directory(root: Path, other: Path) -> tuple[Path, str, Answer]:
    at = other / "merged"
    return at, overlay(at, other / "low", root), (True, f"{root}/up")


def upper_directory_with_a_space(root: Path, other: Path) -> tuple[Path, str, Answer]:
    at = other / "merged"
    return at, overlay(at, other / "low", root / "a b"), (True, f"{root}/a b/up")


def upper_directory_elsewhere(root: Path, other: Path) -> tuple[Path, str, Answer]:
    at = other / "merged"
    return at, overlay(at, root, other / "upper"), (False, None)


def image_on_root(root: Path, other: Path) -> tuple[Path, str, Answer]:
    return other / "disk", image(root / "disk.img", other / "disk"), (True, f"{root}/disk.img")


def image_elsewhere(root: Path, other: Path) -> tuple[Path, str, Answer]:
    return root / "disk", image(other / "disk.img", root / "disk"), (False, None)


def image_in_an_image_on_root(root: Path, other: Path) -> tuple[Path, str, Answer]:
    outer, inner = other / "outer", other / "inner"
    first = f"truncate -s 64M {root}/o.img && mkfs.ext4 -q {root}/o.img"
    outer.mkdir()
    commands = f"{first} && mount -o loop {root}/o.img {outer}\n{image(outer / 'i.img', inner)}"
    return inner, commands, (True, f"{root}/o.img")


def overlay_over_an_image_on_root(root: Path, other: Path) -> tuple[Path, str, Answer]:
    at, disk, low = other / "merged", other / "disk", other / "low"
    at.mkdir()
    low.mkdir()
    options = f"lowerdir={low},upperdir={disk}/up,workdir={disk}/work"
    commands = f"""{image(root / "disk.img", disk)}
        mkdir {disk}/up {disk}/work
        mount -t overlay overlay -o {options} {at}"""
    return at, commands, (True, f"{root}/disk.img")


def removed_image(root: Path, other: Path) -> tuple[Path, str, Answer]:
    file, at = other / "disk.img", other / "disk"
    return at, f"{image(file, at)}\nrm {file}", (None, f"{file} (deleted)")


CASES = (
    bind_mount,
    bind_mount_from_elsewhere,
    upper_directory,
    upper_directory_with_a_space,
    upper_directory_elsewhere,
    image_on_root,
    image_elsewhere,
    image_in_an_image_on_root,
    overlay_over_an_image_on_root,
    removed_image,
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_writes_are_followed_to_the_root_file_system(
    probe: Probe, on_root: Path, elsewhere: Path, case: Mounts
) -> None:
    target, commands, expected = case(on_root, elsewhere)
    assert found(probe, target, commands) == expected


def of_simulated_mount(probe: Probe, folder: Path, kind: str, source: str, root: str) -> Answer:
    """Inspect the target as if it were of that kind; `root` replaces the root's own mount."""
    machine = Machine(folder / "machine", probe)
    machine.mount("0:98", kind, source)
    line = (machine.root / "proc/self/mountinfo").read_text()
    number = line.split()[0]
    kept = [
        root.format(id=each.split()[0]) if each.split()[4] == "/" and root else each
        for each in Path("/proc/self/mountinfo").read_text().splitlines()
        if each.split()[0] != number
    ]
    machine.write("/proc/self/mountinfo", "\n".join([*kept, line]))
    facts = probe.answer("inspect", "--target", probe.target)["target"]
    return facts["is_root_fs"], facts["root_fs_through"]


ZFS_ROOT = "{id} 1 0:30 / / rw shared:1 - zfs rpool/ROOT/debian rw"
BTRFS_ROOT = "{id} 1 0:98 /@ / rw shared:1 - btrfs /dev/sda2 rw,subvol=/@"


@pytest.mark.parametrize(
    ("kind", "source", "root", "expected"),
    [
        ("fuse.bindfs", "/var/tmp", "", (True, "/var/tmp")),
        ("fuse.mergerfs", "/dev/shm:/var/tmp", "", (True, "/var/tmp")),
        ("fuse.mergerfs", "/dev/shm", "", (False, None)),
        ("fuse.mergerfs", "1/a:2/a", "", (None, "1/a")),
        ("fuse.gocryptfs", "/nothing/here", "", (None, "/nothing/here")),
        ("fuse.something", "/dev/fuse", "", (None, "/dev/fuse")),
        ("fuse.fuse-overlayfs", "fuse-overlayfs", "", (None, "fuse-overlayfs")),
        ("aufs", "none", "", (None, "none")),
        ("fuse.sshfs", "backup@filer:/x", "", (False, None)),
        ("nfs4", "filer:/x", "", (False, None)),
        ("tmpfs", "tmpfs", "", (False, None)),
        ("zfs", "rpool/data", ZFS_ROOT, (True, None)),
        ("zfs", "rpool2/data", ZFS_ROOT, (False, None)),
        ("btrfs", "/dev/sda2", BTRFS_ROOT, (True, None)),
    ],
)
def test_kinds_that_share_or_hide_their_storage(
    probe: Probe, tmp_path: Path, kind: str, source: str, root: str, expected: Answer
) -> None:
    assert of_simulated_mount(probe, tmp_path, kind, source, root) == expected
