"""The report of a campaign."""

import re
from html.parser import HTMLParser

import pytest
from assay.base.worded import plain
from assay.runs.stored_results import result
from assay.tables.campaigns import Campaign
from assay.tables.database import reading, writing
from assay.tables.runs import Run
from sqlalchemy import select, update
from testing.api import Appliance, problem
from testing.identifiers import SENTINELS, Named, seed_named

MISSING = {"/mnt/secretpool/projects/falcon", "52:54:00:ab:cd:ef"}


class Page(HTMLParser):
    """The texts of a page, and the addresses that it names."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.addresses: list[str] = []
        self.tags: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.texts)


@pytest.fixture
def named(appliance: Appliance) -> Named:
    return seed_named()


def _report(appliance: Appliance, campaign_id: int, **query: str) -> str:
    answer = appliance.viewer.get(f"/campaigns/{campaign_id}/report.html", **query)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    return answer.text


def test_a_report_has_the_figures_of_the_pages(appliance: Appliance, named: Named) -> None:
    page = Page(_report(appliance, named.campaign_id))
    api = appliance.viewer.get(f"/runs/{named.run_id}/result").json()
    for cell in api["cells"]:
        assert f"{cell['durable']['mean'] / 1e6:.0f}" in page.text
    for warning in api["warnings"]:
        assert plain(warning["message"]) in page.text
    for flag in (
        flag for cell in api["cells"] for trial in cell["trials"] for flag in trial["flags"]
    ):
        assert plain(flag["evidence"]) in page.text
    verdict = appliance.viewer.get(f"/campaigns/{named.campaign_id}/verdict").json()
    (row,) = verdict["runs"][0]["rows"]
    assert row["criterion"] in page.text
    assert row["outcome"] in page.text
    run = appliance.viewer.get(f"/runs/{named.run_id}").json()
    for said in (
        run["error"]["detail"],
        run["notices"][-1]["message"],
        run["conditions"]["kernel"],
    ):
        assert said in page.text
    for word in ("Acme P5", "Debian GNU/Linux 13", "64.0 GB", "10 Gb/s", api["edition"], "0.1.0"):
        assert word in page.text
    for sentinel in set(SENTINELS.values()) - MISSING - {SENTINELS["UUID"]}:
        assert sentinel in page.text
    assert "<strong>Notes</strong>" in _report(appliance, named.campaign_id)


def test_a_report_loads_nothing_and_runs_nothing(appliance: Appliance, named: Named) -> None:
    page = Page(_report(appliance, named.campaign_id))
    assert not page.tags & {"script", "img", "iframe", "object", "embed", "audio", "video"}
    assert {"svg", "table"} <= page.tags
    assert {one for one in page.addresses if not one.startswith("#")} == {"data:,"}


def test_html_in_names_and_notes_is_text(appliance: Appliance, named: Named) -> None:
    evil = "<script>alert(1)</script>"
    path = f"/campaigns/{named.campaign_id}"
    assert appliance.operator.patch(path, {"name": evil}).status_code == 200
    text = f"{evil} ![x](https://example.com/a.png) [y](javascript:alert(2))"
    assert appliance.operator.put(f"{path}/notes", {"text": text}).status_code == 200
    html = _report(appliance, named.campaign_id)
    assert evil not in html
    page = Page(html)
    assert page.text.count("alert(1)") >= 3
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert not [one for one in page.addresses if one.startswith("javascript:")]


def test_hidden_identifiers_are_nowhere_in_the_report(appliance: Appliance, named: Named) -> None:
    html = _report(appliance, named.campaign_id, hide_identifiers="true")
    found = {what for what, sentinel in SENTINELS.items() if sentinel.lower() in html.lower()}
    assert found == set()
    for part in ("secretpool", "hiddenvol", "QX99812", "falcon", "kestrel", "198.51", "2001:db8"):
        assert part.lower() not in html.lower()
    page = Page(html)
    for word in ("Host 1", "Path 1", "Acme P5", "Debian GNU/Linux 13", "6.12", "0.1.0"):
        assert word in page.text


def test_an_old_name_of_a_renamed_host_is_hidden_as_well(
    appliance: Appliance, named: Named
) -> None:
    run = appliance.viewer.get(f"/runs/{named.run_id}").json()
    host_id = run["participants"][0]["host"]["id"]
    assert appliance.operator.patch(f"/hosts/{host_id}", {"name": "new-name"}).status_code == 200
    with reading() as session:
        stored = result(session, session.get_one(Run, named.run_id))
    assert stored.participants[0].host == SENTINELS["host"]
    html = _report(appliance, named.campaign_id, hide_identifiers="true")
    assert "new-name" not in html
    assert SENTINELS["host"] not in html


def test_a_campaign_without_criteria_or_trials_has_a_report(
    appliance: Appliance, named: Named
) -> None:
    with writing() as session:
        session.execute(update(Campaign).values(criteria=[]))
    assert "without acceptance criteria" in _report(appliance, named.campaign_id)


def test_a_deleted_campaign_has_no_report(appliance: Appliance, named: Named) -> None:
    path = f"/campaigns/{named.campaign_id}"
    assert appliance.operator.delete(path).status_code == 200
    problem(appliance.viewer.get(f"{path}/report.html"), 404, "not_found")
    problem(appliance.viewer.get("/campaigns/9999/report.html"), 404, "not_found")


def test_a_report_of_fifty_runs_stays_under_four_megabytes(
    appliance: Appliance, named: Named
) -> None:
    one = len(_report(appliance, named.campaign_id).encode())
    with reading() as session:
        assert session.scalar(select(Run.id)) == named.run_id
    assert 50 * one < 4_000_000
    assert re.search(r"<svg[^>]*viewBox", _report(appliance, named.campaign_id))
