"""The options that say what a profile is launched on, and with which values of its tests.

`campaign run` and `schedule add` have them. Those for values of tests are made of the declarations
of the parameters.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from assay.base.names import slug
from assay.base.words import grouped, listed
from assay.cli.arguments import labels_of, seconds_of
from assay.cli.connection import in_options
from assay.cli.console import CommandError
from assay.cli.formats import LISTS, value_of
from assay.cli.options import Command, Option, completion, flag, several, text, with_options
from assay.client import Assay, AssayError
from assay.kinds.parameters import Parameter, bounds_of
from assay.kinds.registry import KINDS, Overrides
from assay.runs.campaigns.pairs import Arrangement
from assay.runs.profiles.schemas import ProfileOut

NAMED = {
    "file_size": "file_size",
    "length": "length",
    "duration": "length",
    "rate": "rate_bytes_per_s",
    **{name: name for name in ("queue_depth", "cache", "priority", "io_priority", "repeats")},
}
"""The parameters that have an option of their own; the length has one for durations, too."""

IMPLIED: Mapping[str, Mapping[str, str]] = {
    "rate": {"pace": "rate"},
    "queue_depth": {"engine": "io_uring"},
}
"""What a test needs, beside the value of an option, to use it."""

EXAMPLES = {
    "expression": "such as 4 GB or 2 * ram",
    "length": "such as 1 TB, 2 * ram or 90 min",
    "rates": "such as 125 MB/s",
}
"""Values of formats whose bounds say little."""


def _declared(field: str) -> Sequence[Parameter]:
    """Return the declarations of a parameter by the kinds that have it."""
    return [kind.parameters[field] for kind in KINDS.values() if field in kind.parameters]


def _choices(field: str) -> Sequence[str]:
    return [*dict.fromkeys(one.value for each in _declared(field) for one in each.choices)]


def _meaning(field: str) -> str:
    """Return what a parameter is, and which values it takes."""
    first, choices = _declared(field)[0], _choices(field)
    if choices:
        return f"{first.label}: {listed(choices, 'or')}"
    if first.format in EXAMPLES:
        return f"{first.label}, {EXAMPLES[first.format]}"
    schemas = (kind.test.model_json_schema()["properties"] for kind in KINDS.values())
    bounds = (bounds_of(one[field]) for one in schemas if field in one)
    least, most = next(filter(None, bounds))
    return f"{first.label}, {grouped(least)} to {grouped(most)}"


def _option(name: str, field: str) -> Any:
    """Return the type and the option of a parameter with an option of its own."""
    if name == "duration":
        said = "Length as a duration, such as 90 min; overrides the profile"
        return Annotated[str | None, typer.Option(help=said)]
    declared = _declared(field)
    repeatable = any(one.format in LISTS for one in declared)
    said = [_meaning(field), *(f"sets {one}={of}" for one, of in IMPLIED.get(name, {}).items())]
    said.append("repeatable, overrides the profile" if repeatable else "overrides the profile")
    first, *differing = {one.help.partition(". ")[0].rstrip(".") for one in declared}
    whole = "; ".join(said) if differing else f"{'; '.join(said)}. {first}."
    choices = _choices(field)
    complete = completion(choices) if choices else None
    option = typer.Option(help=whole, autocompletion=complete)
    return Annotated[list[str] | None if repeatable else str | None, option]


def _assignments(incomplete: str) -> Iterator[str]:
    """Yield what completes a parameter that is set, or its value."""
    field, equals, value = incomplete.partition("=")
    if equals:
        yield from (f"{field}={one}" for one in _choices(field) if one.startswith(value))
    else:
        yield from (f"{one}=" for one in Overrides.model_fields if one.startswith(field))


_ARRANGEMENT = typer.Option(
    help="together: all sources and sinks in one run; mesh: from each source to each other one, a "
    "run for each direction, without --sink"
)

OPTIONS: dict[str, Option] = {
    "target": several("HOST/PATH, path, name or id"),
    "source": several("Of a transfer: a target, or a host's name for the memory of that host"),
    "sink": several("Of a transfer: a target or a host, as for --source"),
    "arrangement": (Annotated[Arrangement, _ARRANGEMENT], "together"),
    "together": flag("--together", "All targets at the same time"),
    "scaling": flag(
        "--scale-out", "The first target, or source and sink, then the first two together, … all"
    ),
    "read_back_at": text(
        "The target as another host sees it, which reads the files of tests with read_back "
        '"other_host" back'
    ),
    "label": several("KEY=VALUE"),
    "reference": text("Such as a ticket or an order"),
    **{name: (_option(name, field), None) for name, field in NAMED.items()},
    "assignment": several(
        "Any other field of the profile's tests, named as in the API and written as in forms, such "
        "as full_duplex=yes, block=64KiB,1MiB or source_cpus=0-3; overrides the profile",
        "--set",
        metavar="FIELD=VALUE",
        autocompletion=_assignments,
    ),
    "criterion": several('Such as "durable.mean >= 1 GB/s", beside the profile\'s'),
}
"""The type and the option of each, and its default."""

NAMES = {"scaling": "scale_out", "assignment": "set"}
"""The parameters whose options are named differently."""

FIELDS = {
    **{"profile": "--profile", "targets": "--target", "target_ids": "--target"},
    **{"sources": "--source", "sinks": "--sink", "arrangement": "--arrangement"},
    **{"together": "--together", "scale_out": "--scale-out", "labels": "--label"},
    **{"read_back_target": "--read-back-at", "read_back_target_id": "--read-back-at"},
    **{"reference": "--reference", "criteria": "--criterion"},
}
"""The options that set the fields of a plan, beside those of its overrides."""


class ChosenOverrides:
    """Overrides of a profile, each with the option that set it."""

    def __init__(self, profile: ProfileOut) -> None:
        """Begin without overrides of `profile`."""
        self.values: dict[str, Any] = {}
        self.options: dict[str, str] = {}
        self._profile = profile.name
        self._tests = [test.model_dump() for test in profile.body.tests]

    def set(self, option: str, field: str, text: str) -> None:
        """Set a parameter to the value that a text means; raises CommandError."""
        if before := self.options.get(field):
            raise CommandError(f"{option}: {before} sets the same value. Use one of them.")
        kinds = dict.fromkeys(test["kind"] for test in self._tests if field in test)
        if not kinds:
            raise CommandError(
                f"{option}: no test of the profile {self._profile!r} has this value. "
                "Omit the option."
            )
        self.values[field] = _read(option, field, text, [*kinds])
        self.options[field] = option

    def assign(self, assignment: str) -> None:
        """Set a parameter as `FIELD=VALUE` says; raises CommandError."""
        field, equals, text = (part.strip() for part in assignment.partition("="))
        if not equals:
            raise CommandError(
                f"--set: {assignment!r} is not FIELD=VALUE. Write it like full_duplex=yes."
            )
        known = {name for test in self._tests for name in test} & {*Overrides.model_fields}
        if field not in known:
            raise CommandError(
                f"--set: no test of the profile {self._profile!r} has the field "
                f"{field!r}. Fields: {', '.join(sorted(known))}."
            )
        self.set(f"--set {field}", field, text)


def _read(option: str, field: str, text: str, kinds: Sequence[str]) -> object:
    """Return the value that a text means for a parameter of these kinds.

    It is the first reading that one of them takes. The API explains why none does.
    """
    readings = [value_of(option, text, KINDS[kind].parameters[field]) for kind in kinds]
    for kind, value in zip(kinds, readings, strict=True):
        try:
            KINDS[kind].overrides.model_validate({field: value})
        except ValidationError:
            continue
        return value
    return readings[0]


class Choices:
    """The values of these options."""

    def __init__(self, chosen: dict[str, Any]) -> None:
        """Keep them by the names of `OPTIONS`."""
        self._chosen = chosen
        self._overrides: ChosenOverrides | None = None

    @property
    def given(self) -> list[str]:
        """The options that differ from their defaults."""
        return [
            _written(name)
            for name, (_, default) in OPTIONS.items()
            if self._chosen[name] not in (default, [])
        ]

    def plan(self, assay: Assay, profile: str) -> dict[str, Any]:
        """Return the body of POST /campaigns; raises CommandError for what fits no test."""
        of, found = self._chosen, assay.profiles.get(profile)
        self._overrides = overrides = ChosenOverrides(found)
        if of["duration"] is not None:
            seconds_of("--duration", of["duration"])
        implied: dict[str, str] = {}
        for name, field in NAMED.items():
            if given := of[name]:
                text = given if isinstance(given, str) else ",".join(given)
                overrides.set(_written(name), field, text)
                implied |= IMPLIED.get(name, {})
        for assignment in of["assignment"] or ():
            overrides.assign(assignment)
        return {
            "labels": labels_of(of["label"]),
            "reference": of["reference"],
            "profile_id": found.id,
            "targets": of["target"],
            "read_back_target": of["read_back_at"],
            "sources": _ends(assay, of["source"] or []),
            "sinks": _ends(assay, of["sink"] or []),
            "arrangement": of["arrangement"],
            "together": of["together"],
            "scale_out": of["scaling"],
            "overrides": implied | overrides.values,
            "criteria": [{"criterion": one} for one in of["criterion"] or ()],
        }

    def explained(self, error: AssayError) -> CommandError:
        """Return an error of the API in the words of these options."""
        return CommandError(in_options(error, self._option))

    def _option(self, field: str) -> str | None:
        """Return the option that set a field of the plan."""
        name, _, rest = field.removeprefix("plan.").partition(".")
        if name == "overrides" and self._overrides is not None:
            return self._overrides.options.get(rest.partition(".")[0])
        return FIELDS.get(name)


def choosing(command: Command) -> Command:
    """Give a command these options; it gets them as `choices`."""

    def called(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in OPTIONS}
        command(choices=Choices(chosen), **given)

    return with_options(called, command, OPTIONS, without="choices")


def _written(name: str) -> str:
    return f"--{NAMES.get(name, name).replace('_', '-')}"


def _ends(assay: Assay, wanted: Sequence[str]) -> list[dict[str, str]]:
    """Return ends of transfers: hosts with these names, else targets."""
    if not wanted:
        return []
    names = {name for host in assay.hosts.list() for name in (host.name, slug(host.name))}
    return [{"host": one} if one in names else {"target": one} for one in wanted]
