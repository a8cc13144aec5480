"""Exports of runs: rows, columns, formats, filters, and that the values are those of the result."""

import csv
import io
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow.parquet as pq
import pytest
from assay.history.exports import layout, rows
from assay.history.exports.layout import ExportLayout
from assay.history.exports.runs import layout_of
from assay.kinds.registry import KINDS
from assay.runs.recording.ingest import ingest
from assay.runs.verdicts.stored import store_ended
from assay.tables.campaigns import Campaign
from assay.tables.database import now, reading, writing
from assay.tables.labels import CampaignLabel, RunLabel
from assay.tables.runs import Run
from fastapi.testclient import TestClient
from sqlalchemy import Engine, select
from testing.furnished import OPERATIONS
from testing.seeds import seed_run
from testing.spools import SECOND, Spool

KIB = 1024


def store_run(
    name: str = "Campaign",
    labels: Sequence[tuple[type[Any], str, str]] = (),
    *,
    ended: bool = True,
    durable_ns: int = 2 * SECOND,
) -> int:
    """Store a run of two cells with two repeats, of two samples each; return its id."""
    with writing() as session:
        run, participant, trials = seed_run(session, (64 * KIB, 256 * KIB), repeats=2)
        campaign = session.get_one(Campaign, run.campaign_id)
        campaign.name, campaign.reference = name, "CHG-3310"
        for table, key, value in labels:
            owner = campaign.id if table is CampaignLabel else run.id
            session.add(table(owner_id=owner, key=key, value=value))
        spool = Spool().hello()
        for trial in trials:
            spool.trial(trial.position)
            for end in (1, 2):
                spool.sample(
                    trial.position,
                    end_ns=end * SECOND // 2,
                    dt_ns=SECOND // 2,
                    bytes=5 * 10**6 - trial.repeat,
                    ops=5,
                    lat_max_ns=9000,
                )
            spool.result(
                trial.position,
                bytes=10**7 - 2 * trial.repeat,
                app_ns=SECOND + 7 * trial.repeat,
                durable_ns=durable_ns + 3 * trial.repeat,
            )
        if ended:
            spool.end()
        ingest(session, participant.id, 1, 0, spool.data)
        if ended:
            run.state, run.started_at, run.ended_at = "done", now(), now()
        run_id = run.id
    if ended:
        store_ended(run_id)
    return run_id


def exported(api: TestClient, path: str = "/runs/export", **query: Any) -> list[dict[str, str]]:
    answer = api.get(path, params=query)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


def parquet(api: TestClient, path: str = "/runs/export", **query: Any) -> list[dict[str, Any]]:
    answer = api.get(path, params={**query, "format": "parquet"})
    assert answer.status_code == 200, answer.text
    return pq.read_table(io.BytesIO(answer.content)).to_pylist()


@pytest.mark.usefixtures("database")
def test_a_row_per_trial_has_the_figures_of_the_result(api: TestClient) -> None:
    run_id = store_run("vault", [(RunLabel, "rack", "b7"), (CampaignLabel, "site", "fra")])
    rows = exported(api)
    result = api.get(f"/runs/{run_id}/result").json()
    figures = {trial["id"]: (cell, trial) for cell in result["cells"] for trial in cell["trials"]}
    assert [int(row["trial_id"]) for row in rows] == sorted(figures)
    for row in rows:
        cell, trial = figures[int(row["trial_id"])]
        assert row["status"] == trial["status"] == "complete"
        assert float(row["durable_bytes_per_s"]) == trial["durable_bytes_per_s"]
        assert float(row["application_bytes_per_s"]) == trial["application_bytes_per_s"]
        assert int(row["lat_max_ns"]) == trial["lat_max_ns"]
        assert int(row["block_bytes"]) == cell["block"]
        assert int(row["cell_latency_p99_ns"]) == cell["latency"]["p99_ns"]
        assert row["bounded"] == "false"
        assert (row["host"], row["target"], row["array"]) == ("host-1", "/mnt/a", "array-1")
        assert (row["campaign"], row["profile"], row["reference"]) == (
            "vault",
            "profile-1",
            "CHG-3310",
        )
        assert (row["label_rack"], row["label_site"]) == ("b7", "fra")
        assert row["run_ended_at"].endswith("Z")
        assert datetime.fromisoformat(row["run_ended_at"]).tzinfo == UTC


