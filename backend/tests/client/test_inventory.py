"""Hosts, targets, arrays and profiles over the client."""

import threading
from typing import Any, get_type_hints

import pytest
from assay.client import Assay, ConflictError, InvalidError, NotFoundError, inventory, transport
from assay.client.appliance import AuditFilter, MatchFilter
from assay.client.automation import DeliveryFilter, FiringFilter
from assay.client.runs import CandidateFilter
from assay.inventory.arrays.schemas import ArrayIn
from assay.tables.database import writing
from assay.tables.hosts import Host
from testing.api import FOUND, INVENTORY, Appliance
from testing.furnished import OPERATIONS
from testing.seeds import TEST

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJc0nrL8m8+MYCsy5M3bO9s7rUgtWQoa3mCgvqMZ3LLD"


def test_a_host_is_registered_checked_and_approved(assay: Assay, appliance: Appliance) -> None:
    appliance.credential("lab key")
    host = assay.hosts.register(
        {"name": "Lab 1", "address": "10.0.0.7", "user": "assay", "credential": "lab key"}
    )
    assert host.state == "new"
    with appliance.answering(offered_key=KEY, state="key_unapproved"):
        checked = assay.hosts.check("lab-1", wait_s=30)
    assert checked.state == "key_unapproved"
    offered = assay.hosts.keys("Lab 1").offered
    assert offered is not None
    with pytest.raises(ConflictError) as refused:
        assay.hosts.approve(host.id, "SHA256:wrong")
    assert refused.value.code == "host_key_mismatch"
    assert assay.hosts.approve(host.id, offered.fingerprint).approved == offered


def test_a_target_is_registered_and_found_by_each_of_its_names(
    assay: Assay, appliance: Appliance
) -> None:
    appliance.host("Lab 1")
    appliance.target(appliance.host("Lab 2"), "/mnt/other")
    vault = assay.arrays.create(ArrayIn(name="Vault 2", shared=True))
    assert vault.shared
    with appliance.answering({**FOUND, "path": "/mnt/disk"}):
        target = assay.targets.register({"host": "lab-1", "path": "/mnt/disk", "array": "vault-2"})
    assert target.array is not None and target.array.id == vault.id
    names = ("Lab 1/mnt/disk", "lab-1/mnt/disk", "lab-1:/mnt/disk", "/mnt/disk", str(target.id))
    for name in names:
        assert assay.targets.get(name) == target, name
    assert [one.id for one in assay.targets.list(host="lab-1")] == [target.id]
    assert [one.id for one in assay.targets.list(array="Vault 2")] == [target.id]
    assert [one.name for one in assay.hosts.list(array="vault-2")] == ["Lab 1"]
    assert assay.hosts.inventory("lab-1").body == INVENTORY
    assay.targets.delete("lab-1/mnt/disk")
    assert list(assay.targets.list(host="lab-1")) == []


def test_a_name_of_several_targets_is_answered_with_their_ids(
    assay: Assay, appliance: Appliance
) -> None:
    ids = [appliance.target(appliance.host(name), "/mnt/a") for name in ("web-1", "web-2")]
    with pytest.raises(InvalidError, match="means several targets") as refused:
        assay.targets.get("/mnt/a")
    for number in ids:
        assert f"({number})" in str(refused.value)


def test_a_list_is_read_page_by_page(
    assay: Assay, appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "LARGEST_PAGE", 2)
    names = [f"web-{number}" for number in range(5)]
    for name in names:
        appliance.host(name)
    assert [host.name for host in assay.hosts.list(sort="name")] == names
    assert [host.name for host in assay.hosts.list(sort="name", most=3)] == names[:3]
    assert [host.name for host in assay.hosts.list(sort="-name", q="web", most=1)] == ["web-4"]


def test_labels_that_are_changed_at_the_same_time_are_merged(
    assay: Assay, appliance: Appliance
) -> None:
    host = appliance.host("web-1")
    assay.hosts.label(host, {"old": "x"})
    threads = [
        threading.Thread(target=assay.hosts.label, args=("web-1", {f"key-{n}": str(n)}))
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    labeled = assay.hosts.label(host, {"old": None})
    assert labeled.labels == {f"key-{n}": str(n) for n in range(4)}


def test_a_profile_is_created_found_replaced_and_copied(assay: Assay) -> None:
    first = assay.profiles.create({"name": "Short Write", "body": {"tests": [TEST]}})
    body = {"name": "Short Write", "body": {"tests": [TEST]}, "description": "2"}
    second = assay.profiles.replace("short-write", body, etag=first.etag)
    assert (second.version, second.slug) == (2, "short-write")
    for name in ("Short Write", "short-write", str(second.id)):
        assert assay.profiles.get(name) == second
    assert [one.version for one in assay.profiles.list(slug="short-write", sort="id")] == [1, 2]
    copy = assay.profiles.copy("First look", "My look")
    assert copy.body == assay.profiles.get("first-look").body
    assert not copy.builtin


def test_an_unknown_name_is_answered_with_the_nearest(assay: Assay, appliance: Appliance) -> None:
    appliance.host("somewhere")
    with pytest.raises(NotFoundError, match="Did you mean `somewhere`"):
        assay.hosts.delete("somwhere")


def test_a_host_that_is_being_deleted_has_no_name(assay: Assay, appliance: Appliance) -> None:
    number = appliance.host("web-1")
    with writing() as session:
        session.get_one(Host, number).state = "deleting"
    with pytest.raises(NotFoundError):
        assay.hosts.get("web-1")


FILTERS: dict[str, Any] = {
    "/compare/candidates": CandidateFilter,
    "/matches": MatchFilter,
    "/arrays/{array_id}/history": inventory.HistoryFilter,
    "/audit": AuditFilter,
    "/webhooks/{webhook_id}/deliveries": DeliveryFilter,
    "/schedules/{schedule_id}/firings": FiringFilter,
}


def test_the_filters_of_the_client_are_those_of_the_api() -> None:
    of_pages = {"cursor", "limit", "fields"}
    renamed = {"since": "from", "until": "to"}
    differing: list[str] = []
    for path, filters in FILTERS.items():
        parameters = OPERATIONS[f"GET {path}"]["parameters"]
        own = {renamed.get(name, name) for name in get_type_hints(filters)}
        known = {one["name"] for one in parameters if one["in"] == "query"}
        differing += [f"{path}: {name}" for name in sorted((own ^ known) - of_pages)]
    assert not differing, "\n".join(differing)
