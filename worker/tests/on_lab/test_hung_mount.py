"""A host with a hung file system that the test does not use."""

from assay.tables.database import reading
from assay.tables.hosts import Inventory
from lab import GIB, FileFault, Lab
from sqlalchemy import select
from testing.installation import Installation, wait_until


def sizes(installation: Installation, host_id: int) -> dict[str, int | None]:
    """Return the size of each of the host's own mounts from a check; None if it is hung."""
    assert installation.check(host_id).error is None
    with reading() as session:
        newest = session.scalars(select(Inventory).order_by(Inventory.id.desc())).first()
    assert newest
    found = newest.body["filesystems"]
    return {fs["mount"]: fs["size_bytes"] for fs in found if fs["mount"].startswith("/mnt/")}


def test_a_host_is_checked_and_measured_while_another_mount_of_it_hangs(
    installation: Installation, lab: Lab
) -> None:
    disk = lab.disk("a", 1 * GIB)
    host = lab.host("one", disk)
    host.mount_faulty("nas")
    host_id = installation.ssh_host(host, name=host.name, address=host.address)
    whole = sizes(installation, host_id)
    assert whole["/mnt/nas"]
    host.fault_file_system("nas", FileFault("*", hang=True))
    assert sizes(installation, host_id) == whole | {"/mnt/nas": None}
    run_id = installation.launch(installation.known_target(host_id, host.target(disk)))
    installation.drive_to_the_end(run_id)
    assert installation.run(run_id).state == "done"
    host.fault_file_system("nas", None)
    wait_until(lambda: not host.processes("assay-probe"))
