"""The counts of `make test`, and its report of repeated tests."""

import json
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / ".ci"))

import suites  # noqa: E402

REPORT = """<testsuites><testsuite>
<testcase name="good"/>
<testcase name="bad"><failure message="no"/></testcase>
<testcase name="left out"><skipped/></testcase>
<testcase name="measured twice"><properties>
<property name="retried" value="probe 90, fio 100"/><property name="fault" value="x"/>
</properties></testcase>
<testcase name="run twice"><properties>
<property name="retried" value="rate 8, not 9"/></properties></testcase>
<testcase name="run twice"><properties>
<property name="retried" value="rate 8, not 9"/></properties></testcase>
</testsuite></testsuites>"""
FLAKY = {
    "suites": [
        {
            "specs": [{"file": "a.spec.ts", "title": "opens", "tests": [{"status": "flaky"}]}],
            "suites": [
                {"specs": [{"file": "b.spec.ts", "title": "x", "tests": [{"status": "expected"}]}]}
            ],
        }
    ]
}


def counted(folder: Path) -> suites.Outcome:
    outcome = suites.Outcome(suites.SUITES[0], 0, 1.0)
    suites.count(outcome, folder / "report.xml", folder / "playwright.json")
    return outcome


def test_passed_failed_and_skipped_tests_are_counted(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    outcome = counted(tmp_path)
    assert (outcome.passed, outcome.failed, outcome.skipped) == (3, 1, 1)


def test_a_repeated_test_is_named_once_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    assert counted(tmp_path).retries == [
        "measured twice: probe 90, fio 100",
        "run twice: rate 8, not 9",
    ]


def test_a_spec_that_passed_at_the_second_try_is_named(tmp_path: Path) -> None:
    (tmp_path / "playwright.json").write_text(json.dumps(FLAKY))
    assert counted(tmp_path).retries == ["a.spec.ts: opens"]


def test_suites_may_keep_compiled_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    program = "import sys; sys.exit(sys.dont_write_bytecode)"
    suite = suites.Suite("python", "any", (sys.executable, "-c", program))
    assert suites.run(suite, os.environ["PATH"]).code == 0


@pytest.mark.parametrize(("retries", "code"), [(6, 0), (7, 1)])
def test_more_than_six_retries_in_one_run_are_a_failure(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    retries: int,
    code: int,
) -> None:
    def run(suite: suites.Suite, path: str) -> suites.Outcome:
        tried = [f"test {number}" for number in range(retries)] if suite.title == "pytest" else []
        return suites.Outcome(suite, 0, 1.0, passed=1, retries=tried)

    monkeypatch.setattr(suites, "run", run)
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
