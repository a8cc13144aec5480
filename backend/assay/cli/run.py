"""`assay run` and `assay trial`: runs with their results, trials and their time series."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from assay.base import words
from assay.base.nouns import RUN
from assay.cli import compare, downloads, verdicts
from assay.cli.connection import connected
from assay.cli.console import AsJson, in_order, json_only, print_json, print_list
from assay.cli.described import print_object
from assay.cli.nouns import RunId, group
from assay.runs.schemas import FigureOut
from assay.runs.verdicts.words import unlimited

app = group(RUN)
trial = typer.Typer(help="Trials and their time series.", no_args_is_help=True)
app.command("verdict")(verdicts.of_run)
app.command("waive")(verdicts.waive)
app.command("comparable")(compare.comparable)
app.command("download")(downloads.of_run)


@app.command()
@json_only
def result(run: RunId) -> None:
    """Print the result of a run as JSON; `download` has it in other formats."""
    with connected("viewer") as assay:
        print_json(assay.get(f"/runs/{run}/result"))


@app.command("figures")
def list_figures(
    run: RunId,
    metric: Annotated[
        list[str] | None, typer.Option(help="Only those of this metric; repeatable")
    ] = None,
    cell: Annotated[
        str | None, typer.Option(help='Only those of these cells, such as "block=1 MiB, threads=4"')
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the figures of a run: each metric as a whole (-), and in each cell."""
    with connected("viewer") as assay:
        found = list(assay.runs.figures(run, metric=metric or (), cell=cell))
    rows = found if as_json else [_figure(figure) for figure in found]
    columns = in_order("metric", "cell", "value", "repeats", "spread", "doubts")
    print_list(rows, columns, as_json=as_json)


def _figure(figure: FigureOut) -> Sequence[str]:
    named = ", ".join(f"{name}={value}" for name, value in figure.cell.items())
    cell = (figure.shown_cell or named) if figure.cell else "-"
    spread = "" if figure.spread is None else unlimited(figure.spread, "share", figure.metric)
    return (
        figure.metric,
        cell,
        unlimited(figure.value, figure.dimension, figure.metric),
        str(figure.repeats),
        spread,
        ", ".join(words.code_words(doubt.code) for doubt in figure.doubts),
    )


@app.command()
def trials(run: RunId, as_json: AsJson = False) -> None:
    """List the trials of a run in the order of measurement."""
    with connected("viewer") as assay:
        found = list(assay.runs.trials(run))
    columns = ("position", "id", "cell", "repeat", "status", "attempts")
    print_list(found, {name: name for name in columns}, as_json=as_json)


TrialId = Annotated[int, typer.Argument(help="The trial's id, as `assay run trials` has it", min=1)]

Column = tuple[str, str]
"""A field of the API's columns, and how it is printed."""

SERIES: Mapping[str, tuple[str, Mapping[str, Column]]] = {
    "samples": (
        "Print the time series of a trial; --json has all its columns.",
        {
            "end": ("t_ns", "duration"),
            "rate": ("rate_mean_bytes_per_s", "rate"),
            "op/s": ("ops_per_s", "count"),
            "max. latency": ("lat_max_ns", "duration"),
            "CPU": ("cpu_busiest", "share"),
            "device writes": ("dev_write_bytes_per_s", "rate"),
        },
    ),
    "marks": (
        "Print the figures of a trial over its data; a trial of the matrix has none.",
        {
            "bytes": ("end_bytes", "size"),
            "end": ("t_ns", "duration"),
            "rate": ("rate_mean_bytes_per_s", "rate"),
            "p99": ("lat_p99_ns", "duration"),
            "max. latency": ("lat_max_ns", "duration"),
            "backlog": ("backlog_bytes", "size"),
        },
    ),
    "links": (
        "Print the streams of a transfer over time, at one end of it.",
        {
            "end": ("t_ns", "duration"),
            "RTT": ("rtt_mean_ns", "duration"),
            "retransmits": ("retransmits", "count"),
            "receive-window-limited": ("receive_window_limited", "share"),
            "received": ("card_rx_bytes_per_s", "rate"),
            "sent": ("card_tx_bytes_per_s", "rate"),
        },
    ),
}


@trial.command()
def show(trial: TrialId, as_json: AsJson = False) -> None:
    """Show a trial and its attempts; --json has everything."""
    with connected("viewer") as assay:
        print_object(assay.runs.trial(trial), as_json=as_json)


def _add_series(name: str, summary: str, columns: Mapping[str, Column]) -> None:
    def series(  # noqa: PLR0917 (options, each given by name)
        trial: TrialId,
        points: Annotated[int, typer.Option(help="Maximum number of points", min=1)] = 100,
        attempt: Annotated[
            int | None, typer.Option(help="Number of the attempt; by default the deciding one")
        ] = None,
        participant: Annotated[
            int | None, typer.Option(help="Id of a participant; by default the first")
        ] = None,
        since: Annotated[
            int | None, typer.Option("--from", help="Start, in ns, of marks in bytes")
        ] = None,
        until: Annotated[
            int | None, typer.Option("--to", help="End, in ns, of marks in bytes")
        ] = None,
        as_json: AsJson = False,
    ) -> None:
        query = {"points": points, "attempt": attempt, "participant": participant}
        window = {"from": since, "to": until}
        with connected("viewer") as assay:
            found = assay.get(f"/trials/{trial}/{name}", **query, **window)
        if as_json:
            print_json(found)
            return
        shown = [(found["columns"][field], how) for field, how in columns.values()]
        rows = [
            [_cell(values[point], how) for values, how in shown]
            for point in range(len(shown[0][0]))
        ]
        title = f"trial {trial}, attempt {found['attempt']}, participant {found['participant_id']}"
        print_list(rows, in_order(*columns), as_json=False, title=title)

    trial.command(name, help=summary)(series)


def _cell(value: float | None, how: str) -> str:
    """Return a figure in words; one that is unknown as nothing."""
    if value is None:
        return ""
    match how:
        case "duration":
            return words.duration(value)
        case "rate":
            return words.rate(value)
        case "size":
            return words.size(round(value))
        case "share":
            return f"{100 * value:.0f} %"
        case _:
            return words.frequency(value)


for _name, (_summary, _columns) in SERIES.items():
    _add_series(_name, _summary, _columns)
