"""The search: by name, address, path, serial number, profile, test kind and id."""

import pytest
from assay.tables.arrays import Array
from assay.tables.campaigns import Campaign
from assay.tables.database import writing
from assay.tables.hosts import Host
from assay.tables.labels import ArrayLabel, CampaignLabel, HostLabel, RunLabel, TargetLabel
from assay.tables.runs import Run
from assay.tables.targets import Target
from sqlalchemy import select
from testing.api import Appliance, fields, problem
from testing.seeds import TEST, seed_run

Found = dict[str, list[str]]


@pytest.fixture
def full(appliance: Appliance) -> Appliance:
    """Two hosts, arrays and campaigns of one run each; the second is of another kind."""
    with writing() as session:
        for number in (1, 2):
            run, part, _ = seed_run(session)
            run.title, run.kind = f"Test {number}", ("matrix", "sustained")[number - 1]
            session.get_one(Campaign, run.campaign_id).name = f"Acceptance of rack {number}"
            host = session.get_one(Host, part.host_id)
            host.name, host.address = f"web-{number}", f"10.0.0.{number}"
            array = session.get_one(Array, part.array_id)
            array.name, array.serial = f"vault-{number}", f"AC-2047{number}"
            part.array_name = array.name
            session.get_one(Target, part.target_id).path = f"/mnt/data{number}"
    return appliance


def found(appliance: Appliance, q: str, **query: int) -> Found:
    answer = appliance.viewer.get("/search", q=q, **query)
    assert answer.status_code == 200, answer.text
    groups = answer.json()["groups"]
    return {group["type"]: [hit["name"] for hit in group["hits"]] for group in groups}


@pytest.fixture
def labeled(full: Appliance) -> Appliance:
    """The same with a label and a reference of each object that can have them."""
    tables = ((HostLabel, Host), (TargetLabel, Target), (ArrayLabel, Array))
    with writing() as session:
        for table, of in (*tables, (CampaignLabel, Campaign), (RunLabel, Run)):
            for number, one in enumerate(session.scalars(select(of).order_by(of.id)), start=1):
                name = of.__tablename__
                session.add(table(owner_id=one.id, key="rack", value=f"{name}-b{number}"))
                if not isinstance(one, Run):
                    one.reference = f"CHG-{name}-{number}"
    return full


LISTS = {"hosts": "host", "targets": "target", "arrays": "array", "campaigns": "campaign"}


@pytest.mark.parametrize("of", LISTS)
@pytest.mark.parametrize("text", ["rack={of}-b2", "chg-{of}-2"])
def test_labels_and_references_are_found_by_the_search_and_by_lists(
    labeled: Appliance, of: str, text: str
) -> None:
    q = text.format(of=of)
    hits = found(labeled, q)
    assert list(hits) == [LISTS[of]] + ["run"] * (of == "campaigns")
    assert len(hits[LISTS[of]]) == 1
    (listed,) = labeled.viewer.get(f"/{of}", q=q).json()["items"]
    assert [listed["name"]] == hits[LISTS[of]]
    runs = labeled.viewer.get("/runs", q=q).json()["items"]
    assert [run["title"] for run in runs] == hits.get("run", [])


def test_a_run_is_found_by_a_label_that_it_had_at_the_launch(labeled: Appliance) -> None:
    assert found(labeled, "rack=runs-b1") == {"run": ["Test 1"]}
    (run,) = labeled.viewer.get("/runs", q="rack=runs-b1 test").json()["items"]
    assert run["title"] == "Test 1"
    assert labeled.viewer.get("/runs", q="rack=runs-b1 other").json()["items"] == []


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("WEB-1", {"host": ["web-1"], "target": ["scratch"], "run": ["Test 1"]}),
        ("10.0.0.2", {"host": ["web-2"], "run": ["Test 2"]}),
        ("AC-20471", {"array": ["vault-1"]}),
        ("vault-2", {"array": ["vault-2"], "run": ["Test 2"]}),
        ("/mnt/data2", {"target": ["scratch"], "run": ["Test 2"]}),
        ("rack 2", {"campaign": ["Acceptance of rack 2"], "run": ["Test 2"]}),
        ("web-1 sustained", {}),
        ("web-2 sustained", {"run": ["Test 2"]}),
        ("100%", {}),
        ("_", {}),
        ("", {}),
    ],
)
def test_every_word_must_match_a_part_of_the_object(
    full: Appliance, q: str, expected: Found
) -> None:
    without_profiles = {of: hits for of, hits in found(full, q).items() if of != "profile"}
    assert without_profiles == expected


def test_an_id_is_found_with_and_without_its_sign(full: Appliance) -> None:
    with writing() as session:
        run, _, _ = seed_run(session)
        session.flush()
        session.get_one(Run, run.id).title = "Test 3"
        expected = run.id
    for q in (str(expected), f"#{expected}"):
        groups = full.viewer.get("/search", q=q).json()["groups"]
        (of_runs,) = [group for group in groups if group["type"] == "run"]
        assert of_runs["hits"][0]["id"] == expected


def test_profiles_are_found_in_their_newest_version(full: Appliance) -> None:
    first = full.operator.post("/profiles", _profile("Ingest qualification")).json()["id"]
    second = full.operator.put(f"/profiles/{first}", _profile("Ingest qualification")).json()["id"]
    groups = full.viewer.get("/search", q="ingest qualif").json()["groups"]
    assert [(group["type"], [hit["id"] for hit in group["hits"]]) for group in groups] == [
        ("profile", [second])
    ]


def _profile(name: str) -> dict[str, object]:
    return {"name": name, "body": {"tests": [TEST], "criteria": []}}


def test_names_that_begin_with_the_word_come_first_and_others_are_counted(
    full: Appliance,
) -> None:
    with writing() as session:
        names = [("old-db", "3"), ("db-1", "4"), ("new-db", "5"), ("db-2", "6")]
        for name, end in names:
            session.add(Host(name=name, connection="ssh", address=f"10.1.1.{end}", state="new"))
            session.flush()
    assert found(full, "db") == {"host": ["db-2", "db-1", "new-db", "old-db"]}
    (group,) = full.viewer.get("/search", q="db", limit=3).json()["groups"]
    assert len(group["hits"]) == 3
    assert group["more"] is True


def test_deleted_hosts_and_targets_are_not_found(full: Appliance) -> None:
    with writing() as session:
        host = session.query(Host).filter_by(name="web-1").one()
        host.state = "deleting"
        session.query(Target).filter_by(host_id=host.id).one().retired_at = host.created_at
    hits = found(full, "web-1")
    assert "host" not in hits
    assert "target" not in hits
    assert hits["run"] == ["Test 1"]  # its results are kept


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({}, "q"),
        ({"q": "x" * 201}, "q"),
        ({"q": "a\x00b"}, "q"),
        ({"q": " ".join("abcdefghijk")}, "q"),
        ({"q": "a", "limit": 0}, "limit"),
        ({"q": "a", "kind": "host"}, "kind"),
    ],
)
def test_a_wrong_search_is_rejected(
    appliance: Appliance, query: dict[str, object], field: str
) -> None:
    document = problem(appliance.viewer.get("/search", **query), 422, "invalid")
    assert fields(document) == [field]
