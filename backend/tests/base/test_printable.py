import pytest
from assay.base.printable import printable
from assay.supervisor.up import log


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, ümläut ☃ 漢字\n\tindented", "plain, ümläut ☃ 漢字\n\tindented"),
        ("\x1b[2J\x1b]0;title\x07", r"\x1b[2J\x1b]0;title\x07"),
        ("\x9b31m\x00\x7f", r"\x9b31m\x00\x7f"),
        ("over\rwritten", r"over\rwritten"),
        ("txt.\u202egpj", r"txt.\u202egpj"),
    ],
)
def test_control_characters_are_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_the_log_contains_no_escape_sequences(capsys: pytest.CaptureFixture[str]) -> None:
    log("worker", "run 1: the host says \x1b[2J")
    assert capsys.readouterr().out == "worker     run 1: the host says \\x1b[2J\n"
