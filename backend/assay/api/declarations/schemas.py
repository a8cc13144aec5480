"""The type of a qualification file, and API types of its application.

`python -m assay.api.declarations.schemas` prints the JSON Schema of a file.
"""

import json
import re
import sys
from typing import Annotated, Any, Literal, Self, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from assay.base.field_types import Name, NameOf, RequestBody, Text
from assay.base.host_field_types import AbsolutePath, Address, ConnectionKind, Port, UserName
from assay.base.labels import ExternalReference, Labels
from assay.inventory.arrays.schemas import ArrayFields
from assay.inventory.targets.reserve import Reserve
from assay.kinds.parameters import without_declarations
from assay.runs.profiles.schemas import ProfileBody

LARGEST_TEXT = 1_000_000
"""Characters; a file of a thousand hosts has about 300,000."""

MOST_ENTRIES = 2000

SCHEMA_ID = "https://json-schema.org/draft/2020-12/schema"

_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")


def _fingerprint(text: str) -> str:
    if not _FINGERPRINT.fullmatch(text):
        raise PydanticCustomError(
            "fingerprint",
            "must be a SHA-256 fingerprint",
            {"remedy": "Copy it from `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` there."},
        )
    return text


Fingerprint = Annotated[
    str,
    AfterValidator(_fingerprint),
    Field(
        description="Of the host's public key, `SHA256:…`, as verified on the host: a host that "
        "offers this key is approved"
    ),
]


class DeclaredTarget(RequestBody):
    """A directory of the host in which tests may write."""

    model_config = ConfigDict(strict=True)

    path: AbsolutePath
    name: Name | None = Field(default=None, description="By default the path")
    array: NameOf = None
    reserve_bytes: Reserve = None
    root_consent: bool = Field(
        default=False, description="Register it although it is on the root file system"
    )
    labels: Labels = Field(default_factory=dict[str, str])
    reference: ExternalReference | None = None


class DeclaredHost(RequestBody):
    """A host by its name, with the targets on it."""

    model_config = ConfigDict(strict=True)

    name: Name
    connection: ConnectionKind = "ssh"
    address: Address | None = None
    port: Port = 22
    user: UserName | None = None
    credential: NameOf = None
    jump_host: NameOf = None
    probe_dir: AbsolutePath | None = None
    host_key: Fingerprint | None = None
    labels: Labels = Field(default_factory=dict[str, str])
    reference: ExternalReference | None = None
    targets: Annotated[list[DeclaredTarget], Field(max_length=MOST_ENTRIES)] = Field(
        default_factory=list[DeclaredTarget]
    )

    @model_validator(mode="after")
    def _has_a_key(self) -> Self:
        if self.connection == "local" and self.host_key:
            raise PydanticCustomError(
                "host_key",
                "is only for SSH",
                {"field": "host_key", "remedy": "Remove it: this machine has no host key."},
            )
        return self

    @model_validator(mode="after")
    def _has_each_path_once(self) -> Self:
        _each_once("targets", "path", [target.path for target in self.targets])
        return self


class DeclaredArray(ArrayFields):
    """A storage system by its name."""

    model_config = ConfigDict(strict=True)


class DeclaredProfile(ProfileBody):
    """A profile by its name; it is declared as a whole, and a change makes a new version."""

    model_config = ConfigDict(strict=True)

    name: Name
    description: Text = ""

    @property
    def body(self) -> ProfileBody:
        """The profile's tests and criteria."""
        return ProfileBody(tests=self.tests, watch_ms=self.watch_ms, criteria=self.criteria)


class Declaration(RequestBody):
    """A qualification file. Its `name` identifies it: objects that it creates belong to it."""

    model_config = ConfigDict(strict=True, title="Qualification file")

    name: Name
    arrays: Annotated[list[DeclaredArray], Field(max_length=MOST_ENTRIES)] = Field(
        default_factory=list[DeclaredArray]
    )
    hosts: Annotated[list[DeclaredHost], Field(max_length=MOST_ENTRIES)] = Field(
        default_factory=list[DeclaredHost]
    )
    profiles: Annotated[list[DeclaredProfile], Field(max_length=MOST_ENTRIES)] = Field(
        default_factory=list[DeclaredProfile]
    )

    @model_validator(mode="after")
    def _has_each_name_once(self) -> Self:
        _each_once("arrays", "name", [array.name for array in self.arrays])
        _each_once("hosts", "name", [host.name for host in self.hosts])
        _each_once("profiles", "name", [profile.name for profile in self.profiles])
        return self


def _each_once(of: str, field: str, values: list[str]) -> None:
    """Raise an error for the first value of a list that an earlier entry has."""
    seen: set[str] = set()
    for number, value in enumerate(values):
        if value in seen:
            raise PydanticCustomError(
                "twice",
                "is also the {of} of an earlier entry",
                {
                    "of": field,
                    "field": f"{of}.{number}.{field}",
                    "value": value,
                    "remedy": "Join the entries.",
                },
            )
        seen.add(value)


_TEXT = """\
name: lab
arrays:
  - name: vault-2
    vendor: Acme
    labels: {site: fra}
"""


class ApplyIn(RequestBody):
    """A qualification file; JSON is YAML too."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": _TEXT}]})

    text: Annotated[str, Field(max_length=LARGEST_TEXT, description="YAML or JSON")]


Action = Literal["create", "change", "remove", "unchanged", "keep", "wait"]
Noun = Literal["array", "host", "target", "profile"]


class FieldChange(BaseModel):
    """The value of a field before and after."""

    field: str
    old: Any = None
    new: Any = None


class PlannedChange(BaseModel):
    """What happens to one object.

    `keep`: the file created it and no longer has it, but does not remove it without `prune`.
    `wait`: it cannot be registered yet, for the `reason`; applying the file again continues.
    """

    action: Action
    kind: Noun
    name: str
    id: int | None = None
    fields: list[FieldChange] = []
    reason: str | None = None


_PLAN: JsonDict = {
    "name": "lab",
    "dry_run": False,
    "complete": True,
    "changes": [
        {
            "action": "change",
            "kind": "host",
            "name": "web-1",
            "id": 5,
            "fields": [{"field": "port", "old": 22, "new": 2222}],
            "reason": None,
        }
    ],
}


class FilePlan(BaseModel):
    """What applying a file does, or did; objects in the order of the work.

    `complete` is false if something waits: then apply the file again.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [_PLAN]})

    name: str
    dry_run: bool
    complete: bool
    changes: list[PlannedChange]


class FileExport(BaseModel):
    """A qualification file that describes what exists.

    `credentials` are the names of those that it refers to: their secrets are not exported.
    """

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": _TEXT, "credentials": ["lab key"]}]}
    )

    text: str
    credentials: list[str]


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a qualification file, without what only forms need."""
    schema = without_declarations(Declaration.model_json_schema())
    return {"$schema": SCHEMA_ID, **cast("dict[str, Any]", schema)}


def schema_document() -> str:
    """Return the JSON Schema as the text that `docs/schemas` has."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_document())
