"""A metric is declared once: criteria, the API, verdicts and `docs/metrics.md` follow."""

from typing import Any

import pytest
from assay.documents import metrics as metric_table
from assay.kinds.metrics import Measurement, Metric
from assay.kinds.registry import KINDS
from assay.runs.verdicts.applicability import checked
from assay.runs.verdicts.criteria import CriterionError
from assay.runs.verdicts.judging import judge_run
from testing.api import Appliance
from testing.seeds import TEST

ADDED = Metric(
    "app.added",
    "added rate",
    "rate",
    "application",
    "A rate that only this test declares.",
    "Any test.",
    lambda _test, _arguments: None,
    lambda _result, _arguments: Measurement(2e9),
    sense="rate",
)


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Metric:
    kind = KINDS["matrix"]
    monkeypatch.setattr(kind, "metrics", (*kind.metrics, ADDED))
    return ADDED


def test_the_page_is_current_and_has_every_metric() -> None:
    page = metric_table.PAGE.read_text()
    assert page == metric_table.page(), "run python -m assay.documents.metrics"
    names = [f"| `{metric.name}` |" for kind in KINDS.values() for metric in kind.metrics]
    assert [name for name in names if name not in page] == []


def test_a_declared_metric_is_documented(added: Metric) -> None:
    row = "| `app.added` | added rate | rate | more | Any test. | A rate that only this test"
    assert row in metric_table.page()


def test_a_declared_metric_is_known_to_criteria(added: Metric) -> None:
    assert checked("app.added >= 1 GB/s").metric == added.name
    with pytest.raises(CriterionError) as raised:
        checked("app.aded >= 1 GB/s")
    assert added.name in raised.value.alternatives


def test_a_declared_metric_is_judged_with_its_label(added: Metric) -> None:
    kind = KINDS["matrix"]
    result = kind.result.model_validate(kind.examples.result)
    criterion = checked("app.added >= 1 GB/s")
    (row,) = judge_run(kind, kind.examples.parameters, result, [criterion])
    assert (row.label, row.outcome, row.measured) == (added.label, "pass", 2e9)


def test_a_declared_metric_is_published_and_explained(added: Metric, appliance: Appliance) -> None:
    listed: list[dict[str, Any]] = appliance.viewer.get("/metrics").json()["items"]
    (found,) = (one for one in listed if one["name"] == added.name)
    assert (found["label"], found["dimension"], found["better"]) == ("added rate", "rate", "more")
    assert "MB/s" in found["units"]
    body = {"criteria": ["app.added >= 1 GB/s"], "tests": [TEST]}
    (said,) = appliance.viewer.post("/criteria/check", body).json()["criteria"]
    assert said["mistake"] is None
    assert "added rate" in said["meaning"]
