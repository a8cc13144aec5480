"""What is hidden in a report, and what is not."""

from typing import Any

import pytest
from assay.history.reports.redaction import HIDDEN, KnownNames, redacted

KNOWN = KnownNames(frozenset({"owl", "kestrel-2", "lab 9", "sn-1234"}))


def content(**texts: Any) -> dict[str, Any]:
    part = {"host": "write", "path": "/mnt/a"}
    run = {
        "participants": [part, {"host": "7", "path": None}],
        "measured_at": [part, {"host": "7", "path": None}],
        "read_back_by": None,
        "conditions": [
            {"of": "array_serial", "label": "Serial", "value": "AX-55, unknown"},
            {"of": "probe", "label": "Probe", "value": "0.1.0 (487718da2f9f)"},
        ],
    }
    hosts = [
        {"host": "write", "address": "box.example.org", "hostname": "write"},
        {"host": "7", "address": None, "hostname": None},
    ]
    made = {"created_by": "mallory"}
    return {"campaign": made, "verdict": None, "runs": [run], "hosts": hosts, **texts}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("connect to 10.0.0.7:22 failed", f"connect to {HIDDEN} failed"),
        ("connect to [fe80::1]:22", f"connect to {HIDDEN}:22"),
        ("/mnt/a is full", "Path 1 is full"),
        ("cannot open /mnt/a/deep/file.bin", "cannot open Path 1"),
        ("see /mnt/abc/x", f"see {HIDDEN}"),
        ("WRITE and read, rewritten", "Host 1 and read, rewritten"),
        ("7 threads reached 1.25 GB/s", "7 threads reached 1.25 GB/s"),
        ("at 12:30:45, 6.12.9-amd64, and/or 3/4", "at 12:30:45, 6.12.9-amd64, and/or 3/4"),
        ("box.example.org does not respond", "Host 1 does not respond"),
        ("db1.corp.example.com", HIDDEN),
        ("rw,addr=x9,username=joe", f"rw,addr={HIDDEN},username={HIDDEN}"),
        ("serial ax-55", f"serial {HIDDEN}"),
        ("owl in a sentence of Assay", "owl in a sentence of Assay"),
    ],
)
def test_a_text_loses_names_and_keeps_figures(text: str, expected: str) -> None:
    assert redacted(content(sentence=text), KNOWN)["sentence"] == expected


def test_texts_of_people_lose_the_names_of_all_hosts_and_parts_of_words() -> None:
    text = "Compare owl, Kestrel-2 and Lab 9; rewrites; SN-1234. Mallory"
    for field in ("notes", "error", "message", "title"):
        found = redacted(content(**{field: text}), KNOWN)[field]
        assert found == f"Compare {HIDDEN}, {HIDDEN} and {HIDDEN}; reHost 1s; {HIDDEN}. {HIDDEN}"


def test_a_host_named_like_a_number_is_hidden_where_a_host_is_named() -> None:
    found = redacted(content(), KNOWN)
    assert [one["host"] for one in found["hosts"]] == ["Host 1", "Host 2"]
    assert [one["host"] for one in found["runs"][0]["participants"]] == ["Host 1", "Host 2"]


def test_versions_codes_and_times_stay_and_people_go() -> None:
    more = {"state": "write", "created_at": "2026-11-21T01:17:00Z", "created_by": "ada"}
    found = redacted(content(campaign=more), KNOWN)
    assert found["campaign"] == more | {"created_by": None}
    assert [one["value"] for one in found["runs"][0]["conditions"]] == [
        HIDDEN,
        "0.1.0 (487718da2f9f)",
    ]
