"""The counts of `make test`, and its report of repeated tests."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / ".ci"))


import suites  # noqa: E402
from machine import Processes, Used  # noqa: E402
from suite import Lane, Outcome, Suite, count, line  # noqa: E402
from testing import rotation  # noqa: E402

REPORT = """<testsuites><testsuite>
<testcase name="good"><properties><property name="cpu_s" value="0.5"/></properties></testcase>
<testcase name="bad" classname="a.test_b"><failure message="no"/></testcase>
<testcase name="left out"><skipped/></testcase>
<testcase name="measured twice"><properties>
<property name="retried" value="probe 90, fio 100"/><property name="fault" value="x"/>
</properties></testcase>
<testcase name="run twice"><properties>
<property name="retried" value="rate 8, not 9"/></properties></testcase>
<testcase name="run twice"><properties>
<property name="retried" value="rate 8, not 9"/></properties></testcase>
</testsuite></testsuites>"""


def counted(folder: Path) -> Outcome:
    outcome = Outcome(suites.SUITES[0], Used(0, 1.0, 1.0))
    count(outcome, folder / "report.xml")
    return outcome


def test_passed_failed_and_skipped_tests_are_counted(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    outcome = counted(tmp_path)
    assert (outcome.passed, outcome.failed, outcome.skipped) == (3, 1, 1)
    assert {test.name: test.cpu_s for test in outcome.tests if test.cpu_s} == {"good": 0.5}


def test_a_repeated_test_is_named_once_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    assert counted(tmp_path).retries == [
        "measured twice: probe 90, fio 100",
        "run twice: rate 8, not 9",
    ]


def test_a_failed_test_is_named_with_the_first_lines_of_why(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    assert counted(tmp_path).failures == ["a.test_b bad: no"]
    (tmp_path / "report.xml").write_text(
        '<testsuite><testcase name="x" classname="y"><failure message="z.spec.ts:3">\n'
        "  place\n\n  Error: one\n  two\n</failure></testcase></testsuite>"
    )
    assert counted(tmp_path).failures == ["y x: z.spec.ts:3 · place · Error: one"]


def run(suite: Suite, deadline_s: float | None = None) -> Outcome:
    with Processes(deadline_s) as processes:
        return suites.Runner(os.environ["PATH"], processes).run(suite)


def program(title: str, text: str, lane: Lane = Lane.ALONE) -> Suite:
    return Suite("python", title, (sys.executable, "-c", text), lane=lane)


def test_suites_may_keep_compiled_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert run(program("any", "import sys; sys.exit(sys.dont_write_bytecode)")).ok


def test_a_suite_reports_the_processor_time_of_what_it_started() -> None:
    spin = "import os, time\nif os.fork():\n os.wait()\nelse:\n"
    spin += " while time.process_time() < 0.5: pass"
    used = run(program("any", spin)).used
    assert used.cpu_s >= 0.5


def test_a_suite_that_exceeds_the_deadline_is_stopped_and_later_ones_are_not_run() -> None:
    forever = program("first", "import time; time.sleep(300)", Lane.WAITING)
    later = program("second", "")
    with Processes(1) as processes:
        first, second = suites.run_all(
            [forever, later], suites.Runner(os.environ["PATH"], processes)
        )
    assert not first.ok
    assert not second.ok
    assert "stopped after" in line(first)
    assert "not run: stopped after" in line(second)


def test_suites_of_different_lanes_run_beside_each_other_and_lone_ones_after_them(
    tmp_path: Path,
) -> None:
    met = f"""
import pathlib, sys, time
mine, other = (pathlib.Path({str(tmp_path)!r}, name) for name in NAMES)
mine.touch()
while not other.exists(): time.sleep(0.01)
"""
    alone = f"import os; assert len(os.listdir({str(tmp_path)!r})) == 2"
    one = program("one", met.replace("NAMES", "('a', 'b')"), Lane.WAITING)
    other = program("other", met.replace("NAMES", "('b', 'a')"), Lane.CORES)
    with Processes(60) as processes:
        runner = suites.Runner(os.environ["PATH"], processes)
        outcomes = suites.run_all([program("alone", alone), one, other], runner)
    assert [outcome.ok for outcome in outcomes] == [True, True, True]
    assert [outcome.suite.title for outcome in outcomes] == ["alone", "one", "other"]


def test_every_file_with_tests_marked_alone_is_searched_for_them() -> None:
    marked = [
        path.relative_to(ROOT)
        for folder in ("backend", "worker", "e2e", ".ci")
        for path in (ROOT / folder).rglob("test_*.py")
        if "node_modules" not in path.parts and f"mark.{'alone'}" in path.read_text()
    ]
    searched = [Path(path) for path in suites.ALONE]
    assert marked
    assert [path for path in marked if not any(map(path.is_relative_to, searched))] == []


def test_every_folder_of_tests_is_in_one_lane() -> None:
    files = {
        str(path.relative_to(ROOT))
        for folder in ("backend", "worker", "e2e", ".ci")
        for path in (ROOT / folder).rglob("test_*.py")
        if "node_modules" not in path.parts
    }
    lanes = [*suites.WAITING, *suites.COMPUTING]
    assert {
        path for path in files if sum(path.startswith(f"{top}/") for top in lanes) != 1
    } == set()


SLICED = """<testsuite><testcase name="x"><properties>
<property name="rotating" value="20785"/></properties>RESULT</testcase></testsuite>"""


def test_a_slice_that_failed_runs_with_each_commit_until_it_passes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(suites, "ROOT", tmp_path)
    monkeypatch.setattr(suites, "FAILED_SLICES", tmp_path / "slices")
    monkeypatch.setattr(rotation, "FAILED", tmp_path / "slices")
    monkeypatch.setenv("ROTATE", "20786")
    rotation.day.cache_clear()

    def chosen_after(result: str) -> set[int]:
        (tmp_path / "report.xml").write_text(SLICED.replace("RESULT", result))
        suites.remember([counted(tmp_path)])
        return rotation.turns(3)

    try:
        assert rotation.turns(3) == {20786 % 3}
        assert chosen_after('<failure message="no"/>') == {20785 % 3, 20786 % 3}
        assert chosen_after("") == {20786 % 3}
    finally:
        rotation.day.cache_clear()


@pytest.mark.parametrize(("retries", "code"), [(4, 0), (5, 1)])
def test_more_than_four_retries_in_one_run_are_a_failure(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    retries: int,
    code: int,
) -> None:
    def run(_runner: suites.Runner, suite: Suite) -> Outcome:
        chosen = suite.lane is Lane.WAITING
        tried = [f"test {number}" for number in range(retries)] if chosen else []
        return Outcome(suite, Used(0, 1.0, 1.0), passed=1, retries=tried)

    monkeypatch.setattr(suites.Runner, "run", run)
    monkeypatch.setattr(suites, "remember", lambda _outcomes: [])
    monkeypatch.setattr(sys, "argv", ["suites.py"])
    assert suites.main() == code
    printed = capsys.readouterr().out
    assert "tried again: test 0" in printed
    assert ("are a failure" in printed) == bool(code)


def test_parts_of_the_night_are_selected_by_name() -> None:
    assert suites.chosen(["nightly"]) == suites.NIGHTLY
    found = suites.chosen(["nightly", "faults", "mutants"])
    assert [suite.part for suite in found] == ["mutants", "faults"]
    with pytest.raises(SystemExit, match="the night: fault"):
        suites.chosen(["nightly", "fault"])
