"""The nouns of the API: one row for each, from which client and command line are made.

`assay.client` has a resource for each row, and `assay.cli` a group with the commands that nouns
share. By hand is only what a single noun can do.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from assay.base.identity import Role

Verb = Literal["show", "create", "change", "label", "note", "match", "delete"]
"""What the commands of several nouns do, beside `list`; `create` is `add`, and `match` also is
`unmatch`."""


@dataclass(frozen=True)
class Noun:
    """What client and command line know of a noun."""

    name: str
    plural: str
    about: str
    """The help of its commands."""
    verbs: tuple[Verb, ...]
    columns: tuple[str, ...]
    """The columns of its list: a field of the API, or a title and a field's path, as in
    `host: host_name`; `version:` is made by code."""
    wide: tuple[str, ...] = ()
    """Those that only a wide list has."""
    listed: str = ""
    """What its list has, for the help."""
    shown: str = ""
    """What is shown beside its fields."""
    sort: str | None = None
    most: int | None = None
    """The order and the length of its list, if none is given."""
    by_id: bool = False
    """It has no name: only its id finds it."""
    title: tuple[str, ...] = ("name",)
    """The fields that people call it by."""
    command: str = ""
    """The name of its group of commands, if it is not its own."""
    example: str = ""
    """Fields of a new one."""
    consequence: str = ""
    """What a deletion means for others."""
    reader: Role = "viewer"
    writer: Role = "admin"
    """Who may read and write it."""

    @property
    def attribute(self) -> str:
        """Its name in the client."""
        return self.plural.replace(" ", "_")

    @property
    def path(self) -> str:
        """The path of its list in the API."""
        return f"/{self.plural.replace(' ', '-')}"

    @property
    def group(self) -> str:
        """The name of its group of commands."""
        return self.command or self.name

    @property
    def fields(self) -> Mapping[str, str]:
        """The paths of the columns' fields by their titles; empty for what is made by code."""
        parted = (one.partition(":") for one in self.columns)
        return {title: path.strip() if colon else title for title, colon, path in parted}


_KEPT = "; what was measured is kept"

HOST = Noun(
    "host",
    "hosts",
    "Hosts.",
    ("show", "match", "change", "label", "delete"),
    ("id", "name", "address:", "state", "system:", "targets (id, path, free):"),
    listed="hosts with their states and targets",
    sort="name",
    consequence=_KEPT,
)
TARGET = Noun(
    "target",
    "targets",
    "Targets: directories where tests may write.",
    ("show", "match", "change", "label", "delete"),
    (
        "id",
        "host: host_name",
        "path",
        "array: array.name",
        "file system: fs_type",
        "free: free_bytes",
    ),
    listed="targets with their file systems and free space",
    sort="path",
    title=("host_name", "path"),
    consequence=_KEPT,
)
ARRAY = Noun(
    "array",
    "arrays",
    "Arrays: storage systems under test.",
    ("show", "note", "match", "change", "label", "delete"),
    ("id", "name", "vendor", "model", "targets"),
    listed="arrays with the number of their targets",
    sort="name",
    consequence=_KEPT,
)
PROFILE = Noun(
    "profile",
    "profiles",
    "Profiles: stored lists of tests.",
    ("show", "delete"),
    ("id", "name", "slug", "version:", "description"),
    wide=("description",),
    listed="the newest version of each profile, or all versions of one",
    sort="name",
    consequence=_KEPT,
)
TOOL = Noun(
    "tool",
    "tools",
    "Tools: programs that move data for tests.",
    ("delete",),
    (
        *("name: definition.name", "title: definition.title", "moves: definition.input"),
        "needs at the source: definition.needs_at_source",
        "needs at the sink: definition.needs_at_sink",
    ),
    wide=("needs at the source", "needs at the sink"),
    listed="the tools, what each moves, and what it needs at both hosts",
    title=("definition.name",),
)
CAMPAIGN = Noun(
    "campaign",
    "campaigns",
    "Campaigns.",
    ("label", "note"),
    (
        *("id", "verdict: verdict.outcome", "state", "campaign: name", "profile: profile.slug"),
        "launched (UTC): created_at",
    ),
    listed="campaigns, by default the newest first",
    sort="-id",
    most=50,
    by_id=True,
    writer="operator",
)
RUN = Noun(
    "run",
    "runs",
    "Runs and their results.",
    ("show", "note"),
    ("id", "campaign: campaign_id", "test: title", "verdict: verdict.outcome", "state"),
    listed="runs, by default the newest first",
    shown=", its hosts and what happened; --json has everything",
    sort="-id",
    most=50,
    by_id=True,
    writer="operator",
)
SCHEDULE = Noun(
    "schedule",
    "schedules",
    "Schedules of campaigns.",
    ("change", "delete"),
    ("id", "schedule: name", "cron:", "state", "next:", "last: last.outcome"),
    listed="schedules with their next fire times and what became of the last",
    consequence="; its campaigns stay",
)
WEBHOOK = Noun(
    "webhook",
    "webhooks",
    "Webhooks: events sent to other systems.",
    ("show", "change", "delete"),
    ("id", "name", "url", "events", "state:", "last delivery:"),
    listed="webhooks with their events and newest delivery",
    consequence=" with its deliveries",
    reader="operator",
)
AUTHORITY = Noun(
    "host authority",
    "host authorities",
    "Authorities that sign the keys of hosts.",
    ("show", "change", "delete"),
    ("id", "name", "hosts: patterns", "fingerprint"),
    command="authority",
    consequence="; its hosts need an approval then",
    reader="admin",
)
CREDENTIAL = Noun(
    "credential",
    "credentials",
    "Credentials for hosts.",
    ("show", "delete"),
    ("id", "name", "kind", "created (UTC): created_at"),
    reader="admin",
)
USER = Noun(
    "user",
    "users",
    "Users of the appliance.",
    ("show", "create", "change", "delete"),
    ("id", "name", "role", "disabled"),
    example="name=ada role=operator password=@-",
    reader="admin",
)
TOKEN = Noun(
    "token",
    "tokens",
    "API tokens.",
    ("show", "delete"),
    ("id", "name", "scopes:", "targets:", "used today:", "active:", "last used:", "expires:"),
    listed="tokens with their scopes and limits, and what they used today; without secrets",
    by_id=True,
    consequence="; its campaigns continue",
    reader="admin",
)

NOUNS: Mapping[str, Noun] = {
    one.group: one
    for one in (
        *(HOST, TARGET, ARRAY, PROFILE, TOOL, CAMPAIGN, RUN, SCHEDULE, WEBHOOK, AUTHORITY),
        *(CREDENTIAL, USER, TOKEN),
    )
}
"""The nouns by the names of their groups of commands."""
