"""Campaigns of transfers: sources and sinks, their estimate and their launch."""

from typing import Any

import pytest
from assay.runs import lifecycle
from assay.runs.scheduling import reservations
from assay.runs.tools import builtin
from assay.tables.database import reading, writing
from assay.tables.runs import Participant, Reservation, Run, Trial
from sqlalchemy import select
from testing.api import Appliance, on_sqlite

pytestmark = pytest.mark.usefixtures("worker")

GB = 10**9
TEST = {"kind": "path", "title": "Path", "length": GB, "repeats": 2, "sink_cache": "page"}
MATRIX = {
    "kind": "matrix",
    "operation": "write",
    "title": "Write",
    "block": [65536],
    "threads": [1],
    "file_size": GB,
}


def profile(appliance: Appliance, *tests: dict[str, Any]) -> int:
    known = len(appliance.viewer.get("/profiles").json()["items"])
    body = {"name": f"Path {known}", "body": {"tests": list(tests) or [TEST]}}
    return appliance.operator.post("/profiles", body).json()["id"]


def ends(appliance: Appliance) -> tuple[dict[str, int], dict[str, int]]:
    source = appliance.target(appliance.host("one"), "/mnt/a")
    sink = appliance.target(appliance.host("other"), "/mnt/b")
    return {"target_id": source}, {"target_id": sink}


def plan(appliance: Appliance, source: Any, sink: Any, *tests: dict[str, Any]) -> dict[str, Any]:
    return {"profile_id": profile(appliance, *tests), "sources": [source], "sinks": [sink]}


def fields(appliance: Appliance, asked: dict[str, Any]) -> list[str]:
    refused = appliance.operator.post("/campaigns", asked)
    assert refused.status_code == 422, refused.text
    return [one["field"] for one in refused.json()["errors"]]


@on_sqlite
def test_a_transfer_is_one_run_of_a_sender_and_a_receiver(appliance: Appliance) -> None:
    source, sink = ends(appliance)
    asked = plan(appliance, source, sink)
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    assert estimate["problems"] == []
    assert (estimate["run_count"], estimate["cells"], estimate["trials"]) == (1, 4, 8)
    sender, receiver = estimate["runs"]
    assert (sender["role"], receiver["role"]) == ("sender", "receiver")
    assert sender["target_id"] == source["target_id"]
    assert sender["peak_bytes"] == receiver["peak_bytes"] == GB
    # the source's files are written before each of the four trials that read them
    assert sender["bytes_written"] == receiver["bytes_written"] == 2 * 2 * GB

    made = appliance.operator.post("/campaigns", asked)
    assert made.status_code == 201, made.text
    (run,) = made.json()["runs"]
    assert [one["role"] for one in run["participants"]] == ["sender", "receiver"]
    assert made.json()["parameters"]["sources"] == [source]
    with reading() as session:
        trials = session.scalars(select(Trial).where(Trial.run_id == run["id"])).all()
        held = session.scalars(select(Reservation.resource)).all()
        hosts = session.scalars(select(Participant.host_id)).all()
    assert {one.parameters["leg"] for one in trials} == {"read", "memory", "write", "disk"}
    assert {f"host:{one}" for one in hosts} <= set(held)


@on_sqlite
def test_the_memory_of_a_host_needs_no_space(appliance: Appliance) -> None:
    source, sink = appliance.host("one"), appliance.host("other")
    test = TEST | {"legs": ["memory"], "length": 10**18}
    asked = plan(appliance, {"host_id": source}, {"host_id": sink}, test)
    made = appliance.operator.post("/campaigns", asked)
    assert made.status_code == 201, made.text
    (run,) = made.json()["runs"]
    assert [one["target"] for one in run["participants"]] == [None, None]
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    assert [one["free_after_bytes"] for one in estimate["runs"]] == [None, None]
    assert estimate["bytes_written"] == 0


@on_sqlite
def test_a_leg_with_a_disk_needs_a_target(appliance: Appliance) -> None:
    source, _ = ends(appliance)
    asked = plan(appliance, source, {"host_id": appliance.host("third")})
    assert fields(appliance, asked) == ["profile.tests.0.legs"]


