"""A matrix as CSV."""

import pytest
from assay.kinds.matrix.result import MatrixResult
from golden import runs
from kinds.tables import rows_of


@pytest.fixture
def row() -> dict[str, str]:
    matrix = runs.matrix({(runs.MIB, 1): [1e8]}).model_dump(mode="json")
    cell = matrix["cells"][0]
    cell["flags"] = [
        {
            "code": "timed_out",
            "evidence": "The limit ended it.",
            "figures": {},
            "rates": ["durable"],
        }
    ]
    cell["durable"]["bounded"] = True
    (found,) = rows_of(MatrixResult.model_validate(matrix))
    return found


def test_a_row_marks_timeouts_and_upper_bounds(row: dict[str, str]) -> None:
    assert row["cell_flags"] == "timed_out:durable"
    assert row["cell_durable_bounded"] == "true"
    assert row["cell_application_bounded"] == "false"


def test_every_column_of_a_rate_or_time_names_its_unit(row: dict[str, str]) -> None:
    assert row["cell_application_mean_bytes_per_s"] == "100000000.0"
    assert row["cell_latency_max_ns"].isdigit()
    plain = (
        *("n", "bounded", "best", "within_noise", "too_few_repeats", "p"),
        *("served_by", "served_by_reason", "fairness", "slowest_participant_id"),
    )
    for rate in ("durable", "application"):
        figures = {name for name in row if name.startswith(f"cell_{rate}_")}
        assert figures - {f"cell_{rate}_{name}" for name in plain} == {
            f"cell_{rate}_{name}_bytes_per_s" for name in ("mean", "median", "worst", "sd")
        }


def test_values_are_not_formatted_for_a_locale(row: dict[str, str]) -> None:
    assert not {"True", "False", "None"} & set(row.values())
