"""The export, and its round trip through an application."""

from typing import Any

import hypothesis
from assay.api.declarations.yaml_text import read, write
from assay.tables.credentials import Credential
from assay.tables.database import writing
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from testing.api import FOUND, Appliance

from .applying import KEY, LAB, PROFILE, actions, applied, apply, checking, fingerprint, names

LINES = st.text(st.characters(exclude_categories=["Cs"]).filter(str.isprintable), max_size=12)
NAMES = LINES.filter(str.strip)
TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t"), max_size=12
)
LABELS = st.dictionaries(
    st.sampled_from(["site", "rack", "a/b", "no", "7"]),
    st.sampled_from(["fra", "b7", "no", "1", "true", "a: b", "# x", "é"]),
    max_size=3,
)
REFERENCES = st.sampled_from(["CHG-1", "1", "null", "~", "a b"])


def entries(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return entries that have some of the fields."""
    return st.fixed_dictionaries({}, optional=fields)


def named(
    entry: st.SearchStrategy[dict[str, Any]], **fields: st.SearchStrategy[Any]
) -> st.SearchStrategy[list[dict[str, Any]]]:
    both = st.builds(lambda own, more: {**own, **more}, st.fixed_dictionaries(fields), entry)
    return st.lists(both, max_size=3, unique_by=lambda one: one[next(iter(fields))])


ARRAYS = named(
    entries(
        vendor=LINES,
        model=LINES,
        cache_bytes=st.integers(0, 2**63 - 1),
        shared=st.booleans(),
        labels=LABELS,
        reference=REFERENCES,
    ),
    name=NAMES,
)
TARGETS = named(
    entries(name=NAMES, reserve_bytes=st.integers(0, 2**63 - 1), labels=LABELS),
    path=st.sampled_from(["/mnt/a", "/mnt/b", "/mnt/ü 'x'", "/mnt/- y: z\n"]),
)
HOSTS = named(
    entries(labels=LABELS, reference=REFERENCES, targets=TARGETS),
    name=NAMES,
    connection=st.just("local"),
)
PROFILES = named(
    entries(
        description=TEXTS,
        criteria=st.just([{"criterion": "durable.mean >= 1 GB/s", "stop": True}]),
        watch_ms=st.just(60_000),
    ),
    name=NAMES,
    tests=st.just(
        [
            {
                "kind": "matrix",
                "title": "W",
                "operation": "write",
                "block": [4096],
                "threads": [1],
                "file_size": "1 MB",
            }
        ]
    ),
)
FILES = st.fixed_dictionaries(
    {"name": st.just("lab"), "arrays": ARRAYS, "hosts": HOSTS, "profiles": PROFILES}
)


def exported(appliance: Appliance, **query: str) -> str:
    answer = appliance.operator.get("/export", **query)
    assert answer.status_code == 200, answer.text
    return answer.json()["text"]


@hypothesis.settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(file=FILES)
def test_an_export_changes_nothing_here_and_recreates_everything_elsewhere(
    appliance: Appliance, file: dict[str, Any]
) -> None:
    with appliance.answering({**FOUND, "kind": "local"}, state="ready"):
        assert applied(appliance, write(file))["complete"]
        text = exported(appliance, file="lab")
        assert {one[0] for one in actions(applied(appliance, text))} <= {"unchanged"}
        pruned = applied(appliance, "name: lab", prune=True)
        assert {one[0] for one in actions(pruned)} <= {"remove"}
        assert read(exported(appliance)).value == {"name": "export"}, "all was removed"
        assert {one[0] for one in actions(applied(appliance, text))} <= {"create"}
        assert exported(appliance, file="lab") == text
        applied(appliance, "name: lab", prune=True)


def test_an_export_of_everything_changes_nothing(appliance: Appliance) -> None:
    with appliance.answering(FOUND, state="ready"):
        applied(appliance, LAB)
    appliance.operator.post("/arrays", {"name": "by hand", "labels": {"a": "no"}})
    plan = applied(appliance, exported(appliance))
    assert {action for action, _, _ in actions(plan)} == {"unchanged"}
    assert len(plan["changes"]) == 5


def test_an_export_names_credentials_and_keys_but_no_secret(appliance: Appliance) -> None:
    appliance.credential("lab key")
    text = f"""\
name: lab
hosts:
  - {{name: web-1, address: h, user: u, credential: lab key, host_key: '{fingerprint(KEY)}'}}
"""
    with checking(appliance, KEY):
        applied(appliance, text)
    answer = appliance.operator.get("/export").json()
    assert answer["credentials"] == ["lab key"]
    assert "# - 'lab key'\n" in answer["text"]
    (host,) = read(answer["text"]).value["hosts"]
    assert host == {
        "name": "web-1",
        "address": "h",
        "user": "u",
        "credential": "lab key",
        "host_key": fingerprint(KEY),
    }
    assert "PRIVATE" not in answer["text"]


def test_an_export_of_a_file_has_what_its_targets_need(appliance: Appliance) -> None:
    appliance.host("by hand", connection="local")
    appliance.operator.post("/arrays", {"name": "shelf"})
    appliance.operator.post("/arrays", {"name": "unrelated"})
    text = """\
name: lab
hosts:
  - {name: by hand, connection: local, targets: [{path: /mnt/a, array: shelf}]}
"""
    with appliance.answering(FOUND):
        applied(appliance, text)
    file = read(exported(appliance, file="lab")).value
    assert [one["name"] for one in file["arrays"]] == ["shelf"]
    assert [one["path"] for one in file["hosts"][0]["targets"]] == ["/mnt/a"]
    plan = applied(appliance, write(file), prune=True)
    assert {action for action, _, _ in actions(plan)} == {"unchanged"}


def test_built_in_profiles_are_not_exported(appliance: Appliance) -> None:
    applied(appliance, f"name: lab\n{PROFILE}")
    assert [one["name"] for one in read(exported(appliance)).value["profiles"]] == ["Nightly"]


def test_a_name_with_a_line_break_cannot_leave_a_comment(appliance: Appliance) -> None:
    with writing() as session:  # the API refuses such a name
        session.get_one(Credential, appliance.credential()).name = "key\nname: evil"
    text = 'name: lab\nhosts: [{name: a, address: h, user: u, credential: "key\\nname: evil"}]'
    assert apply(appliance.admin, text, wait=0).status_code == 200
    assert read(exported(appliance, name="mine")).value["name"] == "mine"
    assert names(appliance, "hosts") == ["a"]
