"""Profiles: built-in, custom, versions, copies, deletion."""

from functools import partial
from typing import Any

import pytest
from assay.api.endpoints import profiles as endpoints
from assay.base.errors import Invalid
from assay.kinds.parameters import declared
from assay.runs.profiles import builtin
from assay.runs.profiles.builtin_storage import Builtin
from assay.runs.profiles.schemas import refuse_unused
from assay.tables.database import writing
from assay.tables.profiles import Profile
from sqlalchemy import func, select
from testing.api import Appliance, at_once, fields, on_both, on_sqlite, problem

TEST: dict[str, Any] = {
    "kind": "matrix",
    "operation": "write",
    "title": "Write",
    "block": [65536, 262144],
    "threads": [1, 4],
    "files": 4,
    "file_size": "2 * ram",
}


def _profile(name: str = "Mine", **changes: Any) -> dict[str, Any]:
    return {"name": name, "body": {"tests": [{**TEST, **changes}]}}


def test_a_launch_form_shows_at_most_eight_common_parameters_of_a_built_in_profile() -> None:
    for one in builtin.BUILTINS:
        for kind in {test.kind for test in one.body.tests}:
            used = {
                name
                for test in one.body.tests
                if test.kind == kind
                for name, parameter in declared(type(test)).items()
                if parameter.common and parameter.is_used(test.model_dump())
            }
            assert 4 <= len(used) <= 8, (one.slug, used)