@pytest.mark.usefixtures("database")
def test_a_row_per_sample_has_the_readings_as_recorded(api: TestClient) -> None:
    run_id = store_run()
    rows = exported(api, rows="samples", campaign_id=1)
    assert len(rows) == 8
    trials = api.get(f"/runs/{run_id}/trials").json()["items"]
    for trial in trials:
        own = [row for row in rows if int(row["trial_id"]) == trial["id"]]
        shown = api.get(f"/trials/{trial['id']}/samples").json()["columns"]
        assert [int(row["t_ns"]) for row in own] == shown["t_ns"]
        assert [int(row["dt_ns"]) for row in own] == shown["dt_ns"]
        assert [float(row["bytes_per_s"]) for row in own] == pytest.approx(
            shown["rate_mean_bytes_per_s"], rel=1e-3
        )
        assert {int(row["bytes"]) for row in own} == {5 * 10**6 - trial["repeat"]}
        assert {(row["phase"], row["deciding"], row["attempt_status"]) for row in own} == {
            ("write", "true", "complete")
        }


@pytest.mark.usefixtures("database")
def test_samples_of_a_running_attempt_are_exported_too(api: TestClient) -> None:
    store_run(ended=False)
    size = api.get("/runs/export/size").json()
    assert size == {"runs": 1, "trials": 4, "samples": 8, "formats": ["csv", "parquet"]}
    assert len(exported(api, rows="samples")) == 8


@pytest.mark.usefixtures("database")
def test_parquet_has_the_values_of_the_csv_with_their_types(api: TestClient) -> None:
    store_run("=1+1", [(RunLabel, "rack", "b7")])
    for kind_of_row in ("trials", "samples"):
        lines = exported(api, rows=kind_of_row)
        typed = parquet(api, rows=kind_of_row)
        assert [list(row) for row in lines] == [list(row) for row in typed]
        assert len(lines) == len(typed) > 0
        for line, row in zip(lines, typed, strict=True):
            assert row["campaign"] == "=1+1"
            assert isinstance(row["launched_at"], datetime)
            assert row["launched_at"].utcoffset() is not None
            for name, value in row.items():
                match value:
                    case None:
                        assert line[name] == "", name
                    case bool():
                        assert line[name] == str(value).lower(), name
                    case int() | float():
                        assert float(line[name]) == value, name
                    case datetime():
                        assert datetime.fromisoformat(line[name]) == value, name
                    case _:
                        assert line[name].removeprefix("'") == value, name


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "+1", "-2", "@SUM(1)"])
def test_no_cell_of_a_csv_is_a_formula(api: TestClient, name: str) -> None:
    store_run(name, [(CampaignLabel, "note", name)])
    rows = exported(api)
    assert {(row["campaign"], row["label_note"]) for row in rows} == {(f"'{name}", f"'{name}")}


@pytest.mark.usefixtures("database")
def test_the_filters_of_the_list_select_the_runs(api: TestClient) -> None:
    first = store_run("one", [(RunLabel, "rack", "b7")])
    second = store_run("two")
    third = store_run("three")
    assert {int(row["run_id"]) for row in exported(api)} == {first, second, third}
    assert {int(row["run_id"]) for row in exported(api, label="rack=b7")} == {first}
    assert {int(row["run_id"]) for row in exported(api, array_id=2)} == {second}
    assert {int(row["run_id"]) for row in exported(api, q="three")} == {third}
    assert exported(api, state="failed") == []
    assert api.get("/runs/export/size", params={"label": "rack"}).json()["trials"] == 4


def test_exports_take_every_filter_of_the_list() -> None:
    def names(path: str) -> set[str]:
        return {one["name"] for one in OPERATIONS[f"GET {path}"]["parameters"]}

    of_lists = {"sort", "cursor", "limit", "fields"}
    assert names("/runs/export") == names("/runs") - of_lists | {"rows", "format"}
    assert names("/runs/export/size") == names("/runs") - of_lists


@pytest.mark.usefixtures("database")
def test_runs_of_deleted_campaigns_are_not_exported(api: TestClient) -> None:
    store_run()
    with writing() as session:
        session.get_one(Campaign, 1).deleted_at = now()
    assert exported(api) == []
    assert api.get("/runs/export/size").json()["runs"] == 0


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"rows": "cells"}, "rows"),
        ({"format": "xlsx"}, "format"),
        ({"block": "1"}, "block"),
        ({"label": "=x"}, "label"),
        ({"from": "yesterday"}, "from"),
    ],
)
def test_a_bad_parameter_is_named(api: TestClient, query: dict[str, str], field: str) -> None:
    answer = api.get("/runs/export", params=query)
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["field"] == field and error["remedy"]


