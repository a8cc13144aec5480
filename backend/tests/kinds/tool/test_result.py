"""The result of a tool test: rates, CPU time, what was lost, and the tools side by side."""

from dataclasses import replace

import pytest
from assay.kinds.figures import headline_value
from assay.kinds.tool.comparison import compare
from assay.kinds.tool.result import ToolResult
from assay.kinds.transfer.comparison import Delivery
from kinds.tables import rows_of

from .simulated import KIND, MB, attempt, definition, run

COPY = definition("copy")
OTHER = definition("other")
LENGTH = 400 * MB


def one(**sink: object) -> ToolResult:
    ends = attempt("source", LENGTH, 4.0), attempt("sink", LENGTH, 3.9, sync_s=1.0, **sink)
    return run([COPY], [("copy", *ends)])


def test_the_durable_rate_is_that_of_the_transfer_with_the_sync() -> None:
    (cell,) = one().cells
    (trial,) = cell.trials
    assert trial.transfer_ns == 4_000_000_000
    assert trial.application_bytes_per_s == pytest.approx(100 * MB)
    assert trial.durable_bytes_per_s == pytest.approx(80 * MB)
    assert cell.rate == "durable"
    assert cell.bytes_per_s is not None and cell.bytes_per_s.mean == pytest.approx(80 * MB)
    assert cell.sync_share == pytest.approx(0.2)


def test_a_sink_that_grows_after_the_command_ends_the_transfer_later() -> None:
    ends = attempt("source", LENGTH, 2.0), attempt("sink", LENGTH, 5.0, told_s=5.5)
    (cell,) = run([COPY], [("copy", *ends)]).cells
    assert cell.trials[0].transfer_ns == 5_000_000_000
    assert cell.trials[0].handover_ns == 500_000_000


def test_the_pause_until_the_sink_is_told_is_in_no_rate() -> None:
    early, late = one(told_s=4.1), one(told_s=9.0)
    assert early.cells[0].bytes_per_s == late.cells[0].bytes_per_s
    assert late.cells[0].trials[0].handover_ns == 5_000_000_000


def test_only_what_arrived_intact_counts() -> None:
    arrived = {"intact": 3, "intact_bytes": 300 * MB, "missing": 1}
    found = one(arrived=arrived)
    (cell,) = found.cells
    assert cell.trials[0].durable_bytes_per_s == pytest.approx(60 * MB)
    assert (cell.lost, cell.wrong) == (1, 0)
    assert found.headline is not None and found.headline.no_result == "data_lost"
    assert found.warnings[0].message == "COPY: One file of 4 did not arrive completely."


@pytest.mark.parametrize(
    ("elsewhere", "accused"), [(100, True), (95, True), (30, False), (900, False)]
)
def test_a_tool_that_seems_to_write_elsewhere_is_accused(elsewhere: int, accused: bool) -> None:
    arrived = {"intact": 3, "intact_bytes": 300 * MB, "missing": 1}
    found = one(arrived=arrived, elsewhere=elsewhere * MB)
    assert ("written_elsewhere" in [limit.code for limit in found.warnings]) == accused


def test_nothing_is_missing_elsewhere_if_all_arrived() -> None:
    assert one(elsewhere=400 * MB).warnings == []


def test_wrong_data_is_no_delivery() -> None:
    found = one(arrived={"intact": 3, "intact_bytes": 300 * MB, "wrong": 1})
    assert found.best is None
    assert "Do not trust data" in found.warnings[0].message


def test_the_fastest_tool_that_delivered_everything_leads() -> None:
    lossy = attempt("sink", LENGTH, 1.9, arrived={"intact": 3, "missing": 1})
    found = run(
        [COPY, OTHER],
        [
            ("copy", attempt("source", LENGTH, 4.0), attempt("sink", LENGTH, 4.0)),
            ("other", attempt("source", LENGTH, 2.0), lossy),
        ],
    )
    assert found.headline is not None
    assert (found.headline.tool, found.headline.of_tools) == ("copy", 2)
    assert headline_value(KIND, found) == pytest.approx(100 * MB)


def test_the_cpu_time_is_that_of_both_hosts_without_what_they_use_anyway() -> None:
    source = attempt("source", LENGTH, 4.0, busy_s=6.0, idle=0.5)
    sink = attempt("sink", LENGTH, 4.0, busy_s=2.0)
    (cell,) = run([COPY], [("copy", source, sink)]).cells
    assert cell.cpu_s_per_gb == pytest.approx((6.0 - 2.0 + 2.0) / 0.4)


def test_a_host_that_was_busy_before_has_no_cpu_time_of_the_tool() -> None:
    source = attempt("source", LENGTH, 4.0, busy_s=16.0, idle=3.0)
    (cell,) = run([COPY], [("copy", source, attempt("sink", LENGTH, 4.0))]).cells
    assert cell.cpu_s_per_gb is None


