"""`assay criterion`: what criteria mean, and the metrics that they may limit."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from assay.cli.client import connected
from assay.cli.console import AsJson, output, print_json, print_list, shown
from assay.cli.filters import widening
from assay.cli.nouns import reference
from assay.verdicts.schemas import CheckedCriterion, MetricOut

app = typer.Typer(help="Acceptance criteria and their metrics.", no_args_is_help=True)


@app.command()
@widening
def metrics(
    kind: Annotated[str | None, typer.Option(help="Only those of this test kind")] = None,
    as_json: AsJson = False,
) -> None:
    """List the metrics that criteria may limit, with their units."""
    with connected("viewer") as assay:
        found = [one for one in assay.metrics() if kind in (None, one.kind)]
    columns = ("kind", "metric", "definition", "units")
    print_list(found, columns, _metric, as_json=as_json, wide=("definition",))


@app.command()
def check(
    criterion: Annotated[
        list[str], typer.Argument(help='One or more, such as "write.p99 < 20 ms"')
    ],
    profile: Annotated[
        str | None, typer.Option(help="Name or id: whose tests must have the metrics")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print what criteria mean, or the mistakes in them; exit with 1 if there is one."""
    body: dict[str, Any] = {"criteria": criterion}
    with connected("viewer") as assay:
        if profile is not None:
            tests = assay.profiles.get(reference(profile)).body.tests
            body["tests"] = [test.model_dump(mode="json") for test in tests]
        found = assay.check_criteria(body)
    if as_json:
        print_json(found)
    else:
        for one in found.criteria:
            output.print(shown(_words(one)), highlight=False)
    if any(one.mistake for one in found.criteria):
        raise typer.Exit(1)


def _metric(one: MetricOut) -> Sequence[str]:
    arguments = ", ".join(argument.name for argument in one.arguments)
    name = f"{one.name}({arguments})" if arguments else one.name
    return (one.kind, name, one.definition, ", ".join(one.units))


def _words(one: CheckedCriterion) -> str:
    if one.mistake is None:
        return f"{one.criterion}: {one.meaning}"
    return f"{one.criterion}: {one.mistake.message} {one.mistake.remedy}".rstrip()