def test_the_built_in_profiles_match_the_reference(appliance: Appliance) -> None:
    profiles = appliance.viewer.get("/profiles").json()["items"]
    by_name = {profile["name"]: profile for profile in profiles}
    assert list(by_name) == [
        "Calibration",
        "First look",
        "FileCatalyst default write",
        "FileCatalyst default read",
        "10 Gb/s single file",
        "Owl OC-3",
        "Owl OC-12",
        "Owl Gigabit",
        "1 TB buffered against direct",
        "10 Gb/s for an hour",
        "4K DPX 24 fps ingest",
        "Ingest and playout, 4K DPX 24 fps",
        "Burst sweep",
        "Cache recovery",
        "Random 4 KiB, queue depth 1 to 32",
        "SNIA-style sequential write",
        "FDT disk to disk",
        "FDT memory to memory",
        "Mesh",
        "Full duplex",
        "Path with bottleneck",
        "Small files beside large ones",
        "K2HFTFUSE records",
        "Three to one",
        "rsync against Assay",
    ]
    for operation in ("write", "read"):
        (test,) = by_name[f"FileCatalyst default {operation}"]["body"]["tests"]
        assert (test["kind"], test["operation"]) == ("matrix", operation)
        assert [block // 1024 for block in test["block"]] == [64, 128, 256, 512, 1024, 2048, 4096]
        assert test["threads"] == [1, 2, 4, 6, 8]
        assert (test["files"], test["file_size"], test["repeats"]) == (1, 500_000_000, 5)
        assert (test["timeout_ms"], test["open_mode"], test["cache"]) == (60_000, "rw", "page")
    single = by_name["10 Gb/s single file"]["body"]["tests"]
    assert {(test["file_size"], test["cache"]) for test in single} == {
        ("2 * ram", "direct"),
        ("2 * ram", "page"),
    }
    names = list(by_name)
    for name in names[5 : names.index("FDT disk to disk")]:
        assert by_name[name]["body"]["watch_ms"] == 86_400_000
    (owl,) = by_name["Owl OC-12"]["body"]["tests"]
    assert (owl["block"], owl["burst_blocks"], owl["gap_ns"], owl["quantum_ns"]) == (
        [800_000],
        [6],
        50_000_000,
        15_625_000,
    )
    first_look = by_name["First look"]["body"]["tests"]
    assert [test["operation"] for test in first_look] == ["write", "read"]


def test_installing_the_built_in_profiles_twice_changes_nothing(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows() -> int:
        with writing() as session:
            builtin.install(session)
            session.flush()
            return session.scalars(select(func.count()).select_from(Profile)).one()

    before = rows()
    assert rows() == before
    body = next(one.body for one in builtin.BUILTINS if one.slug == "first-look")
    changed = Builtin("first-look", "First look", "New.", body)
    monkeypatch.setattr(builtin, "BUILTINS", (changed,))
    assert rows() == before + 1
    newest = appliance.viewer.get(f"/profiles/{appliance.profile('first-look')}").json()
    assert (newest["version"], newest["description"]) == (2, "New.")


def test_a_profile_is_saved_changed_and_deleted(appliance: Appliance) -> None:
    first = appliance.operator.post("/profiles", _profile()).json()
    assert (first["version"], first["slug"], first["builtin"]) == (1, "mine", False)
    assert first["body"]["tests"][0]["repeats"] == 5
    body = _profile(repeats=1)
    second = appliance.operator.put(f"/profiles/{first['id']}", body).json()
    assert (second["version"], second["slug"]) == (2, "mine")
    assert second["id"] != first["id"]
    kept = appliance.viewer.get(f"/profiles/{first['id']}").json()
    assert kept["body"] == first["body"]
    problem(appliance.operator.put(f"/profiles/{first['id']}", body), 409, "old_version")
    names = [one["name"] for one in appliance.viewer.get("/profiles").json()["items"]]
    assert names.count("Mine") == 1
    assert appliance.operator.delete(f"/profiles/{second['id']}").status_code == 204
    names = [one["name"] for one in appliance.viewer.get("/profiles").json()["items"]]
    assert "Mine" not in names
    plan = {"profile_id": second["id"], "target_ids": [1]}
    refused = problem(appliance.operator.post("/campaigns", plan), 422, "invalid")
    assert fields(refused) == ["profile_id"]
    assert appliance.operator.post("/profiles", _profile()).json()["slug"] == "mine-2"


def test_the_watch_deadline_is_by_default_that_of_the_longest_tests(appliance: Appliance) -> None:
    long = {"kind": "sustained", "title": "Long", "length": 10**9}
    bodies = {"Short": [TEST], "Both": [TEST, long]}
    made = {
        name: appliance.operator.post("/profiles", {"name": name, "body": {"tests": tests}}).json()
        for name, tests in bodies.items()
    }
    assert {name: one["body"]["watch_ms"] for name, one in made.items()} == {
        "Short": 600_000,
        "Both": 86_400_000,
    }
    given = {"tests": [long], "watch_ms": 60_000}
    own = appliance.operator.post("/profiles", {"name": "Own", "body": given}).json()
    assert own["body"]["watch_ms"] == 60_000


@on_both
def test_concurrent_profiles_cannot_take_the_same_name(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    profiles = [appliance.operator.post("/profiles", _profile(name)).json()["id"] for name in "ab"]
    renaming = [
        partial(appliance.operator.put, f"/profiles/{profile_id}", _profile("c"))
        for profile_id in profiles
    ]
    answers = at_once(monkeypatch, endpoints, *renaming)
    kept, refused = sorted(answers, key=lambda answer: answer.status_code)
    assert kept.status_code == 200
    assert fields(problem(refused, 409, "name_taken")) == ["name"]


def test_all_versions_of_a_profile_are_listed_by_its_slug(appliance: Appliance) -> None:
    first = appliance.operator.post("/profiles", _profile("Versioned")).json()
    second = appliance.operator.put(
        f"/profiles/{first['id']}", _profile("Renamed", repeats=1)
    ).json()
    found = appliance.viewer.get("/profiles", slug=first["slug"]).json()["items"]
    assert [(one["id"], one["version"], one["name"]) for one in found] == [
        (first["id"], 1, "Versioned"),
        (second["id"], 2, "Renamed"),
    ]
    assert appliance.viewer.get("/profiles", slug="no-such").json()["items"] == []
    assert fields(problem(appliance.viewer.get("/profiles", slug="\0"), 422, "invalid")) == ["slug"]


def test_a_built_in_profile_can_be_copied_but_not_changed(appliance: Appliance) -> None:
    path = f"/profiles/{appliance.profile('first-look')}"
    problem(appliance.operator.put(path, _profile()), 409, "builtin_profile")
    problem(appliance.operator.delete(path), 409, "builtin_profile")
    copy = appliance.operator.post(f"{path}/copy", {"name": "My look"}).json()
    assert copy["builtin"] is False
    assert copy["body"] == appliance.viewer.get(path).json()["body"]
    problem(appliance.operator.post(f"{path}/copy", {"name": "My look"}), 409, "name_taken")


@pytest.mark.parametrize("name", ["'\" $(id)", "\u6f22\u5b57", "  x  ", "\u00dcber-Matrix"])
def test_unusual_names_are_accepted(appliance: Appliance, name: str) -> None:
    made = appliance.operator.post("/profiles", _profile(name)).json()
    assert made["name"] == name
    assert made["slug"].isascii()


@on_sqlite
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"threads": [0]}, "body.tests.0.threads.0"),
        ({"threads": [257]}, "body.tests.0.threads.0"),
        ({"threads": []}, "body.tests.0.threads"),
        ({"threads": [1, 1]}, "body.tests.0.threads"),
        ({"threads": [True]}, "body.tests.0.threads.0"),
        ({"threads": ["4"]}, "body.tests.0.threads.0"),
        ({"block": [511]}, "body.tests.0.block.0"),
        ({"block": [64 * 2**20 + 1]}, "body.tests.0.block.0"),
        ({"files": 5}, "body.tests.0.files"),
        ({"files": 0}, "body.tests.0.files"),
        ({"file_size": 0}, "body.tests.0.file_size"),
        ({"file_size": 2**63}, "body.tests.0.file_size"),
        ({"file_size": 1.5}, "body.tests.0.file_size"),
        ({"file_size": True}, "body.tests.0.file_size"),
        ({"file_size": "2 * rm"}, "body.tests.0.file_size"),
        ({"sample_ms": 99}, "body.tests.0.sample_ms"),
        ({"sample_ms": 60_001}, "body.tests.0.sample_ms"),
        ({"repeats": 0}, "body.tests.0.repeats"),
        ({"cache": "none"}, "body.tests.0.cache"),
        ({"kind": "transfer"}, "body.tests.0.kind"),
        ({"color": "red"}, "body.tests.0.color"),
        ({"block": list(range(512, 532)), "threads": list(range(1, 22))}, "body.tests.0.block"),
    ],
    ids=str,
)
def test_invalid_values_are_named(appliance: Appliance, change: dict[str, Any], field: str) -> None:
    document = problem(appliance.operator.post("/profiles", _profile(**change)), 422, "invalid")
    assert fields(document) == [field]


