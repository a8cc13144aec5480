"""Slices of rotating tests: chosen by the day of the commit, repeatable, all of them in turn."""

import itertools
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from testing import rotation


@pytest.fixture(autouse=True)
def _uncached() -> Iterator[None]:
    rotation.day.cache_clear()
    yield
    rotation.day.cache_clear()


def on(monkeypatch: pytest.MonkeyPatch, day: object) -> None:
    monkeypatch.setenv("ROTATE", str(day))
    rotation.day.cache_clear()


def test_every_slice_has_its_day(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[int] = set()
    for day in range(20785, 20790):
        on(monkeypatch, day)
        assert len(rotation.turns(5)) == 1
        seen |= rotation.turns(5)
    assert seen == set(range(5))


def test_families_of_other_names_do_not_turn_in_step(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, 20785)
    chosen = [rotation.of_name(f"family {number}", 2) for number in range(20)]
    assert {0} in chosen
    assert {1} in chosen


def test_numbers_of_all_days_are_all_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []
    for day in range(3):
        on(monkeypatch, day)
        found += itertools.takewhile(lambda number: number <= 9, rotation.numbers(3))
    assert sorted(found) == list(range(1, 10))
    on(monkeypatch, "all")
    assert list(itertools.islice(rotation.numbers(3), 4)) == [1, 2, 3, 4]


def test_the_day_is_that_of_the_author_and_stays_when_a_commit_is_amended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ROTATE")
    monkeypatch.setattr(rotation, "ROOT", tmp_path)
    author = dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "x@example.com")
    author |= {"GIT_AUTHOR_NAME": "x", "GIT_COMMITTER_NAME": "x"}

    def git(*words: str, **environment: str) -> None:
        everything = os.environ | author | environment
        subprocess.run(["git", *words], cwd=tmp_path, env=everything, check=True)

    git("init", "-q")
    dates = {"GIT_AUTHOR_DATE": "@86400 +0000", "GIT_COMMITTER_DATE": "@86400 +0000"}
    git("commit", "-q", "--allow-empty", "-m", "x", **dates)
    assert rotation.day() == "1"
    git("commit", "-q", "--amend", "--allow-empty", "-m", "y", GIT_COMMITTER_DATE="@864000 +0000")
    rotation.day.cache_clear()
    assert rotation.day() == "1"


@pytest.mark.parametrize("given", ["-1", "monday", "1.5"])
def test_an_unusable_day_is_refused_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    on(monkeypatch, given)
    with pytest.raises(ValueError, match=f"ROTATE is '{given}': use a number"):
        rotation.day()