@on_sqlite
@pytest.mark.parametrize(
    ("address", "family"), [("fd00::7", "ipv6"), ("192.0.2.7", "any"), ("store.example", "any")]
)
@pytest.mark.parametrize("kind", ["path", "records"])
def test_the_ip_version_is_that_of_the_sinks_address(
    appliance: Appliance, address: str, family: str, kind: str
) -> None:
    credential = appliance.credential()
    reached = {"connection": "ssh", "port": 22, "user": "a", "credential_id": credential}
    ends = [
        {"host_id": appliance.host(name, address=one, **reached)}
        for name, one in (("one", "192.0.2.1"), ("other", address))
    ]
    test = TEST | {"legs": ["memory"]}
    if kind == "records":
        test = {"kind": "records", "title": "Records", "sink": "memory", "window_ms": 1000}
    made = appliance.operator.post("/campaigns", plan(appliance, *ends, test))
    assert made.status_code == 201, made.text
    run = appliance.viewer.get(f"/runs/{made.json()['runs'][0]['id']}").json()
    assert run["parameters"]["family"] == family


@on_sqlite
def test_source_and_sink_in_the_same_directory_are_refused(appliance: Appliance) -> None:
    source, _ = ends(appliance)
    assert fields(appliance, plan(appliance, source, source)) == ["sinks.0"]


@on_sqlite
def test_both_ends_on_one_host_are_measured_with_a_warning(appliance: Appliance) -> None:
    host = appliance.host("one")
    one, other = (appliance.target(host, path) for path in ("/mnt/a", "/mnt/b"))
    asked = plan(appliance, {"target_id": one}, {"target_id": other})
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    assert estimate["problems"] == []
    assert "transfer_on_one_host" in [one["code"] for one in estimate["warnings"]]


@on_sqlite
def test_places_that_do_not_fit_the_tests_are_refused_by_name(appliance: Appliance) -> None:
    source, sink = ends(appliance)
    asked = plan(appliance, source, sink)
    assert fields(appliance, asked | {"sinks": []}) == ["sinks"]
    assert fields(appliance, asked | {"sources": [source, sink]}) == ["sinks.0"]
    assert fields(appliance, asked | {"target_ids": [source["target_id"]]}) == ["target_ids"]
    nowhere = {"profile_id": profile(appliance, MATRIX)}
    assert fields(appliance, nowhere) == ["target_ids"]
    assert fields(appliance, asked | nowhere | {"target_ids": [sink["target_id"]]}) == [
        "sources",
        "sinks",
    ]
    assert fields(appliance, asked | {"together": True}) == ["together"]


@on_sqlite
@pytest.mark.parametrize("end", [{}, {"target_id": 1, "host_id": 1}])
def test_an_end_is_a_target_or_a_host(appliance: Appliance, end: dict[str, int]) -> None:
    _, sink = ends(appliance)
    assert fields(appliance, plan(appliance, end, sink)) == ["sources.0"]


@on_sqlite
def test_an_end_that_does_not_exist_is_refused(appliance: Appliance) -> None:
    _, sink = ends(appliance)
    assert fields(appliance, plan(appliance, {"target_id": 999}, sink)) == ["sources.0.target_id"]
    assert fields(appliance, plan(appliance, {"host_id": 999}, sink)) == ["sources.0.host_id"]


@on_sqlite
def test_storage_tests_and_transfers_share_a_profile(appliance: Appliance) -> None:
    source, sink = ends(appliance)
    asked = plan(appliance, source, sink, MATRIX, TEST)
    made = appliance.operator.post("/campaigns", asked | {"target_ids": [sink["target_id"]]})
    assert made.status_code == 201, made.text
    assert [one["kind"] for one in made.json()["runs"]] == ["matrix", "path"]


@on_sqlite
def test_a_criterion_limits_the_rate_of_the_path(appliance: Appliance) -> None:
    source, sink = ends(appliance)
    asked = plan(appliance, source, sink)
    criteria = [{"criterion": "path.rate >= 200 MB/s"}, {"criterion": "leg.read.rate > 1 GB/s"}]
    estimate = appliance.viewer.post("/campaigns/estimate", asked | {"criteria": criteria}).json()
    assert estimate["problems"] == []
    wrong = [{"criterion": "path.rate(streams=3) >= 200 MB/s"}]
    refused = appliance.viewer.post("/campaigns/estimate", asked | {"criteria": wrong}).json()
    assert [one["field"] for one in refused["problems"]] == ["criteria.0.criterion"]