@on_sqlite
def test_more_files_than_threads_are_rejected_with_both_figures(appliance: Appliance) -> None:
    document = problem(appliance.operator.post("/profiles", _profile(files=9)), 422, "invalid")
    (error,) = document["errors"]
    assert error["value"] == 9
    assert error["message"] == "files (9) is over the largest thread count (4)"
    assert error["remedy"] == "Use at most 4 files, or more threads."


SUSTAINED: dict[str, Any] = {"kind": "sustained", "title": "Write", "length": "10 min"}
PATH: dict[str, Any] = {"kind": "path", "title": "Path", "legs": ["disk"], "length": 10**9}


@on_sqlite
@pytest.mark.parametrize(
    ("test", "field", "said"),
    [
        (
            {**SUSTAINED, "timeout_ms": 60_000},
            "timeout_ms",
            'is given, but the test does not use it: length is "10 min" '
            "Use its default, 172800000, or set length to data, not a duration.",
        ),
        (
            {**SUSTAINED, "rate_bytes_per_s": [10**9]},
            "rate_bytes_per_s",
            'is given, but the test does not use it: pace is "none" '
            'Use its default, 125000000, or set pace to "rate".',
        ),
        ({**SUSTAINED, "pace": "rate", "gap_ns": 1000}, "gap_ns", 'set pace to "burst"'),
        ({**SUSTAINED, "ring_files": 4}, "ring_files", 'set file_mode to "ring"'),
        ({**SUSTAINED, "seed": 7}, "seed", 'set access to "random"'),
        ({**SUSTAINED, "read_rate_bytes_per_s": 7}, "read_rate_bytes_per_s", "read_pace"),
        ({**PATH, "duration_ms": 5000}, "duration_ms", 'set legs to ones that include "memory"'),
        ({**PATH, "small_file_bytes": 512}, "small_file_bytes", "set small_files to 1 or more"),
    ],
)
def test_a_value_that_its_test_does_not_use_is_refused_with_what_would_use_it(
    appliance: Appliance, test: dict[str, Any], field: str, said: str
) -> None:
    given = {"name": "Unused", "body": {"tests": [TEST, test]}}
    document = problem(appliance.operator.post("/profiles", given), 422, "invalid")
    (error,) = document["errors"]
    assert error["field"] == f"body.tests.1.{field}"
    assert said in f"{error['message']} {error['remedy']}"
    used = {name: value for name, value in test.items() if name != field}
    made = appliance.operator.post("/profiles", {"name": "Used", "body": {"tests": [used]}}).json()
    again = appliance.operator.put(
        f"/profiles/{made['id']}", {"name": "Used", "body": {"tests": [test]}}
    )
    assert fields(problem(again, 422, "invalid")) == [f"body.tests.0.{field}"]
    # a profile that was read and is saved again has all values, the unused ones as default
    body = {"name": "Used", "body": made["body"]}
    assert appliance.operator.put(f"/profiles/{made['id']}", body).status_code == 200


def test_the_tests_of_a_built_in_profile_use_all_that_it_sets() -> None:
    unused: list[str] = []
    for one in builtin.BUILTINS:
        try:
            refuse_unused(one.body.tests)
        except Invalid as error:
            unused.append(f"{one.slug}: {error}")
    assert not unused, "\n".join(unused)


def test_no_two_built_in_profiles_have_the_same_slug() -> None:
    slugs = [one.slug for one in builtin.BUILTINS]
    assert len(slugs) == len(set(slugs))