def test_two_ends_on_one_host_use_its_cpus_once() -> None:
    ends = attempt("source", LENGTH, 4.0, busy_s=6.0), attempt("sink", LENGTH, 4.0, busy_s=7.0)
    found = run([COPY], [("copy", *ends)], boots=("a", "a"))
    assert found.same_host
    assert found.cells[0].cpu_s_per_gb == pytest.approx(7.0 / 0.4)


def test_a_failed_trial_names_the_reason_and_has_no_rate() -> None:
    source = attempt("source", LENGTH, 1.0, status="failed", reason="tool_failed", exit_code=7)
    sink = attempt("sink", LENGTH, 1.0, status="stopped")
    found = run([COPY], [("copy", source, sink)])
    (trial,) = found.cells[0].trials
    assert (trial.status, trial.reason) == ("failed", "tool_failed")
    assert trial.command is not None and trial.command.exit_code == 7
    assert trial.durable_bytes_per_s is None
    assert found.headline is not None and found.headline.no_result == "not_measured"


def test_a_tool_with_its_own_data_counts_what_it_reports() -> None:
    own = definition("flood", "memory", reported_bytes="moved ([0-9]+) bytes")
    source = attempt("source", 0, 2.0, output="moved 500000000 bytes\n")
    found = run([own], [("flood", source, attempt("sink", 0, 0.0))], length=0)
    (cell,) = found.cells
    assert cell.rate == "application"
    assert cell.bytes_per_s is not None and cell.bytes_per_s.mean == pytest.approx(250 * MB)
    assert (cell.checked, cell.lost) == (False, None)
    assert [one.code for one in found.warnings] == ["not_checked"]


@pytest.mark.parametrize(
    "said", ["?", "moved \u00b2 bytes", "moved  bytes", f"moved {'9' * 5000} bytes"]
)
def test_a_tool_that_reports_no_number_has_no_rate(said: str) -> None:
    own = definition("flood", "memory", reported_bytes="moved ([^ ]+)? bytes")
    ends = attempt("source", 0, 2.0, output=said), attempt("sink", 0, 0.0)
    (cell,) = run([own], [("flood", *ends)], length=0).cells
    assert cell.bytes_per_s is None


def test_other_io_and_a_short_transfer_are_flagged() -> None:
    busy = attempt("source", LENGTH, 4.0, others=LENGTH)
    found = run([COPY], [("copy", busy, attempt("sink", LENGTH, 4.0))])
    assert "contended" in [flag.code for flag in found.cells[0].trials[0].flags]
    quick = attempt("source", LENGTH, 0.2), attempt("sink", LENGTH, 0.2)
    short = run([COPY], [("copy", *quick)])
    assert [flag.code for flag in short.cells[0].trials[0].flags] == ["too_short"]
    assert short.headline is not None and short.headline.no_result == "unreliable"


def test_a_result_without_reliable_trials_names_each_trial_and_why() -> None:
    busy = attempt("source", LENGTH, 4.0, others=LENGTH), attempt("sink", LENGTH, 4.0)
    quick = attempt("source", LENGTH, 0.2), attempt("sink", LENGTH, 0.2)
    found = run([COPY], [("copy", *busy), ("copy", *quick)])
    assert found.headline and found.headline.flags == ["contended", "too_short"]
    (said,) = [one.message for one in found.warnings if one.code == "unreliable"]
    assert said.startswith("COPY: no trial is reliable. Repeat 1: Source: ")
    assert "Repeat 2: Sink: " in said
    flags = [flag.evidence for one in found.cells[0].trials for flag in one.flags]
    assert len(flags) == 2 and all(one in said for one in flags)


def test_a_tool_that_prints_no_number_of_bytes_says_so() -> None:
    own = definition("flood", "memory", reported_bytes="moved ([0-9]+) bytes")
    ends = attempt("source", 0, 2.0, output="?"), attempt("sink", 0, 0.0)
    found = run([own], [("flood", *ends)], length=0)
    assert found.warnings[0].message == (
        "FLOOD: no trial is reliable. Repeat 1: The tool printed no number of bytes."
    )


def test_the_tools_own_io_is_no_contention() -> None:
    (trial,) = one().cells[0].trials
    assert [flag.code for flag in trial.flags] == []


def test_what_a_daemon_writes_beside_its_file_is_the_tools() -> None:
    server = definition("server", sink_command="serve")
    ends = attempt("source", LENGTH, 4.0), attempt("sink", LENGTH, 4.0, log=LENGTH)
    served, plain = (
        run([tool], [(tool.name, *ends)]).cells[0].trials[0].flags for tool in (server, COPY)
    )
    assert [flag.code for flag in served] == []
    assert [flag.code for flag in plain] == ["contended"]


def test_a_suspended_end_is_flagged_and_does_not_count() -> None:
    source = attempt("source", LENGTH, 4.0, status="suspended", disturbance={"paused_ns": 10**9})
    found = run([COPY], [("copy", source, attempt("sink", LENGTH, 4.0, status="stopped"))])
    (trial,) = found.cells[0].trials
    assert [flag.code for flag in trial.flags] == ["suspended"]
    assert trial.durable_bytes_per_s is None