SMALL = TEST | {"small_files": 100_000, "small_file_bytes": 4096}
INODES = 100_000 + 100 + 1
"""With a directory for each thousand, and one above."""


@on_sqlite
@pytest.mark.parametrize(
    ("at_source", "at_sink", "refused"),
    [
        (INODES, INODES, []),
        (INODES, None, []),
        (INODES, INODES - 1, ["/mnt/b needs 100 101 inodes; 100 100 are free"]),
        (50, INODES, ["/mnt/a needs 100 101 inodes; 50 are free"]),
    ],
)
def test_small_files_need_free_inodes_at_both_ends(
    appliance: Appliance, at_source: int, at_sink: int | None, refused: list[str]
) -> None:
    source = appliance.target(appliance.host("one"), "/mnt/a", free_inodes=at_source)
    sink = appliance.target(appliance.host("other"), "/mnt/b", free_inodes=at_sink)
    asked = plan(appliance, {"target_id": source}, {"target_id": sink}, SMALL)
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    assert estimate["fits"] == (not refused)
    assert len(estimate["problems"]) == len(refused)
    for problem, said in zip(estimate["problems"], refused, strict=True):
        assert problem["field"] == "profile.tests.0.small_files"
        assert said in problem["message"]
    assert appliance.viewer.get(f"/targets/{source}").json()["free_inodes"] == at_source


@on_sqlite
def test_pairs_that_share_a_file_system_need_its_inodes_together(appliance: Appliance) -> None:
    source = {"target_id": appliance.target(appliance.host("one"), "/mnt/a")}
    host, own = appliance.host("other"), {"free_inodes": 2 * INODES - 1}
    sinks = [{"target_id": appliance.target(host, path, **own)} for path in ("/mnt/b", "/mnt/c")]
    asked = plan(appliance, source, sinks[0], SMALL) | {"sinks": sinks}
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    assert [one["message"].split(" needs ")[1] for one in estimate["problems"]] == [
        "200 202 inodes; 200 201 are free"
    ] * 2


@on_sqlite
def test_the_files_of_a_tool_need_free_inodes(appliance: Appliance) -> None:
    with writing() as session:
        builtin.install(session)
    source = {"target_id": appliance.target(appliance.host("one"), "/mnt/a")}
    host = appliance.host("other")
    sink = {"target_id": appliance.target(host, "/mnt/b", free_inodes=499)}
    test = {
        "kind": "tool",
        "title": "Tool",
        "tools": ["rsync-ssh"],
        "length": GB,
        "files": [10, 500],
    }
    estimate = appliance.viewer.post(
        "/campaigns/estimate", plan(appliance, source, sink, test)
    ).json()
    (problem,) = estimate["problems"]
    assert problem["field"] == "profile.tests.0.files"
    assert "needs 500 inodes; 499 are free" in problem["message"]


@on_sqlite
def test_partitions_of_one_disk_have_space_of_their_own(appliance: Appliance) -> None:
    source, host = {"target_id": appliance.target(appliance.host("one"))}, appliance.host("other")
    disk = {"disks": [{"name": "sda", "wwid": "naa.5000c500a1b2c3d4"}]}
    parts = [{"uuid": f"uuid-{name}", "source": f"/dev/{name}"} for name in ("sda1", "sda2")]
    sinks = [
        {"target_id": appliance.target(host, f"/mnt/{number}", **disk, **part)}
        for number, part in enumerate(parts)
    ]
    asked = plan(appliance, source, sinks[0], TEST | {"legs": ["write"]}) | {"sinks": sinks}
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    receivers = [one for one in estimate["runs"] if one["role"] == "receiver"]
    free = [one["free_after_bytes"] + one["peak_bytes"] for one in receivers]
    assert free == [900_000_000_000] * 2
    assert "one_device" in [one["code"] for one in estimate["warnings"]]


