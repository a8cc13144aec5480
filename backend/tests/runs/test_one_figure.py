"""A cell has one figure, and every page, list, verdict, report and download shows it."""

import csv
import io
import re
from typing import Any

import pytest
from testing.api import Appliance
from testing.measured import CLEAN, MB, RATES, Measured, Repeat, measured

MEANS = {"65536x1": 216, "65536x2": 130, "262144x1": 260, "262144x2": 136}
"""Of RATES in MB/s: the durable rate of each cell, by the repeats that count."""


def got(appliance: Appliance, path: str, **query: Any) -> Any:
    answer = appliance.viewer.get(path, **query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def key(cell: dict[str, Any]) -> str:
    return f"{cell['block']}x{cell['threads']}"


def texts_of(page: str) -> str:
    """Return the texts of an HTML page, with a bar between them."""
    texts = (one.strip() for one in re.split("<[^>]*>", page))
    return "|".join(filter(None, texts))


def cells_of(appliance: Appliance, run: Measured) -> dict[str, dict[str, Any]]:
    cells = got(appliance, f"/runs/{run.run}/result")["cells"]
    return {key(cell): cell for cell in cells}


def test_every_page_shows_the_mean_of_the_best_cell(appliance: Appliance) -> None:
    run, against = measured(CLEAN), measured(CLEAN)
    result = got(appliance, f"/runs/{run.run}/result")
    figure, advice = result["headline"]["figure"], result["advice"]["durable"]
    (best,) = (cell for cell in result["cells"] if cell["durable"]["best"])
    criteria = [{"criterion": "durable.mean >= 1 MB/s"}]
    judged = appliance.viewer.post(
        f"/campaigns/{run.campaign}/verdicts", {"criteria": criteria}
    ).json()
    compared = got(appliance, "/compare", runs=f"{run.run},{against.run}")["outcome"]["answer"]
    figures = got(appliance, f"/runs/{run.run}/figures", metric="durable.mean")["items"]
    stored = got(appliance, f"/runs/{run.run}/verdict")
    shown = {
        "cell": best["durable"]["mean"],
        "result": result["best_bytes_per_s"],
        "headline": figure["bytes_per_s"],
        "recommendation": advice["bytes_per_s"],
        "reason": advice["reason"]["best_bytes_per_s"],
        "run": got(appliance, f"/runs/{run.run}")["best_bytes_per_s"],
        "runs": got(appliance, "/runs")["items"][-1]["best_bytes_per_s"],
        "campaign": got(appliance, f"/campaigns/{run.campaign}")["runs"][0]["best_bytes_per_s"],
        "overview": got(appliance, "/overview")["latest"][-1]["best_bytes_per_s"],
        "history": got(appliance, f"/arrays/{run.array}/history")["points"][0]["bytes_per_s"],
        "figures": figures[0]["value"],
        "verdict": stored["rows"][0]["measured"],
        "other criteria": judged["runs"][0]["rows"][0]["measured"],
        "comparison": compared["a"]["best"]["bytes_per_s"],
    }
    assert shown == dict.fromkeys(shown, pytest.approx(260 * MB))
    assert compared["best"]["ratio"] == pytest.approx(1)
    for path in (f"/runs/{run.run}/result.md", f"/campaigns/{run.campaign}/report.html"):
        assert "260 MB/s durable with one writer" in appliance.viewer.get(path).text


def test_each_cell_has_the_mean_of_the_repeats_that_count_everywhere(appliance: Appliance) -> None:
    run, against = measured(RATES), measured(CLEAN)
    compared = got(appliance, "/compare", runs=f"{run.run},{against.run}")["outcome"]["ratio"]
    figures = got(appliance, f"/runs/{run.run}/figures", metric="durable.mean")["items"]
    table = appliance.viewer.get(f"/runs/{run.run}/result.csv").text
    markdown = appliance.viewer.get(f"/runs/{run.run}/result.md").text
    report = appliance.viewer.get(f"/campaigns/{run.campaign}/report.html").text
    places: dict[str, dict[str, float]] = {
        "result": {
            name: cell["durable"]["mean"] / MB for name, cell in cells_of(appliance, run).items()
        },
        "figures": {
            f"{one['cell']['block']:.0f}x{one['cell']['threads']:.0f}": one["value"] / MB
            for one in figures
            if one["cell"]
        },
        "comparison": {key(one): one["a"]["durable_bytes_per_s"] / MB for one in compared["cells"]},
        "CSV": {
            f"{row['block_bytes']}x{row['threads']}": float(row["cell_durable_mean_bytes_per_s"])
            / MB
            for row in csv.DictReader(io.StringIO(table))
        },
    }
    for place, shown in places.items():
        assert shown == {name: pytest.approx(mean) for name, mean in MEANS.items()}, place
    assert "| 64 KiB | 216 | 130 |" in markdown
    assert "| 256 KiB | 260 \\* | 136 |" in markdown
    assert "64 KiB|216|130" in texts_of(report)
    assert "256 KiB|260 *|136" in texts_of(report)
    for one in compared["cells"]:
        ratio = one["a"]["durable_bytes_per_s"] / one["b"]["durable_bytes_per_s"]
        assert one["durable"] == pytest.approx(ratio)


def test_what_a_figure_leaves_out_is_said_with_its_reason_and_rate(appliance: Appliance) -> None:
    run = measured(RATES)
    cells = cells_of(appliance, run)
    left_out = {name: [one["left_out"] for one in cell["trials"]] for name, cell in cells.items()}
    contended = {"durable": "contended", "application": "contended"}
    # of the last cell no application rate is reliable: its figure is of those that it has
    assert left_out == {name: [{}, {}, {}] for name in MEANS} | {"65536x2": [{}, contended, {}]}
    assert [cell["durable"]["n"] for cell in cells.values()] == [3, 2, 3, 3]


def test_a_flag_is_shown_at_the_rate_that_it_affects(appliance: Appliance) -> None:
    run = measured(RATES)
    flags = {
        name: {(one["code"], *one["rates"]) for one in cell["flags"]}
        for name, cell in cells_of(appliance, run).items()
    }
    assert flags == {
        "65536x1": {("unstable", "durable"), ("unstable", "application")},
        "65536x2": {("contended", "durable", "application")},
        "262144x1": set(),
        "262144x2": {("too_short", "application")},
    }
    table = appliance.viewer.get(f"/runs/{run.run}/result.csv").text
    written = [row["cell_flags"] for row in csv.DictReader(io.StringIO(table))]
    assert written == ["unstable", "contended", "", "too_short:application"]
    report = appliance.viewer.get(f"/campaigns/{run.campaign}/report.html").text
    durable, application = re.findall(r"<svg.*?</svg>", report, re.DOTALL)[:2]
    assert ("too short" in durable, "too short" in application) == (False, True)
    assert "too short (application rate)" in texts_of(report)


def test_a_flag_of_both_rates_in_one_repeat_is_counted_for_each_rate(appliance: Appliance) -> None:
    rates = dict(RATES)
    # the sync of one repeat ends within a second as well
    rates["262144x2"] = [Repeat(134, 4 * 134, seconds=0.9), *RATES["262144x2"][1:]]
    cell = cells_of(appliance, measured(rates))["262144x2"]
    counted = {
        rate: flag["figures"]["flagged_trials"]
        for flag in cell["flags"]
        for rate in flag["rates"]
        if flag["code"] == "too_short"
    }
    assert counted == {"durable": 1, "application": 3}
    assert cell["durable"]["mean"] == pytest.approx(137 * MB)


def test_failed_campaigns_of_one_name_are_told_apart(appliance: Appliance) -> None:
    runs = [measured(CLEAN), measured(CLEAN)]
    issues = got(appliance, "/overview")["issues"]
    said = {one["message"] for one in issues if one["kind"] == "verdict_failed"}
    assert {one.partition(": ")[0] for one in said} == {
        f"Campaign {one.campaign}, Campaign" for one in runs
    }
