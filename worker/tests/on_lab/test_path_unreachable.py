"""Networks that let only some packets pass: what a run says of them, and how it is helped."""

import pytest
from assay.tables.database import reading
from assay.tables.runs import Notice
from lab import Host, Lab, Way
from sqlalchemy import select
from testing.installation import Installation, wait_until
from testing.lab_paths import LabPath


def problems(path: LabPath, run_id: int) -> dict[str, str]:
    """Drive a run to its end; return the messages of its errors by their codes."""
    path.installation.drive_to_the_end(run_id, 120)
    for host in path.hosts:
        wait_until(lambda host=host: not host.processes("assay-probe"), 5, "the probes end")
    errors = select(Notice).where(Notice.run_id == run_id, Notice.level == "error")
    with reading() as session:
        return {notice.code: notice.message for notice in session.scalars(errors)}


def hosts_of(lab: Lab) -> tuple[Host, Host]:
    return lab.host("source"), lab.host("sink")


def test_a_sink_that_does_not_reach_the_source_is_told_to_listen_itself(
    installation: Installation, lab: Lab
) -> None:
    """A firewall of the source refuses connections, but lets its own ones pass."""
    one, other = hosts_of(lab)
    link = lab.link(one, other)
    refused = ("-p", "tcp", "--syn", "-j", "REJECT", "--reject-with", "tcp-reset")
    link.near.call("iptables", "-w", "-A", "INPUT", "-i", link.near.interface, *refused)
    path = LabPath(installation, (one, other), link.far.address, source_address=link.near.address)
    found = problems(path, run_id := path.launch(listener="sender"))
    assert "let the other end connect (listener)" in found["connect_failed"], found
    assert installation.run(run_id).error is not None
    assert problems(path, helped := path.launch(listener="receiver")) == {}
    assert installation.run(helped).state == "done"


@pytest.mark.nightly
@pytest.mark.parametrize("listener", ["sender", "receiver"])
def test_a_black_hole_of_the_mtu_is_named_as_one(
    installation: Installation, lab: Lab, listener: str
) -> None:
    """A router on the way drops large packets and says nothing, so that only greetings pass."""
    one, other = hosts_of(lab)
    wan = lab.wan(one, other, 0.002, Way(largest=1000), Way(largest=1000))
    path = LabPath(installation, (one, other), wan.far.address, source_address=wan.near.address)
    found = problems(path, run_id := path.launch(listener=listener))
    assert "MTU" in found["peer_silent"], found
    assert installation.run(run_id).error is not None
