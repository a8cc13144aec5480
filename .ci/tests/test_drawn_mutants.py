"""Mutants that a seed draws: the same ones for the same seed, each with one place changed."""

import ast
import signal
import subprocess
import sys
import textwrap
from contextlib import nullcontext
from pathlib import Path

import pytest
from mutants import __main__ as command
from mutants import drawn as drawing
from mutants.changes import KINDS, statements
from mutants.drawn import Drawn, draw, modules

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def drawn() -> list[Drawn]:
    return draw("7", 600, modules())


def test_a_seed_repeats_its_mutants_and_another_draws_others() -> None:
    paths = [path for path in modules() if path.startswith("backend/assay/analysis/")]
    assert draw("7", 20, paths) == draw("7", 20, paths)
    assert draw("7", 20, paths) != draw("8", 20, paths)


def test_every_mutant_compiles_and_changes_the_tree(drawn: list[Drawn]) -> None:
    wrong = []
    for one in drawn:
        made = one.apply(one.source)
        try:
            same = ast.dump(ast.parse(made)) == ast.dump(ast.parse(one.source))
            compile(made, one.path, "exec", dont_inherit=True)
        except SyntaxError as error:
            wrong.append(f"{one}: {error}")
        else:
            wrong += [f"{one}: changes nothing"] if same else []
    assert not wrong, "\n".join(wrong)


def test_every_mutant_changes_its_place_only(drawn: list[Drawn]) -> None:
    for one in drawn:
        made = one.apply(one.source)
        start, end = one.change.start, one.change.end
        assert made[:start] == one.source[:start]
        assert made[start : start + len(one.change.new)] == one.change.new
        assert made[start + len(one.change.new) :] == one.source[end:]


def test_all_kinds_occur_in_both_packages(drawn: list[Drawn]) -> None:
    assert {one.change.kind for one in drawn} == set(KINDS)
    assert {one.path.split("/")[0] for one in drawn} == {"backend", "worker"}