@on_sqlite
@pytest.mark.parametrize(("uuids", "shares"), [(("u", "u"), 2), (("u", "v"), 1)])
def test_a_file_system_of_two_entries_of_a_machine_has_its_space_once(
    appliance: Appliance, uuids: tuple[str, str], shares: int
) -> None:
    source = {"target_id": appliance.target(appliance.host("one"))}
    disk = {"disks": [{"name": "sda", "wwid": None}]}
    sinks = [
        {"target_id": appliance.target(appliance.host(name, boot_id="b"), uuid=uuid, **disk)}
        for name, uuid in zip(("other", "again"), uuids, strict=True)
    ]
    asked = plan(appliance, source, sinks[0], TEST | {"legs": ["write"]}) | {"sinks": sinks}
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    receivers = [one for one in estimate["runs"] if one["role"] == "receiver"]
    assert [one["free_after_bytes"] for one in receivers] == [900 * GB - shares * GB] * 2


@on_sqlite
def test_many_sources_to_one_sink_are_one_run_of_pairs(appliance: Appliance) -> None:
    source, sink = ends(appliance)
    other = {"target_id": appliance.target(appliance.host("third"), "/mnt/c")}
    asked = plan(appliance, source, sink, TEST) | {"sources": [source, other]}
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    assert (estimate["problems"], estimate["run_count"]) == ([], 1)
    assert [one["role"] for one in estimate["runs"]] == ["sender", "receiver"] * 2
    # the files of both pairs are at the sink at the same time
    before = [one["free_after_bytes"] + one["peak_bytes"] for one in estimate["runs"]]
    assert before[0] - before[1] == before[2] - before[3] == GB
    (run,) = appliance.operator.post("/campaigns", asked).json()["runs"]
    placed = [(one["role"], one["target"]["id"]) for one in run["participants"]]
    assert placed == [
        ("sender", source["target_id"]),
        ("receiver", sink["target_id"]),
        ("sender", other["target_id"]),
        ("receiver", sink["target_id"]),
    ]


