"""Criteria: text to criterion and back, and errors that point at the mistake."""

from fractions import Fraction

import pytest
from assay.kinds.matrix.parameters import MatrixTest
from assay.kinds.metrics import Measurement
from assay.kinds.registry import KINDS
from assay.runs.verdicts.applicability import applied, check_together, checked, meaning, problem_of
from assay.runs.verdicts.criteria import Amount, Criterion, CriterionError, Given, parse
from assay.runs.verdicts.judging import judge
from assay.runs.verdicts.units import DIMENSIONS, UNITS
from hypothesis import given
from hypothesis import strategies as st

WRITE = MatrixTest(
    kind="matrix", operation="write", title="Write", block=[65536, 2**20], threads=[1, 2],
    file_size=10**7,
)  # fmt: skip
READ = WRITE.model_copy(update={"operation": "read", "title": "Read"})

names = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
metrics = st.lists(names, min_size=1, max_size=3).map(".".join)
numbers = st.decimals(0, 10**9, allow_nan=False, places=3).map(
    lambda number: f"{number:f}".rstrip("0").rstrip(".")
)
quantities = st.builds(
    Amount, numbers, st.sampled_from(sorted(unit for unit in DIMENSIONS if unit != "us"))
)
arguments = st.lists(
    st.builds(Given, names, quantities), max_size=3, unique_by=lambda one: one.name
)
criteria = st.builds(
    lambda metric, given, operator, limit: Criterion(
        metric, tuple(given), operator, limit if operator else None
    ),
    metrics,
    arguments,
    st.sampled_from([">=", ">", "<=", "<", None]),
    quantities,
)


@given(criteria)
def test_a_criterion_survives_being_written_and_parsed(criterion: Criterion) -> None:
    assert parse(str(criterion)) == criterion
    assert str(parse(str(criterion))) == str(criterion)


@given(criteria, st.data())
def test_blanks_between_its_parts_do_not_matter(criterion: Criterion, data: st.DataObject) -> None:
    text = str(criterion)
    for sign in ("(", ")", ",", "=", ">", "<"):
        if sign in text and ">=" not in text and "<=" not in text:
            text = text.replace(sign, f" {sign}{data.draw(st.sampled_from(['', ' ', '  ']))}")
    assert parse(f"  {text} ") == criterion


@pytest.mark.parametrize(
    "text", ["app.mean(block=1 MiB, threads=2) > 1 GB/s", "app.mean(burst=12) > 1 GB/s"]
)
def test_an_argument_that_only_one_kind_has_is_accepted(text: str) -> None:
    assert str(checked(text)) == text


def test_an_argument_that_no_kind_has_is_refused_with_those_of_all_kinds() -> None:
    with pytest.raises(CriterionError) as refused:
        checked("app.mean(gap=1 ms) > 1 GB/s")
    assert refused.value.position == len("app.mean(")
    shared = ("block", "threads", "depth", "rate", "burst", "idle")
    assert refused.value.alternatives == (*shared, "cache", "priority", "io_priority")


@given(st.one_of(st.text(max_size=40), st.text("durable.mn>=<( )1250MB/s%,", max_size=300)))
def test_every_error_has_a_position_inside_the_text(text: str) -> None:
    try:
        checked(text, [WRITE, READ])
    except CriterionError as error:
        assert 0 <= error.position <= len(text)
        assert error.reason
        assert error.remedy


def test_each_unit_belongs_to_one_dimension_and_is_positive() -> None:
    units = [unit for of in UNITS.values() for unit in of]
    assert len(units) == len(set(units))
    assert all(factor > 0 for of in UNITS.values() for factor in of.values())


def test_kilo_may_be_written_with_either_letter() -> None:
    for units in UNITS.values():
        kilo = {unit for unit in units if unit.startswith(("k", "K")) and unit[1:2] != "i"}
        assert kilo == {f"{k}{unit[1:]}" for unit in kilo for k in "kK"}
        assert all(units[unit] == units[f"k{unit[1:]}"] for unit in kilo)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("durable.mean >= 1250 MB/s", 1.25e9),
        ("durable.mean >= 10 Gb/s", 1.25e9),
        ("write.p99 < 20 ms", 2e7),
        ("stall.max < 0.5 s", 5e8),
        ("cliff.after > 1 TB", 1e12),
        ("repeat.cv < 5 %", 0.05),
        ("durable.mean >= 1250 KB/s", 1.25e6),
        ("durable.mean >= 1250 kB/s", 1.25e6),
        ("durable.mean >= 1250 KiB/s", 1.28e6),
        ("durable.mean >= 80 Kb/s", 1e4),
        ("cliff.after > 5 KB", 5000),
    ],
)
def test_the_limit_is_exact_in_the_unit_of_its_dimension(text: str, value: float) -> None:
    criterion = checked(text)
    assert criterion.limit is not None
    assert float(criterion.limit.value) == value