def test_no_two_are_in_one_statement() -> None:
    path = "backend/assay/analysis/levels.py"
    all_of_it = statements((ROOT / path).read_text())
    assert len(draw("7", 10_000, [path])) == len(all_of_it)
    places = statements("if first() or second():\n    third(1)\n")
    assert [{change.kind for change in one} for one in places] == [
        {"condition", "boolean"},
        {"dropped", "constant"},
    ]


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring of 1 and True."""',
        'class One:\n    """Docs."""\n    size: Literal[1, 2]\n    """How many: 1."""',
        "def one(size: Annotated[int, 1], *, other: int | None) -> Literal[True]: ...",
        "__all__ = ['one'] + other.__all__",
        "if TYPE_CHECKING:\n    call(1)",
        "log.warning('%s of %s', 1 + 1, True)",
        "text = f'{1 + one}' + 'more'",
        "path = folder / 'name'",
        "name = Column(String(40))",
        "@dataclass(frozen=True)\nclass One:\n    name: str",
        "name = Field(description='At most 1, or True')",
    ],
)
def test_what_no_test_can_notice_is_never_drawn(source: str) -> None:
    assert statements(source) == []


@pytest.mark.parametrize(
    ("source", "mutants"),
    [
        ("x = a < b", {"x = a <= b", "x = a >= b"}),
        ("x = (a) is not (b)", {"x = (a) is (b)"}),
        ("x = a in b", {"x = a not in b"}),
        ("x = a and (b or c)", {"x = a or (b or c)", "x = a and (b and c)"}),
        ("x = not (a)", {"x = (a)"}),
        ("x = 'ä', a + (b)", {"x = 'ä', a - (b)"}),
        ("x += y", {"x -= y", "pass"}),
        ("x = 1_000", {"x = 1001", "x = 999"}),
        ("x = 0", {"x = 1", "x = (-1)"}),
        ("x = True", {"x = False"}),
        ("x = a if b else c", {"x = a if True else c", "x = a if False else c"}),
        ("x = [a for a in b if a]", {"x = [a for a in b if True]", "x = [a for a in b if False]"}),
        (
            "if a:\n    raise b",
            {"if True:\n    raise b", "if False:\n    raise b", "if a:\n    pass"},
        ),
        ("while a:\n    continue", {"while a:\n    pass"}),
        ("self.a = b", {"pass"}),
        ("await a(\n    b,\n)", {"pass"}),
        ("if x := a:\n    y = x", set()),
        ("x = (\n    a  # is it and?\n    and b\n)", {"x = (\n    a  # is it and?\n    or b\n)"}),
    ],
)
def test_the_changes_of_a_statement(source: str, mutants: set[str]) -> None:
    assert {one.apply(source) for changes in statements(source) for one in changes} == mutants


def test_its_line_is_shown_before_and_after() -> None:
    source = "a = 1\nif b:\n    raise Wrong(\n        c,\n    )\nd = 1\n"
    found = [one for changes in statements(source) for one in changes if one.kind == "dropped"]
    shown = [f"{Drawn('one.py', source, one, ())}" for one in found]
    assert shown == ["one.py:3, raise Wrong( c, ) → pass"]


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        (
            "backend/assay/analysis/levels.py",
            ("backend/tests/analysis/test_levels.py", "backend/tests/analysis"),
        ),
        ("backend/assay/kinds/evidence.py", ("backend/tests/kinds",)),
    ],
)
def test_the_tests_of_a_module_are_its_own_then_its_folder(
    path: str, tests: tuple[str, ...]
) -> None:
    assert drawing.tests_of(path) == tests


def test_every_module_has_tests_that_exist() -> None:
    found = {path: drawing.tests_of(path) for path in modules()}
    assert all(found.values())
    missing = {one for tests in found.values() for one in tests if not (ROOT / one).exists()}
    assert not missing
    roots = {"backend/tests", "worker/tests"}
    assert not [path for path, tests in found.items() if roots & set(tests)]


@pytest.mark.parametrize(("survivors", "code"), [(5, 0), (6, 1)])
def test_at_most_5_of_60_may_survive(
    monkeypatch: pytest.MonkeyPatch, survivors: int, code: int
) -> None:
    left = [0] * survivors + [1] * (60 - survivors)
    monkeypatch.setattr(command, "applied", lambda _mutant: nullcontext())
    monkeypatch.setattr(command, "test", lambda _tests, limit_s=0: left.pop() if limit_s else 0)
    assert command.try_drawn("7", 60, ["backend/assay/analysis"]) == code


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_source_is_restored_after_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    source = tmp_path / "module.py"
    source.write_text("a = 1\n")
    script = f"""
        import signal, time
        from pathlib import Path
        from mutants import __main__ as command
        from mutants.drawn import Drawn
        from mutants.changes import Change

        # a shell that runs this in the background has it ignored
        signal.signal(signal.SIGINT, signal.default_int_handler)
        command.ROOT = Path({str(tmp_path)!r})
        one = Drawn("module.py", "a = 1", Change("constant", 4, 5, "2"), ())

        def wait(_tests, _limit_s=None):
            print("applied", flush=True)
            time.sleep(60)

        command.test = wait
        command.unclean = list
        command.try_catalog = lambda _words: command.dies(one)
        command.main([])
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=ROOT / "e2e",
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "applied\n"
        assert source.read_text() == "a = 2\n"
        process.send_signal(number)
        assert process.wait(30) != 0
    assert source.read_text() == "a = 1\n"


def test_tests_that_hang_are_ended_with_what_they_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = tmp_path / "test_hanging.py"
    hanging.write_text("import time\n\ndef test_it():\n    time.sleep(250)\n")
    monkeypatch.setattr(command, "END_WITHIN_S", 5)
    assert command.test(("pytest", str(hanging)), 1) == command.TIMED_OUT
