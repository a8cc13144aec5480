"""Lists: one line for each item, as wide as the terminal, and plain for other programs."""

import json
import re
from typing import Any

import pytest
from assay.cli.console import GAP, NARROWEST, aligned, output
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from testing.api import Appliance
from testing.command_line import run

Capture = pytest.CaptureFixture[str]

FRAMES = re.compile("[\u2500-\u257f]")


class Terminal:
    """Runs `assay` in a terminal of 80 columns, or with its output to another program."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *arguments: str, piped: bool = False) -> list[str]:
        with self._monkeypatch.context() as setting:
            setting.setattr(output, "width", 80)
            setting.setattr(output, "_force_terminal", not piped)
            assert run(setting, *arguments) == 0, self._capsys.readouterr().err
        return self._capsys.readouterr().out.splitlines()


@pytest.fixture
def terminal(
    appliance: Appliance, port: int, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> Terminal:
    host = appliance.host("array-of-the-second-floor-with-a-long-name")
    for number in range(3):
        appliance.target(host, f"/mnt/a-directory-with-a-long-name/{number}")
    appliance.operator.post("/arrays", {"name": "a\u202eb"})
    appliance.operator.post("/arrays", {"name": "vault", "notes": "one"})
    return Terminal(monkeypatch, capsys)


LISTS = [
    name.split()
    for name in (
        *("profile list", "host list", "target list", "array list", "tool list", "campaign list"),
        *("run list", "credential list", "user list", "webhook list", "schedule list"),
        *("authority list", "token list", "audit", "criterion metrics"),
    )
]


@pytest.mark.parametrize("command", LISTS, ids=" ".join)
def test_a_list_has_one_line_for_each_item(terminal: Terminal, command: list[str]) -> None:
    items: list[Any] = json.loads("\n".join(terminal(*command, "--json", piped=True)))
    for options, piped in (([], False), (["-o", "wide"], False), ([], True)):
        lines = terminal(*command, *options, piped=piped)
        # the token of the command itself comes and goes
        assert abs(len(lines) - 1 - len(items)) <= (command[0] in {"token", "audit"}) * 30
        assert not any(FRAMES.search(line) for line in lines)
        assert lines[0] == lines[0].upper()
        if piped:
            assert {line.count("\t") for line in lines} == {lines[0].count("\t")}
        elif not options:
            assert all(cell_len(line) <= 80 for line in lines)


def test_descriptions_are_shown_on_demand(terminal: Terminal) -> None:
    assert "DESCRIPTION" not in terminal("profile", "list")[0]
    wide = terminal("profile", "list", "-o", "wide")
    assert wide[0].endswith("DESCRIPTION")
    described = json.loads("\n".join(terminal("profile", "list", "--json", piped=True)))
    for one in described:
        text = " ".join((one["description"] or "").split())
        assert any(text[:60] in " ".join(line.split()) for line in wide)


def test_another_program_gets_whole_texts(terminal: Terminal) -> None:
    shown = terminal("host", "list")
    assert any("…" in line for line in shown)
    lines = terminal("host", "list", piped=True)
    rows = [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]
    (row,) = [one for one in rows if one["NAME"].startswith("array-of")]
    assert row["NAME"] == "array-of-the-second-floor-with-a-long-name"
    (targets,) = [text for name, text in row.items() if name.startswith("TARGETS")]
    assert targets.count("/mnt/a-directory-with-a-long-name/") == 3


@given(
    st.lists(st.tuples(*[st.text(st.characters(categories=["L", "N"]), max_size=60)] * 3)).filter(
        bool
    ),
    st.integers(30, 200),
)
def test_a_line_is_never_wider_than_the_terminal(
    rows: list[tuple[str, str, str]], width: int
) -> None:
    lines = list(aligned(rows, width))
    assert len(lines) == len(rows)
    assert all(cell_len(line) <= max(width, 3 * NARROWEST + 2 * len(GAP)) for line in lines)
    whole = list(aligned(rows, None))
    for row, line in zip(rows, whole, strict=True):
        assert all(cell in line for cell in row)
