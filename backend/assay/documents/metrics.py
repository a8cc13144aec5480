"""`python -m assay.documents.metrics` writes the metrics of all kinds to `docs/metrics.md`."""

from collections.abc import Iterator, Mapping

from assay.base.settings import REPOSITORY
from assay.kinds.bounds import SENSE_WORDS
from assay.kinds.kind import Kind
from assay.kinds.metrics import Metric
from assay.kinds.registry import KINDS
from assay.runs.verdicts.units import UNITS

PAGE = REPOSITORY / "docs" / "metrics.md"

_INTRODUCTION = """# Metrics

What [criteria](measuring.md#criteria-and-verdicts) may limit, by test kind. Metrics of the same
name measure the same quantity. The last column names the metric's column in the table of
[doubts](measuring.md#criteria-and-verdicts). `python -m assay.documents.metrics` writes this page.

| dimension | units of limits |
|---|---|"""


_UNITLESS: Mapping[str, str] = {"count": "a number", "yes_no": "no limit"}


def page() -> str:
    """Return the metrics of every kind as a page in Markdown."""
    of_kinds = (line for kind in KINDS.values() for line in _kind(kind))
    return "\n".join([_INTRODUCTION, *_dimensions(), "", *of_kinds])


def _dimensions() -> Iterator[str]:
    for dimension, units in UNITS.items():
        named = ", ".join(f"`{unit}`" for unit in units if unit)
        yield f"| {_words(dimension)} | {named or _UNITLESS[dimension]} |"


def _kind(kind: Kind) -> Iterator[str]:
    yield f"## {kind.name.capitalize()}\n"
    yield "| metric | label | dimension | better | needs | what it is | doubts |"
    yield "|---|---|---|---|---|---|---|"
    for metric in kind.metrics:
        cells = [
            f"`{metric.name}`",
            metric.label,
            _words(metric.dimension),
            metric.better,
            metric.needs,
            f"{metric.definition}{_arguments(metric)}",
            SENSE_WORDS[metric.sense],
        ]
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
    yield ""


def _words(dimension: str) -> str:
    return dimension.replace("_", " or ")


def _arguments(metric: Metric) -> str:
    """Return the arguments of a metric as a sentence; those it must have are marked."""
    named = [f"`{one.name}`{' (required)' if one.required else ''}" for one in metric.arguments]
    return f" Arguments: {', '.join(named)}." if named else ""


if __name__ == "__main__":
    PAGE.write_text(page())
