"""The options that say what a profile is launched on: of `campaign run` and `schedule add`."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from assay.campaigns.pairs import Arrangement
from assay.cli.client import renamed, with_commands
from assay.cli.console import CommandError
from assay.cli.filters import Command, with_options
from assay.cli.labels import labels_of
from assay.cli.overrides import OptionOverrides
from assay.client import ApiError, Assay, AssayError
from assay.http.names import slug

OPTIONS: dict[str, tuple[Any, Any]] = {
    "target": (
        Annotated[list[str] | None, typer.Option(help="HOST/PATH, path, name or id; repeatable")],
        None,
    ),
    "source": (
        Annotated[
            list[str] | None,
            typer.Option(
                help="Of a transfer: a target, or a host's name for the memory of that host; "
                "repeatable"
            ),
        ],
        None,
    ),
    "sink": (
        Annotated[
            list[str] | None,
            typer.Option(help="Of a transfer: a target or a host, as for --source; repeatable"),
        ],
        None,
    ),
    "arrangement": (
        Annotated[
            Arrangement,
            typer.Option(
                help="together: all sources and sinks in one run; mesh: from each source to each "
                "other one, a run for each direction, without --sink"
            ),
        ],
        "together",
    ),
    "together": (
        Annotated[bool, typer.Option("--together", help="All targets at the same time")],
        False,
    ),
    "scaling": (
        Annotated[
            bool,
            typer.Option(
                "--scale-out",
                help="The first target, or source and sink, then the first two together, … all",
            ),
        ],
        False,
    ),
    "read_back_at": (
        Annotated[
            str | None,
            typer.Option(
                help="The target as another host sees it, which reads the files of tests with "
                'read_back "other_host" back'
            ),
        ],
        None,
    ),
    "label": (Annotated[list[str] | None, typer.Option(help="KEY=VALUE; repeatable")], None),
    "reference": (Annotated[str | None, typer.Option(help="Such as a ticket or an order")], None),
    "file_size": (
        Annotated[str | None, typer.Option(help="Bytes or an expression; overrides the profile")],
        None,
    ),
    "length": (
        Annotated[
            str | None,
            typer.Option(help="Bytes, an expression or a duration; overrides the profile"),
        ],
        None,
    ),
    "duration": (
        Annotated[
            str | None, typer.Option(help='Such as "90 min"; overrides the length of the profile')
        ],
        None,
    ),
    "rate": (
        Annotated[
            str | None, typer.Option(help='Such as "125 MB/s"; paces writes, overrides the profile')
        ],
        None,
    ),
    "queue_depth": (
        Annotated[
            list[int] | None,
            typer.Option(
                help="Operations in flight by io_uring; repeatable, overrides the profile"
            ),
        ],
        None,
    ),
    "cache": (
        Annotated[
            list[str] | None,
            typer.Option(
                help="page, direct or direct_if_real; two are compared by sustained tests, "
                "overrides the profile"
            ),
        ],
        None,
    ),
    "priority": (
        Annotated[
            list[str] | None,
            typer.Option(
                help="CPU priority: normal, high, fifo or rr; several are compared, overrides the "
                "profile"
            ),
        ],
        None,
    ),
    "io_priority": (
        Annotated[
            list[str] | None,
            typer.Option(
                help="default, real_time, high, low or idle; several are compared, overrides the "
                "profile"
            ),
        ],
        None,
    ),
    "repeats": (Annotated[int | None, typer.Option(help="Overrides the profile")], None),
    "assignment": (
        Annotated[
            list[str] | None,
            typer.Option(
                "--set",
                metavar="FIELD=VALUE",
                help="Any other field of the profile's tests, named as in the API, such as "
                "full_duplex=true, streams=1,4, source_cpus=0-3 or threads_per_device=2; "
                "repeatable, overrides the profile",
            ),
        ],
        None,
    ),
    "criterion": (
        Annotated[
            list[str] | None,
            typer.Option(
                help='Such as "durable.mean >= 1 GB/s", beside the profile\'s; repeatable'
            ),
        ],
        None,
    ),
}
"""The type and the option of each, and its default."""


class Choices:
    """The values of these options."""

    def __init__(self, chosen: dict[str, Any]) -> None:
        """Keep them by the names of `OPTIONS`."""
        self._chosen = chosen
        self._overrides: OptionOverrides | None = None

    @property
    def given(self) -> list[str]:
        """The options that differ from their defaults."""
        return [
            f"--{NAMES.get(name, name).replace('_', '-')}"
            for name, (_, default) in OPTIONS.items()
            if self._chosen[name] not in (default, [])
        ]

    def plan(self, assay: Assay, profile: str) -> dict[str, Any]:
        """Return the body of POST /campaigns; raises CommandError for what fits no test."""
        of, chosen = self._chosen, assay.profiles.get(profile)
        self._overrides = overrides = OptionOverrides(chosen)
        overrides.size("--file-size", "file_size", of["file_size"])
        overrides.size("--length", "length", of["length"])
        overrides.duration("--duration", "length", of["duration"])
        overrides.rate("--rate", "rate_bytes_per_s", of["rate"])
        overrides.counts("--queue-depth", "queue_depth", of["queue_depth"])
        overrides.words("--cache", "cache", of["cache"])
        overrides.words("--priority", "priority", of["priority"])
        overrides.words("--io-priority", "io_priority", of["io_priority"])
        overrides.count("--repeats", "repeats", of["repeats"])
        overrides.assign(of["assignment"])
        criteria: list[str] = of["criterion"] or []
        implied = {"pace": "rate"} if of["rate"] is not None else {}
        implied |= {"engine": "io_uring"} if of["queue_depth"] else {}
        return {
            "labels": labels_of(of["label"]),
            "reference": of["reference"],
            "profile_id": chosen.id,
            "targets": of["target"],
            "read_back_target": of["read_back_at"],
            "sources": _ends(assay, of["source"] or []),
            "sinks": _ends(assay, of["sink"] or []),
            "arrangement": of["arrangement"],
            "together": of["together"],
            "scale_out": of["scaling"],
            "overrides": implied | overrides.values,
            "criteria": [{"criterion": one} for one in criteria],
        }

    def explained(self, error: AssayError) -> CommandError:
        """Return an error of the API in the words of these options."""
        message = with_commands(str(error))
        if self._overrides is None:
            return CommandError(message)
        for one in error.fields if isinstance(error, ApiError) else ():
            if option := FIELDS.get(one.field.removeprefix("plan.").partition(".")[0]):
                message = renamed(message, one.field, option)
        return CommandError(self._overrides.named(message))


FIELDS = {
    "profile": "--profile",
    "targets": "--target",
    "target_ids": "--target",
    "sources": "--source",
    "sinks": "--sink",
    "arrangement": "--arrangement",
    "together": "--together",
    "scale_out": "--scale-out",
    "read_back_target": "--read-back-at",
    "read_back_target_id": "--read-back-at",
    "labels": "--label",
    "reference": "--reference",
    "criteria": "--criterion",
}
"""The options that set the fields of a plan; `OptionOverrides` has those of its overrides."""

NAMES = {"scaling": "scale_out", "assignment": "set"}
"""The parameters whose options are named differently."""


def choosing(command: Command) -> Command:
    """Give a command these options; it gets them as `choices`."""

    def called(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in OPTIONS}
        command(choices=Choices(chosen), **given)

    return with_options(called, command, OPTIONS, without="choices")


def _ends(assay: Assay, wanted: Sequence[str]) -> list[dict[str, str]]:
    """Return ends of transfers: hosts with these names, else targets."""
    if not wanted:
        return []
    names = {name for host in assay.hosts.list() for name in (host.name, slug(host.name))}
    return [{"host": one} if one in names else {"target": one} for one in wanted]
