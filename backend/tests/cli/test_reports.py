"""Reports of a campaign for other programs."""

import xml.etree.ElementTree as ET
from typing import Any

from assay.cli import reports
from assay.kinds.result import Report

RUN = {
    "id": 7,
    "title": "Write <1>",
    "state": "done",
    "error": None,
    "started_at": "2026-11-03T09:00:00Z",
    "ended_at": "2026-11-03T09:01:30Z",
    "campaign_id": 3,
    "participants": [
        {"host": {"id": 5, "name": "web|1"}, "target": {"id": 11, "path": "/mnt/a"}},
    ],
}
LOST = RUN | {
    "id": 8,
    "title": "Read",
    "state": "failed",
    "error": {"title": "No", "detail": "Disk full"},
}
TRANSFER = RUN | {
    "id": 9,
    "title": "Transfer",
    "participants": [*RUN["participants"], {"host": {"id": 6, "name": "web-2"}, "target": None}],
}


def row(outcome: str, **more: Any) -> dict[str, Any]:
    return {
        "criterion": "durable.mean >= 1 GB/s",
        "outcome": outcome,
        "measured": 9.5e8,
        "limit": 1e9,
        "dimension": "rate",
        "margin": -0.05,
        "doubts": [],
        "waiver": None,
        **more,
    }


def campaign(*runs: dict[str, Any]) -> dict[str, Any]:
    return {"id": 3, "name": "Vault\x01 & co", "state": "done", "runs": list(runs)}


def verdict(*rows: dict[str, Any]) -> dict[str, Any]:
    return {
        "outcome": "fail",
        "runs": [{"run_id": RUN["id"], "title": RUN["title"], "rows": list(rows)}],
        "unjudged": [],
    }


def test_each_run_and_each_criterion_is_a_test_case() -> None:
    rows = [
        row("pass"),
        row("fail"),
        row("inconclusive", doubts=[{"message": "Ten operations are too few."}]),
        row("waived", waiver={"reason": "Accepted until March"}),
    ]
    whole = ET.fromstring(reports.junit(campaign(RUN, LOST), verdict(*rows)))
    (suite,) = whole
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "6",
        "failures": "1",
        "errors": "2",
        "skipped": "1",
    }
    assert suite.get("name") == "Vault\ufffd & co"
    assert suite.get("time") == "180.000"
    cases = suite.findall("testcase")
    where = "on web|1 /mnt/a"
    assert [case.get("classname") for case in cases[:2]] == [f"Write <1> {where}", f"Read {where}"]
    said = [message for case in cases for child in case if (message := child.get("message"))]
    assert said == [
        "failed: Disk full",
        "measured 0.950 GB/s",
        "inconclusive: Ten operations are too few.",
        "waived: Accepted until March",
    ]


def test_doubts_that_change_no_outcome_are_notes() -> None:
    noted = {"doubts": [{"message": "Others wrote <4 GB>."}]}
    rows = [row(one, judged=one, **noted) for one in ("pass", "fail")]
    said = "Does not change the outcome: Others wrote <4 GB>."
    (suite,) = ET.fromstring(reports.junit(campaign(RUN), verdict(*rows)))
    assert [case.findtext("system-out") for case in suite] == [None, said, said]
    text = reports.markdown(campaign(RUN), verdict(*rows), [])
    said = r"Does not change the outcome: Others wrote \<4 GB\>."
    note = rf"- `durable.mean >= 1 GB/s`, Write \<1\> on web|1 /mnt/a: {said}"
    assert text.splitlines().count(note) == 2


def test_markdown_says_why_an_outcome_is_inconclusive() -> None:
    doubtful = row("inconclusive", judged="inconclusive", doubts=[{"message": "Too few."}])
    text = reports.markdown(campaign(RUN), verdict(doubtful), [])
    assert r"- `durable.mean >= 1 GB/s`, Write \<1\> on web|1 /mnt/a: Too few." in text.splitlines()


def test_names_are_unique_and_the_same_in_the_next_campaign() -> None:
    twice = [row("pass"), row("pass"), row("fail", criterion="durable.mean >= 1 GB/s ")]
    runs = [RUN, RUN | {"id": 10}, LOST, TRANSFER]
    judged = verdict(*twice) | {
        "runs": [{"run_id": run["id"], "title": run["title"], "rows": twice} for run in runs]
    }

    def names(shift: int) -> list[tuple[str | None, str | None]]:
        """Return the names of all test cases if the ids of runs are higher."""
        moved = [run | {"id": run["id"] + shift} for run in runs]
        of_runs = [run | {"run_id": run["run_id"] + shift} for run in judged["runs"]]
        whole = ET.fromstring(reports.junit(campaign(*moved), judged | {"runs": of_runs}))
        return [(case.get("classname"), case.get("name")) for case in whole.iter("testcase")]

    found = names(0)
    assert len(found) == len(set(found)) == 4 * (1 + 3)
    assert found == names(100)
    assert ("Write <1> on web|1 /mnt/a (2)", "the run ended") in found
    assert ("Transfer on web|1 /mnt/a + web-2", "durable.mean >= 1 GB/s (2)") in found


def test_a_test_case_has_ids_and_values_as_properties() -> None:
    whole = ET.fromstring(reports.junit(campaign(RUN, TRANSFER), verdict(row("fail"))))
    ended, transfer, judged = (
        {one.get("name"): one.get("value") for one in case.iter("property")}
        for case in whole.iter("testcase")
    )
    assert ended == {"campaign_id": "3", "run_id": "7", "host_ids": "5", "target_ids": "11"}
    assert (transfer["host_ids"], transfer["target_ids"]) == ("5 6", "11")
    assert judged == ended | {
        "outcome": "fail",
        "dimension": "rate",
        "measured": "950000000.0",
        "limit": "1000000000.0",
        "margin": "-0.05",
    }


def test_without_criteria_only_runs_are_test_cases() -> None:
    (suite,) = ET.fromstring(reports.junit(campaign(RUN), None))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "0")


def test_markdown_has_the_verdict_and_a_table_for_each_run() -> None:
    report = Report("durable rate", ("threads", "a|b"), [("1", "2|3")], ["Use *one* thread."])
    text = reports.markdown(campaign(RUN), verdict(row("fail")), [(RUN, report)])
    assert text.splitlines() == [
        "# Vault\x01 & co, campaign 3: fail",
        "",
        "| outcome | criterion | run | measured | margin |",
        "| --- | --- | --- | --- | --- |",
        r"| fail | `durable.mean >= 1 GB/s` | Write \<1\> on web\|1 /mnt/a "
        "| 0.950 GB/s | −5.00 % |",
        "",
        r"## Write \<1\> on web|1 /mnt/a: durable rate",
        "",
        r"| threads | a\|b |",
        "| --- | --- |",
        r"| 1 | 2\|3 |",
        "",
        r"- Use \*one\* thread.",
    ]