@pytest.mark.parametrize(
    ("text", "position", "reason", "alternative"),
    [
        ("durable.main > 3 MB/s", 0, "unknown metric 'durable.main'", "durable.mean"),
        ("durable.mean > 3 ms", 15, "a rate, not a duration", "MB/s"),
        ("durable.mean > 3 QB/s", 17, "unknown unit 'QB/s'", None),
        ("durable.mean >", 14, "expected a number", None),
        ("durable.mean", 12, "expected a limit", ">="),
        ("durable.mean(blok=1 MiB) > 1 GB/s", 13, "no argument blok", "block"),
        ("durable.mean(block=1 s) > 1 GB/s", 19, "block is a size, not a duration", "MiB"),
        ("durable.mean(block=1 MiB, block=2 MiB) > 1 GB/s", 26, "repeats the argument", None),
        ("read.p99 < 2 ms", 0, "no test can give read.p99", "write.p99"),
        ("durable.mean(block=4 MiB) > 1 GB/s", 0, "no such cell", "app.mean"),
        ("durable.mean(block=1 MiB) > 1 GB/s", 0, "give both block and threads", None),
    ],
)
def test_a_mistake_is_located_and_names_alternatives(
    text: str, position: int, reason: str, alternative: str | None
) -> None:
    with pytest.raises(CriterionError) as raised:
        checked(text, [WRITE])
    error = raised.value
    assert error.position == position
    assert reason in error.reason
    assert alternative is None or alternative in error.alternatives


def test_a_metric_that_too_few_repeats_can_not_give_is_refused() -> None:
    single = WRITE.model_copy(update={"repeats": 2})
    with pytest.raises(CriterionError, match="at least 3 are needed"):
        checked("repeat.cv < 5 %", [single])
    assert str(checked("repeat.cv < 5.0 %", [single, WRITE])) == "repeat.cv < 5 %"


def test_a_criterion_needs_one_test_that_can_give_it() -> None:
    assert checked("durable.mean > 1 GB/s", [READ, WRITE]).metric == "durable.mean"
    with pytest.raises(CriterionError, match="Read: it reads, and only a write has it"):
        checked("durable.mean > 1 GB/s", [READ])


@pytest.mark.parametrize(
    ("first", "second", "refused"),
    [
        ("app.mean >= 2 GB/s", "app.mean <= 1 GB/s", "contradicts app.mean >= 2 GB/s: "),
        ("app.mean < 1 GB/s", "app.mean > 8 Gb/s", "contradicts app.mean < 1 GB/s: "),
        ("app.mean >= 1 GB/s", "app.mean <= 8 Gb/s", None),
        ("app.mean >= 1 GB/s", "app.mean >= 2 GB/s", None),
        ("app.mean >= 1 GB/s", "app.mean  >=  1.0 GB/s", "repeats app.mean >= 1 GB/s"),
        ("app.mean(block=1 MiB, threads=1) > 2 GB/s", "app.mean < 1 GB/s", None),
        ("write.p50 > 20 ms", "write.p99 < 10 ms", "contradicts write.p50 > 20 ms: "),
        ("write.p99.9 <= 1 ms", "write.p99 > 1 ms", "contradicts write.p99.9 <= 1 ms: "),
        ("write.p50 < 10 ms", "write.p99 > 20 ms", None),
        ("write.p50 > 20 ms", "write.p99(block=1 MiB) < 10 ms", None),
        (
            "app.mean(block=1 MiB, threads=1) > 2 GB/s",
            "app.mean(threads=1, block=1024 KiB) < 1 GB/s",
            "contradicts app.mean(block=1 MiB, threads=1) > 2 GB/s: ",
        ),
    ],
)
def test_contradictory_and_equal_criteria_are_refused(
    first: str, second: str, refused: str | None
) -> None:
    if refused is None:
        check_together([parse(first), parse(second)])
        return
    number, error = problem_of([first, second], [WRITE]) or (None, None)
    assert number == 1
    assert refused in str(error)


def test_every_metric_has_a_meaning_and_kinds_agree_on_its_dimension_and_values() -> None:
    dimensions: dict[str, object] = {}
    for kind in KINDS.values():
        assert len({metric.name for metric in kind.metrics}) == len(kind.metrics)
        for metric in kind.metrics:
            shared = (metric.dimension, metric.possible)
            assert dimensions.setdefault(metric.name, shared) == shared
            unit = next(iter(UNITS[metric.dimension]), None)
            required = [
                f"{one.name}=1 {next(iter(UNITS[one.dimension]))}"
                for one in metric.arguments
                if one.required
            ]
            given = f"({', '.join(required)})" if required else ""
            text = f"{metric.name}{given}" + (f" < 2 {unit}" if unit is not None else "")
            criterion = checked(text)
            assert applied(criterion, kind.name) is not None
            assert metric.label in meaning(criterion)


