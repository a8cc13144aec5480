"""If the machine lacks a mechanism, the lab names it with a remedy."""

import pytest
from lab import Lab, MissingMechanismError, mechanisms, require


def test_a_missing_mechanism_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = (lambda: False, "apt-get install strace")
    monkeypatch.setitem(mechanisms.MECHANISMS, "strace", missing)
    with pytest.raises(MissingMechanismError) as told:
        require("ext4", "strace")
    assert str(told.value) == ("the lab needs strace, which is missing: apt-get install strace")


def test_this_machine_has_all_mechanisms(lab: Lab) -> None:
    require(*mechanisms.MECHANISMS)


def test_without_root_the_lab_fails_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(MissingMechanismError, match=r"needs root, .*: run it as root"):
        Lab()


def test_commands_are_found_without_a_path(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PATH")
    require("util-linux", "iproute2")
