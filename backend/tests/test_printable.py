import pytest
from assay.printable import printable
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
def test_what_a_terminal_would_obey_is_spelled_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_the_log_of_the_appliance_holds_no_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    log("worker", "run 1: the host says \x1b[2J")
    assert capsys.readouterr().out == "worker     run 1: the host says \\x1b[2J\n"
