"""Completion of commands, options and their values in shells."""

import subprocess
import sys
from pathlib import Path

import pytest
from testing.command_line import run

ASSAY = str(Path(sys.executable).with_name("assay"))

COMPLETE = """
source <({assay} completion bash)
COMP_WORDS=({words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_assay_completion {assay}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def test_bash_completes_commands_options_and_values() -> None:
    for words, expected in (
        ("assay camp", ["campaign"]),
        ("assay campaign und", ["undelete"]),
        ("assay campaign run --read", ["--read-back-at"]),
        ("assay campaign run --priority f", ["fifo"]),
        ("assay campaign run --set full", ["full_duplex="]),
        ("assay host list --state rea", ["ready"]),
    ):
        script = COMPLETE.format(assay=ASSAY, words=words)
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, check=True, timeout=120
        )
        assert done.stdout.split() == expected, done.stderr


@pytest.mark.parametrize(
    ("shell", "variables", "said"),
    [
        ("zsh", {"_TYPER_COMPLETE_ARGS": "assay camp"}, "campaign"),
        (
            "fish",
            {"_TYPER_COMPLETE_ARGS": "assay camp", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
            "campaign",
        ),
    ],
)
def test_other_shells_ask_the_same_program(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    shell: str,
    variables: dict[str, str],
    said: str,
) -> None:
    assert run(monkeypatch, "completion", shell) == 0
    assert f"_ASSAY_COMPLETE=complete_{shell}" in capsys.readouterr().out
    monkeypatch.setenv("_ASSAY_COMPLETE", f"complete_{shell}")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    run(monkeypatch)
    assert said in capsys.readouterr().out


def test_an_unknown_shell_is_answered_with_the_known_ones(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "completion", "tcsh") == 2
    error = capsys.readouterr().err
    for shell in ("tcsh", "bash", "zsh", "fish"):
        assert shell in error