def test_data_that_never_reached_the_device_is_said_to_be_cached() -> None:
    found = one(device=0)
    served = found.cells[0].trials[0].served_by
    assert served is not None and served.source != "device"


def test_metrics_read_the_result() -> None:
    found = one(arrived={"intact": 3, "intact_bytes": 300 * MB, "missing": 1})
    values = {metric.name: metric.read(found, {}).value for metric in KIND.metrics}
    assert values["tool.rate"] == pytest.approx(60 * MB)
    assert values["tool.lost"] == 1
    assert values["tool.wrong"] == values["tool.duplicate"] == 0
    assert values["tool.cv"] is None


def test_the_table_has_a_row_for_each_trial() -> None:
    rows = rows_of(one())
    assert [(row["repeat"], row["status"]) for row in rows] == [("1", "complete")]
    assert float(rows[0]["durable_bytes_per_s"]) == pytest.approx(80 * MB)
    assert rows[0]["arrived_intact"] == "4"


def test_the_report_names_tools_and_what_they_lost() -> None:
    found = one(arrived={"intact": 3, "intact_bytes": 300 * MB, "missing": 1})
    said = KIND.report(found.model_dump(mode="json"))
    assert said.rows[0][0].startswith("copy, four files")
    assert "No result: no tool delivered all data as it was." in said.sentences


def test_tools_of_two_runs_are_compared_by_name() -> None:
    def runs(seconds: float) -> ToolResult:
        ends = attempt("source", LENGTH, seconds), attempt("sink", LENGTH, seconds)
        return run([COPY], [("copy", *ends)] * 3)

    compared = KIND.compare([runs(2.0), runs(4.0)])
    assert compared.answer == "a_faster"
    assert compared.ratio == pytest.approx(2.0)
    assert compared.same_input is True
    assert [side.name for side in compared.sides] == ["COPY", "COPY"]


@pytest.mark.parametrize(("length", "same"), [(1.0014, True), (1.02, False)])
def test_inputs_that_differ_by_the_rounding_to_blocks_are_the_same(
    length: float, same: bool
) -> None:
    delivery = Delivery("x", LENGTH, [1.0], 1.0, None, 0)
    other = replace(delivery, length_bytes=round(LENGTH * length))
    runs = [(1, "tool", [delivery]), (2, "path", [other])]
    assert compare(runs).same_input is same


def test_cpu_times_that_are_compared_include_what_the_hosts_use_anyway() -> None:
    source = attempt("source", LENGTH, 4.0, busy_s=6.0, idle=0.5)
    sink = attempt("sink", LENGTH, 4.0, busy_s=2.0)
    found = run([COPY], [("copy", source, sink)])
    assert [one.cpu_s_per_gb for one in found.cells] == pytest.approx([6.0 / 0.4])
    (side,) = found.deliveries()
    assert side.cpu_s_per_gb == pytest.approx(8.0 / 0.4)
    on_one = run([COPY], [("copy", source, sink)], boots=("a", "a"))
    assert on_one.deliveries()[0].cpu_s_per_gb == pytest.approx(6.0 / 0.4)


def test_a_tool_that_lost_data_is_not_compared_as_the_fastest() -> None:
    def runs(seconds: float) -> ToolResult:
        whole = attempt("source", LENGTH, seconds), attempt("sink", LENGTH, seconds)
        lossy = attempt("sink", LENGTH, 1.0, arrived={"intact": 3, "missing": 1})
        other = attempt("source", LENGTH, 1.0), lossy
        return run([COPY, OTHER], [("copy", *whole), ("other", *other)] * 3)

    compared = KIND.compare([runs(8.0), runs(4.0)])
    assert (compared.answer, compared.ratio) == ("b_faster", pytest.approx(0.5))


def test_unreliable_trials_are_not_compared() -> None:
    quick = attempt("source", LENGTH, 0.2), attempt("sink", LENGTH, 0.2)
    compared = KIND.compare([run([COPY], [("copy", *quick)])] * 2)
    assert (compared.answer, compared.ratio) == ("not_comparable", None)


@pytest.mark.parametrize(("slowest_s", "varies"), [(4.0, True), (2.1, False)])
def test_repeats_that_vary_too_much_are_a_limitation(slowest_s: float, varies: bool) -> None:
    found = run(
        [COPY],
        [
            ("copy", attempt("source", LENGTH, seconds), attempt("sink", LENGTH, seconds))
            for seconds in (2.0, 2.0, slowest_s)
        ],
    )
    said = [one for one in found.warnings if one.code == "unstable"]
    assert bool(said) == varies
    for one in said:
        assert one.message == (
            "COPY, four files of 400 MB together: The durable rate varies by 34.6 % (standard "
            "deviation ÷ mean) from repeat to repeat."
        )
    assert all(one.message in KIND.report(found.model_dump(mode="json")).sentences for one in said)