@on_sqlite
def test_an_expression_leaves_each_pair_its_part_of_the_space_at_the_sink(
    appliance: Appliance,
) -> None:
    source, sink = ends(appliance)
    other = {"target_id": appliance.target(appliance.host("third"), "/mnt/c")}
    asked = plan(appliance, source, sink, TEST | {"length": "free / 4"})
    (alone, _) = appliance.viewer.post("/campaigns/estimate", asked).json()["runs"]
    both = asked | {"sources": [source, other], "scale_out": True}
    estimate = appliance.viewer.post("/campaigns/estimate", both).json()
    assert estimate["problems"] == []
    # the first pair alone moves as much as in the run with both
    assert {one["file_size"] for one in estimate["runs"]} == {alone["file_size"] // 2}


@on_sqlite
def test_a_sweep_has_a_run_with_each_number_of_senders(appliance: Appliance) -> None:
    source, sink = ends(appliance)
    others = [{"host_id": appliance.host(name)} for name in ("third", "fourth")]
    test = TEST | {"legs": ["memory"]}
    asked = plan(appliance, source, sink, test, test | {"title": "Again"})
    asked |= {"sources": [source, *others], "scale_out": True}
    runs = appliance.operator.post("/campaigns", asked).json()["runs"]
    assert [len(run["participants"]) for run in runs] == [2, 4, 6] * 2
    found = appliance.viewer.get(f"/campaigns/{runs[0]['campaign_id']}/scale-out").json()
    assert [(one["test"], one["title"]) for one in found["curves"]] == [(1, "Path"), (2, "Again")]
    hosts = [[part["host"] for part in run["parts"]] for run in found["curves"][0]["runs"]]
    assert hosts == [["one"], ["one", "third"], ["one", "third", "fourth"]]
    alone = asked | {"sources": [source]}
    assert fields(appliance, alone) == ["scale_out"]
    assert fields(appliance, asked | {"arrangement": "mesh", "sinks": []}) == ["scale_out"]


@on_sqlite
def test_a_mesh_is_a_run_for_each_direction_of_each_pair(appliance: Appliance) -> None:
    hosts = [{"host_id": appliance.host(name)} for name in ("a", "b", "c", "d")]
    asked = plan(appliance, hosts[0], hosts[1], TEST | {"legs": ["memory"]})
    asked |= {"sources": hosts, "sinks": [], "arrangement": "mesh"}
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    assert (estimate["problems"], estimate["run_count"]) == ([], 12)
    made = appliance.operator.post("/campaigns", asked)
    assert made.status_code == 201, made.text
    # two pairs without a common host start at once
    states = [run["state"] for run in made.json()["runs"]]
    assert states == ["preparing"] * 2 + ["queued"] * 10
    found = appliance.viewer.get(f"/campaigns/{made.json()['id']}/mesh").json()
    assert [one["host"] for one in found["places"]] == ["a", "b", "c", "d"]
    (grid,) = found["grids"]
    assert (grid["test"], grid["kind"]) == (1, "path")
    of_run = {run["id"]: run["participants"] for run in made.json()["runs"]}
    for cell in grid["cells"]:
        names = [one["host"]["name"] for one in of_run[cell["run_id"]]]
        assert names == [found["places"][cell[end]]["host"] for end in ("source", "sink")]
        assert (cell["bytes_per_s"], cell["headline"]) == (None, None)
    rows = appliance.viewer.get(f"/campaigns/{made.json()['id']}/mesh.csv").text.splitlines()
    assert len(rows) == 13
    assert rows[0].startswith("test,title,source_host,")


@on_sqlite
def test_no_host_of_a_mesh_is_in_two_runs_at_once(appliance: Appliance) -> None:
    hosts = [{"host_id": appliance.host(f"h{number}")} for number in range(6)]
    asked = plan(appliance, hosts[0], hosts[1], TEST | {"legs": ["memory"]})
    asked |= {"sources": hosts, "sinks": [], "arrangement": "mesh"}
    assert appliance.operator.post("/campaigns", asked).status_code == 201
    rounds: list[int] = []
    with writing() as session:
        while True:
            active = session.scalars(select(Run).where(Run.state == lifecycle.PREPARING)).all()
            if not active:
                break
            rounds.append(len(active))
            busy = session.scalars(
                select(Participant.host_id).where(
                    Participant.run_id.in_([run.id for run in active])
                )
            ).all()
            assert len(set(busy)) == len(busy) == 2 * len(active)
            for run in active:
                lifecycle.enter(run, lifecycle.CANCELLED)
                reservations.release(session, run.id)
            session.flush()
            reservations.dispatch(session)
            session.flush()
        assert not session.scalars(select(Run).where(Run.state != lifecycle.CANCELLED)).all()
    # 30 ordered pairs of 6 hosts in ten rounds of three
    assert rounds == [3] * 10


@on_sqlite
def test_only_a_mesh_has_a_grid(appliance: Appliance) -> None:
    made = appliance.operator.post("/campaigns", plan(appliance, *ends(appliance))).json()
    refused = appliance.viewer.get(f"/campaigns/{made['id']}/mesh")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_mesh")


@on_sqlite
def test_what_a_mesh_cannot_be_is_refused_by_name(appliance: Appliance) -> None:
    source, sink = ends(appliance)
    asked = plan(appliance, source, sink) | {"arrangement": "mesh", "sources": [source, sink]}
    assert fields(appliance, asked | {"sinks": [source]}) == ["sinks"]
    assert fields(appliance, asked | {"sources": [source], "sinks": []}) == ["sources"]
    host = {"host_id": appliance.host("third")}
    beside = {"target_id": appliance.target(host["host_id"], "/mnt/d")}
    twice = asked | {"sources": [source, host, beside], "sinks": []}
    memory = {"overrides": {"legs": ["memory"]}}
    assert fields(appliance, twice | memory) == ["sources.2"]
    storage = {"profile_id": profile(appliance, MATRIX), "target_ids": [sink["target_id"]]}
    none = {"sources": [], "sinks": []}
    assert "arrangement" in fields(appliance, asked | storage | none)


@on_sqlite
def test_addresses_and_ports_have_to_suffice_for_all_pairs(appliance: Appliance) -> None:
    source, sink = ends(appliance)
    other = {"target_id": appliance.target(appliance.host("third"), "/mnt/c")}
    asked = plan(appliance, source, sink) | {"sources": [source, other]}

    def with_(**overrides: Any) -> dict[str, Any]:
        return asked | {"overrides": overrides}

    ports = "overrides.last_port"
    assert fields(appliance, with_(port=5000, last_port=5000)) == [ports]
    assert fields(appliance, with_(source_address="192.0.2.7")) == ["overrides.source_address"]
    fitting = with_(port=5000, last_port=5001, sink_address="192.0.2.7")
    assert appliance.viewer.post("/campaigns/estimate", fitting).json()["problems"] == []
    # each sender listens on a host of its own
    alone = with_(port=5000, last_port=5000, listener="sender")
    assert appliance.viewer.post("/campaigns/estimate", alone).json()["problems"] == []


@on_sqlite
def test_sources_on_one_device_are_measured_with_a_warning(appliance: Appliance) -> None:
    _, sink = ends(appliance)
    host = appliance.host("third")
    nas = {"kind": "network", "type": "nfs4", "source": "nas:/export"}
    sources = [{"target_id": appliance.target(host, path, **nas)} for path in ("/mnt/c", "/mnt/d")]
    asked = plan(appliance, sources[0], sink) | {"sources": sources}
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    (shared,) = [one for one in estimate["warnings"] if one["code"] == "one_device"]
    assert "their rates add up" in shared["message"]


def both_sides(
    appliance: Appliance, **found: Any
) -> tuple[dict[str, Any], list[list[dict[str, int]]]]:
    """Return the estimate of two directories on each of two hosts, and these."""
    sides = [
        [
            {"target_id": appliance.target(host, path, **found)}
            for path in (f"/mnt/{name}/a", f"/mnt/{name}/b")
        ]
        for name in ("one", "other")
        for host in [appliance.host(name, boot_id=f"boot of {name}")]
    ]
    asked = plan(appliance, None, None) | {"sources": sides[0], "sinks": sides[1]}
    return asked, sides


def warned(estimate: dict[str, Any], code: str) -> list[str]:
    return [one["message"] for one in estimate["warnings"] if one["code"] == code]


@on_sqlite
def test_directories_of_a_side_on_one_device_share_it_and_its_space(appliance: Appliance) -> None:
    disks = [{"name": "sda", "wwid": None}, {"name": "sdb", "wwid": None}]
    asked, _ = both_sides(appliance, disks=disks)
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    assert estimate["problems"] == []
    shared = warned(estimate, "one_device")
    # one warning for each side, however many devices both are on
    assert len(shared) == 2
    assert shared[0].startswith(
        "one /mnt/one/a and one /mnt/one/b share the disk sda of one and the disk sdb of one: "
    )
    assert [(one["disk_threads"], one["devices"]) for one in estimate["runs"]] == [
        (2, ["sda", "sdb"])
    ] * 4
    # 900 GB are free, of which 50 GB are reserved: for both together
    fitting = asked | {"overrides": {"length": 420 * GB}}
    assert appliance.viewer.post("/campaigns/estimate", fitting).json()["problems"] == []
    assert set(fields(appliance, asked | {"overrides": {"length": 430 * GB}})) == {
        "overrides.length"
    }


@on_sqlite
def test_directories_of_one_file_system_without_known_devices_share_it(
    appliance: Appliance,
) -> None:
    asked, _ = both_sides(appliance, source="tmpfs", type="tmpfs", uuid=None, mount="/mnt")
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    assert "share one file system (tmpfs)" in warned(estimate, "one_device")[0]
    assert len(warned(estimate, "devices_unknown")) == 4
    assert [(one["disk_threads"], one["devices"]) for one in estimate["runs"]] == [(1, [])] * 4
    half = asked | {"overrides": {"length": "free / 2"}}
    sizes = {
        one["file_size"]
        for one in appliance.viewer.post("/campaigns/estimate", half).json()["runs"]
    }
    assert sizes == {225 * GB}


@on_sqlite
def test_directories_on_devices_of_their_own_share_nothing(appliance: Appliance) -> None:
    host, other = appliance.host("one", boot_id="x"), appliance.host("other", boot_id="y")

    def target(host_id: int, name: str) -> dict[str, int]:
        facts = {"mount": f"/mnt/{name}", "source": f"/dev/{name}", "uuid": name}
        disks = [{"name": name, "wwid": None}]
        return {"target_id": appliance.target(host_id, f"/mnt/{name}", disks=disks, **facts)}

    sources = [target(host, name) for name in ("sda", "sdb")]
    sinks = [target(other, name) for name in ("sda", "sdb")]
    asked = plan(appliance, None, None) | {"sources": sources, "sinks": sinks}
    estimate = appliance.viewer.post("/campaigns/estimate", asked).json()
    assert warned(estimate, "one_device") == []
    assert (estimate["problems"], estimate["run_count"]) == ([], 1)
    scaled = appliance.operator.post("/campaigns", asked | {"scale_out": True})
    assert [len(run["participants"]) for run in scaled.json()["runs"]] == [2, 4]