@pytest.mark.parametrize(
    ("text", "said", "remedy"),
    [
        (
            "write.p99 < 0 ms",
            "no value meets < 0 ms: write.p99 is more than 0 ms",
            "Use a limit above 0 ms.",
        ),
        ("stall.max >= 0 s", "every value meets >= 0 s", "Use a limit above 0 ms."),
        (
            "durable.mean >= 0 MB/s",
            "every value meets >= 0 MB/s: durable.mean is at least 0 MB/s",
            "Use > 0 MB/s, or a limit above 0 MB/s.",
        ),
        ("durable.mean >= -1 MB/s", "every value meets >= -1 MB/s", "Use a limit above 0 MB/s."),
        ("verify.errors < 0", "no value meets < 0", "Use <= 0, or a limit above 0."),
        ("repeat.cv < 0 %", "no value meets < 0 %: repeat.cv is at least 0 %", "Use <= 0 %, or"),
        (
            "slowdown < -200 %",
            "the limit -200 % is negative: slowdown is at most 100 %",
            "Use a limit of 0 % or more.",
        ),
        ("slowdown <= 100 %", "every value meets <= 100 %", "Use < 100 %, or a limit below 100 %."),
        ("slowdown > 120 %", "no value meets > 120 %", "Use a limit below 100 %."),
        (
            "records.fairness >= 101 %",
            "no value meets >= 101 %: records.fairness is from 0 % to 100 %",
            "Use a limit below 100 %.",
        ),
        ("frames.needed < 1", "no value meets < 1: frames.needed is at least 1", "<= 1"),
        ("buffer_at(-1 Gb/s) <= 1 GB", "rate cannot be negative, and is -1 Gb/s", "minus sign"),
    ],
)
def test_a_limit_that_decides_nothing_is_refused_with_the_values_of_its_metric(
    text: str, said: str, remedy: str
) -> None:
    with pytest.raises(CriterionError) as refused:
        checked(text)
    assert refused.value.reason.startswith(said)
    assert remedy in refused.value.remedy
    assert text[refused.value.position :].startswith(("-", "0", "1"))


@pytest.mark.parametrize(
    "text",
    ["verify.errors <= 0", "slowdown <= 0 %", "slowdown >= 0 %", "app.min > 0 MB/s",
     "records.fairness >= 100 %", "backlog.end <= 0 B", "cliff.after > -0 B"],
)  # fmt: skip
def test_a_limit_at_the_end_of_the_possible_values_is_accepted_if_it_decides(text: str) -> None:
    assert checked(text)


LIMITED = sorted(
    {one.name for kind in KINDS.values() for one in kind.metrics if one.dimension != "yes_no"}
    - {"buffer_at", "dropped_at"}
)


@given(
    st.sampled_from(LIMITED),
    st.sampled_from([">=", ">", "<=", "<"]),
    st.one_of(st.sampled_from([-200, -1, 0, 1, 99, 100, 101]), st.integers(0, 10**6)),
)
def test_a_limit_is_accepted_exactly_if_possible_values_pass_and_fail_it(
    name: str, operator: str, number: int
) -> None:
    """What `judge` says of values at and around the limit and the ends of what is possible."""
    metric = next(one for kind in KINDS.values() for one in kind.metrics if one.name == name)
    unit = next(iter(UNITS[metric.dimension]))
    criterion = parse(f"{name} {operator} {number} {unit}")
    assert criterion.limit
    limit, possible = float(criterion.limit.value), metric.possible
    around = [end for end in (possible.least, possible.most, limit) if end is not None]
    values = {end + step for end in around for step in (-1e9, -1e-6, 0.0, 1e-6, 1e9)}
    least, most = possible.least, possible.most
    real = [
        value
        for value in values
        if (least is None or value > least or (value == least and not possible.positive))
        and (most is None or value <= most)
    ]
    outcomes = {judge(criterion, Measurement(value))[0] for value in real}
    try:
        checked(str(criterion))
    except CriterionError:
        assert len(outcomes) == 1 or number < 0
    else:
        assert outcomes == {"pass", "fail"}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_values_of_a_result_are_possible(kind: str) -> None:
    result = KINDS[kind].result.model_validate(KINDS[kind].examples.result)
    found = {
        metric.name: (metric, value)
        for metric in KINDS[kind].metrics
        if not any(one.required for one in metric.arguments)
        if (value := metric.read(result, {}).value) is not None
    }
    assert found
    for metric, value in found.values():
        assert metric.possible.has("<=", Fraction(value)), metric.name
        assert metric.possible.has(">=", Fraction(value)), metric.name
