"""`assay trial`: a trial with its attempts, and its figures over time."""

from collections.abc import Mapping
from typing import Annotated

import typer

from assay.analysis import words
from assay.cli.client import connected
from assay.cli.console import AsJson, print_json, print_list
from assay.cli.described import print_object

app = typer.Typer(help="Trials and their time series.", no_args_is_help=True)

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


@app.command()
def show(trial: TrialId, as_json: AsJson = False) -> None:
    """Show a trial and its attempts; --json has everything."""
    with connected("viewer") as assay:
        print_object(assay.runs.trial(trial), as_json=as_json)


def _add(name: str, summary: str, columns: Mapping[str, Column]) -> None:
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
        print_list(rows, tuple(columns), lambda row: row, as_json=False, title=title)

    app.command(name, help=summary)(series)


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
    _add(_name, _summary, _columns)
