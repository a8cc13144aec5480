"""Metrics, as Prometheus scrapes them."""

import json
import re
import urllib.request
from collections.abc import Iterator

import pytest
from assay.api.app import app
from assay.api.endpoints.monitoring import on_own_port
from assay.base.settings import REPOSITORY, settings
from assay.runs.verdicts.examples import CRITERION
from assay.runs.verdicts.stored import store_ended
from assay.tables import database
from assay.tables.campaigns import Campaign
from assay.tables.database import writing
from assay.tables.hosts import Host
from assay.tables.runs import WorkerSeen
from prometheus_client.parser import text_string_to_metric_families
from testing.api import Appliance, on_both, problem
from testing.seeds import seed_ended_run
from testing.sshd import free_port

DASHBOARD = json.loads((REPOSITORY / "docs/monitoring/grafana-dashboard.json").read_text())
Values = dict[tuple[str, ...], float]


def values(text: str) -> Values:
    """Return the values by name and labels, these as name=value in the order of their names."""
    return {
        (sample.name, *(f"{name}={value}" for name, value in sorted(sample.labels.items()))): (
            sample.value
        )
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scraped(appliance: Appliance) -> Values:
    token = appliance.viewer.token
    answer = appliance.http.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return values(answer.text)


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    chosen = free_port()
    monkeypatch.setenv("ASSAY_METRICS_PORT", str(chosen))
    settings.cache_clear()
    yield chosen
    settings.cache_clear()


@on_both
def test_hosts_workers_and_parts_are_counted(appliance: Appliance) -> None:
    with writing() as session:
        session.add_all([Host(name="a", connection="local"), Host(name="b", connection="local")])
        session.add(WorkerSeen(name="worker@a", capacity=300))
    found = scraped(appliance)
    assert found["assay_hosts", "state=new"] == 2
    assert found["assay_workers",] == 1
    assert found["assay_worker_capacity_runs", "worker=worker@a"] == 300
    assert (found["assay_database_up",], found["assay_queue_up",]) == (1, 1)
    assert found["assay_campaigns_judged", "verdict=fail"] == 0
    assert found["assay_queued_seconds",] == 0
    assert found["process_start_time_seconds",] > 0


@on_both
def test_queued_runs_are_counted_with_the_longest_wait(appliance: Appliance) -> None:
    target_id = appliance.target(appliance.host())
    body = {"profile_id": appliance.profile(), "target_ids": [target_id]}
    launched = appliance.operator.post("/campaigns", body)
    assert launched.status_code == 201, launched.text
    found = scraped(appliance)
    assert found["assay_runs", "kind=matrix", "state=queued"] == 1
    assert 0 <= found["assay_queued_seconds",] < 60


@on_both
def test_a_deleted_campaign_is_not_counted(appliance: Appliance) -> None:
    with writing() as session:
        run = seed_ended_run(session)
        campaign = session.get_one(Campaign, run.campaign_id)
        campaign.criteria = [CRITERION]
    store_ended(run.id)
    before = scraped(appliance)
    assert before["assay_runs", "kind=matrix", "state=done"] == 1
    assert before["assay_campaigns_judged", "verdict=fail"] == 1
    assert appliance.operator.delete(f"/campaigns/{campaign.id}").status_code == 200
    found = scraped(appliance)
    assert ("assay_runs", "kind=matrix", "state=done") not in found
    assert found["assay_campaigns_judged", "verdict=fail"] == 0


def test_without_a_database_the_scrape_says_so(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    with on_own_port(app.state.metrics):
        database.engine().dispose()
        database.engine.cache_clear()
        monkeypatch.setenv("ASSAY_DATABASE_URL", "sqlite:////nowhere/assay.db")
        settings.cache_clear()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            found = values(answer.read().decode())
    assert found["assay_database_up",] == 0
    assert not [name for name in found if name[0] == "assay_hosts"]


def test_they_need_a_login(appliance: Appliance) -> None:
    problem(appliance.http.get("/metrics"), 401, "not_logged_in")


def test_a_port_of_their_own_needs_none(appliance: Appliance, port: int) -> None:
    where = f"http://127.0.0.1:{port}/metrics"
    with on_own_port(app.state.metrics), urllib.request.urlopen(where) as answer:
        assert values(answer.read().decode())["assay_database_up",] == 1
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(where)


def test_a_taken_port_is_named_with_its_setting(appliance: Appliance, port: int) -> None:
    with (
        on_own_port(app.state.metrics),
        pytest.raises(RuntimeError, match=rf"ASSAY_METRICS_PORT: .*127\.0\.0\.1:{port}"),
        on_own_port(app.state.metrics),
    ):
        pass


def test_response_times_are_counted_by_endpoint(appliance: Appliance) -> None:
    host_id = appliance.host()
    of_host = {"method": "GET", "route": "/hosts/{host_id}"}
    counted = "assay_http_response_seconds_count"
    before = scraped(appliance)
    appliance.viewer.get(f"/hosts/{host_id}")
    appliance.viewer.get("/hosts/999999")
    appliance.http.get("/nowhere")
    after = scraped(appliance)

    def more(status: int, **labels: str) -> float:
        key = (
            counted,
            *(f"{n}={v}" for n, v in sorted((labels | {"status": str(status)}).items())),
        )
        return after.get(key, 0) - before.get(key, 0)

    assert (more(200, **of_host), more(404, **of_host)) == (1, 1)
    assert more(404, method="GET", route="other") == 1
    # a path that exists nowhere makes no label of its own
    assert not [key for key in after if "nowhere" in str(key)]


def test_each_panel_of_the_dashboard_shows_a_metric_that_exists(appliance: Appliance) -> None:
    with writing() as session:
        session.add(WorkerSeen(name="worker@a", capacity=300))
    appliance.host()
    appliance.viewer.get("/hosts")
    names = set(re.findall(r"^# TYPE (\S+) ", _text(appliance), re.M))
    labels = {label.partition("=")[0] for key in scraped(appliance) for label in key[1:]}
    labels |= {"kind", "state", "worker"}  # of metrics without a value here
    for panel in DASHBOARD["panels"]:
        assert panel["datasource"]["uid"] == "${source}"
        for target in panel["targets"]:
            used = set(re.findall(r"\bassay_\w+", target["expr"]))
            known = {re.sub(r"_(bucket|count|sum)$", "", name) for name in used}
            assert known and known <= names, (panel["title"], known - names)
            chosen = re.findall(r"(\w+)\s*(?:=~|!=|=)\s*\"", target["expr"])
            chosen += re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])
            assert set(chosen) <= labels, (panel["title"], chosen)


def test_the_dashboards_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def _text(appliance: Appliance) -> str:
    token = appliance.viewer.token
    return appliance.http.get("/metrics", headers={"Authorization": f"Bearer {token}"}).text