@pytest.mark.usefixtures("database")
def test_more_labels_than_columns_are_refused(
    api: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.history.exports.runs.MOST_LABELS", 2)
    store_run(labels=[(RunLabel, key, "x") for key in ("a", "b", "c")])
    answer = api.get("/runs/export")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "label"
    assert exported(api, state="failed") == []


@pytest.mark.usefixtures("database")
def test_without_pyarrow_parquet_is_refused_with_the_remedy(
    api: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_run()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert api.get("/runs/export/size").json()["formats"] == ["csv"]
    assert len(exported(api)) == 4
    answer = api.get("/runs/export", params={"format": "parquet"})
    assert (answer.status_code, answer.json()["code"]) == (501, "no_parquet")
    assert "assay[parquet]" in answer.json()["remedy"]


def test_a_slow_download_holds_no_session(
    database: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.history.exports.runs.AT_ONCE", 1)
    monkeypatch.setattr("assay.history.exports.rows.BLOCKS_AT_ONCE", 1)
    ids = [store_run(), store_run()]
    chosen = select(Run)
    with reading() as session:
        columns = layout_of(session, chosen, None)
    for of in (rows.trials, rows.samples):
        seen: set[int] = set()
        for batch in of(reading, chosen, ids[-1], columns):
            assert database.pool.checkedout() == 0  # type: ignore[attr-defined]
            seen |= {row[5] for row in batch}
        assert seen == set(ids)


def test_columns_depend_on_the_kinds_alone(api: TestClient, database: Engine) -> None:
    matrix = [column.name for column in ExportLayout(["matrix"], []).trials()]
    asked = api.get("/runs/export", params={"kind": "matrix"}).text
    assert asked == ",".join(matrix) + "\r\n"
    store_run()
    names = list(exported(api)[0])
    assert names == matrix
    both = list(exported(api, kind=["matrix", "sustained"])[0])
    assert set(both) == {
        column.name for column in ExportLayout(["matrix", "sustained"], []).trials()
    }
    assert both[: len(layout.OF_RUN)] == names[: len(layout.OF_RUN)]


def test_columns_have_one_name_and_one_type() -> None:
    types: dict[str, str] = {}
    for name, kind in KINDS.items():
        own = ExportLayout([name], [])
        shown = kind.csv_columns(kind.result.model_validate(kind.examples.result))
        for columns in (own.trials(), own.samples(), shown):
            names = [column.name for column in columns]
            assert len(set(names)) == len(names), name
            for column in columns:
                assert types.setdefault(column.name, column.type) == column.type, column.name


@pytest.mark.usefixtures("database")
def test_a_comparison_is_exported_as_it_is_shown(api: TestClient) -> None:
    a, b = store_run(durable_ns=2 * SECOND), store_run(durable_ns=3 * SECOND)
    found = api.get("/compare", params={"runs": f"{a},{b}"}).json()
    rows = exported(api, "/compare/export", runs=f"{a},{b}")
    shown = found["outcome"]["ratio"]["cells"]
    leading = [row for row in rows if row["figure"] == "durable_bytes_per_s"]
    assert [float(row["ratio"]) for row in leading] == [cell["durable"] for cell in shown]
    assert {(int(row["base_run_id"]), int(row["run_id"])) for row in rows} == {(a, b)}
    assert {row["ratio_of"] for row in rows} == {"base ÷ run"}
    trials = exported(api, "/compare/export", runs=f"{a},{b}", rows="trials")
    assert {int(row["run_id"]) for row in trials} == {a, b}
    size = api.get("/compare/export/size", params={"runs": f"{a},{b}"}).json()
    assert (size["trials"], size["samples"]) == (len(trials), 16)
    conditions = exported(api, "/compare/export", runs=f"{a},{b}", rows="conditions")
    listed = [(one["name"], len(one["values"])) for one in found["differences"]]
    assert len(conditions) == sum(count for _, count in listed)
    assert {row["condition"] for row in conditions} == {name for name, _ in listed}
    assert api.get("/compare/export", params={"runs": f"{a},999"}).status_code == 404
