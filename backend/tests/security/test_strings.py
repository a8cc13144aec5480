"""Every string of the API's description has a rule, and what it accepts is written as one value.

The fields come from the OpenAPI document: a new one is text of one line, or has to be listed here.
"""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from html.parser import HTMLParser
from typing import Any, cast

import yaml
from assay.api.accounts.authentication import CSRF_HEADER
from assay.api.app import PREFIX
from assay.cli import reports
from assay.tables.database import writing
from assay.tables.runs import Run
from assay.tables.targets import Target
from httpx import Response
from markdown_it import MarkdownIt
from testing.furnished import DOCUMENT, OPERATIONS, Furnished

CONTROLS = {
    "line feed": "x\nProxyCommand id",
    "carriage return": "x\rProxyCommand id",
    "both": "x\r\nX-Injected: 1",
    "final line feed": "x\n",
    "tab": "x\ty",
    "NUL": "x\x00y",
    "escape": "x\x1b[2J\x1b]0;title\x07",
    "C1": "x\x9b31m",
    "right to left": "x\u202etxt.exe",
    "line separator": "x\u2028y",
    "zero width": "x\u200by",
}
"""What must not be on a line."""

BREAKS = ("line feed", "carriage return", "both", "final line feed", "tab")
FORMATS = ("right to left", "line separator", "zero width")

SEVERAL_LINES = {
    *("description", "reason", "needs_at_source", "needs_at_sink"),
    *("source_check", "source_command", "source_cleanup"),
    *("sink_check", "sink_command", "sink_cleanup"),
}
"""Names of fields with text of several lines."""

PATHS = {"path", "probe_dir"}
"""They reach hosts as quoted arguments or fields of a plan."""

SECRETS = {"password", "passphrase", "code"}
"""They are sealed or hashed, and sent to hosts by the SSH protocol alone."""

FILES = {
    "criteria",
    "text",
    "private_key",
    "known_hosts",
    "public_key",
    "revoked_keys",
    "certificate",
}
"""Contents of files and other texts that are parsed, and never written."""

SPACED = {"cron", "zone", "reference", "fingerprint", "criterion", "length", "file_size"}
"""White space around the value is removed, or separates its parts."""

COMPARED = {
    *("array", "credential", "host", "jump_host", "profile", "target", "targets"),
    *("read_back_target", "source_host", "sink_host"),
}
"""Names of other objects, which may be paths, and texts that are only checked: none is stored."""

UNANSWERED = ("POST /session", "POST /setup")
"""Operations of callers who have not logged in; they are refused, or throttled."""


@dataclass(frozen=True)
class Field:
    """A string field of a body: the schema that declares it, its name there, and its whole name.

    `put` returns a body with a value in the field, which is valid if the value is.
    """

    schema: str
    name: str
    whole: str
    put: Callable[[Any], Any]

    def below(self, part: str, put: Callable[[Any], Any]) -> "Field":
        """Return the field of a body in which this field's body is `part`."""
        whole = f"{part}.{self.whole}" if self.whole else part
        return replace(self, whole=whole, put=partial(_nested, put, self.put))

    @property
    def controls(self) -> set[str]:
        """Which of `CONTROLS` the field may have."""
        if self.name in PATHS | COMPARED:
            return CONTROLS.keys() - {"NUL"}
        if self.name in SECRETS | FILES:
            return set(CONTROLS)
        if self.name in SEVERAL_LINES or self.schema == "NotesIn":
            return {*BREAKS, *FORMATS}
        return {"final line feed"} if self.name in SPACED else set()


def resolved(schema: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    name = schema.get("$ref", "").rpartition("/")[2]
    return name, DOCUMENT["components"]["schemas"][name] if name else schema


def example_of(schema: Mapping[str, Any]) -> Any:
    return resolved(schema)[1].get("examples", [None])[0]


def strings(schema: Mapping[str, Any], base: Any, declared: tuple[str, str]) -> Iterator[Field]:
    """Yield the string fields of what a schema describes, of which `base` is an example."""
    name, schema = resolved(schema)
    options = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    for option in options:
        several = sum("$ref" in one for one in options) > 1
        yield from strings(option, example_of(option) if several else base, declared)
    match schema.get("type"):
        case "string" if not {"enum", "const", "format"} & schema.keys():
            yield Field(*declared, "", _itself)
        case "array":
            items = schema.get("items", {})
            given: list[Any] = base or [example_of(items)]
            first = given[0]
            for one in strings(items, first, declared):
                yield one.below("0", lambda value: [value])
        case "object":
            whole: dict[str, Any] = base or example_of(schema) or {}
            for key, child in schema.get("properties", {}).items():
                for one in strings(child, whole.get(key), (name, key)):
                    yield one.below(key, partial(_with, whole, key))
            if isinstance(values := schema.get("additionalProperties"), dict):
                for one in strings(values, None, declared):
                    yield one.below("key", lambda value: {"key": value})
                yield Field(*declared, "", lambda value: {value: "x"})
        case _:
            pass


def _nested(outer: Callable[[Any], Any], inner: Callable[[Any], Any], value: Any) -> Any:
    return outer(inner(value))


def _itself(value: Any) -> Any:
    return value


def _with(body: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    return {**body, key: value}


def fields_of(furnished: Furnished, operation: str) -> Iterator[Field]:
    """Yield the string fields of an operation's body."""
    if described := OPERATIONS[operation].get("requestBody"):
        schema = described["content"]["application/json"]["schema"]
        yield from strings(schema, furnished.body(operation), ("", ""))


def part_of(name: str, whole: str) -> bool:
    return f"{name}.".startswith(f"{whole}.")


def send(furnished: Furnished, operation: str, body: Any, csrf: str) -> Response:
    method, path = operation.split(" ", maxsplit=1)[0], PREFIX + furnished.path(operation)
    return furnished.http.request(method, path, json=body, headers={CSRF_HEADER: csrf})


def test_every_string_is_refused_with_what_its_rule_excludes(furnished: Furnished) -> None:
    _, csrf = furnished.log_in("admin")
    seen: set[tuple[str, str, bool]] = set()
    wrong: list[str] = []
    for operation in (one for one in OPERATIONS if one not in UNANSWERED):
        for field in fields_of(furnished, operation):
            if (known := (field.schema, field.name, field.whole.endswith("key"))) in seen:
                continue
            seen.add(known)
            for what in CONTROLS.keys() - field.controls:
                answer = send(furnished, operation, field.put(CONTROLS[what]), csrf)
                named: list[str] = [one["field"] for one in answer.json().get("errors", ())]
                if not any(part_of(one, field.whole) or part_of(field.whole, one) for one in named):
                    wrong.append(f"{operation} {field.whole}: {what}: {answer.text[:200]}")
    assert len(seen) > 100
    assert wrong == [], "\n".join(wrong)


HOSTILE = (
    *("-x `id` $(id) ${HOME} ' \"", "=1+1 a;b,c a|b a\\|b \\", "+1 %0d%0aX: y %s {sink} \\n \\"),
    *(
        "@x ../../etc/passwd .. null",
        "<script>alert(1)</script> <!-- ]]>",
        "--> &amp; &#10; &lt;b&gt;",
    ),
    *(
        "# *x* _y_ ~~z~~ [red]x[/] [a](http://b)",
        "| x: y #z",
        "> 1. ```",
        "1. - x",
        "\u6f22\u5b57 \U0001f642",
    ),
    "x" * 90,
)
"""Texts of one line that mean something to a program that reads what Assay writes."""

TIME = re.compile(r"\d\d:\d\d:\d\d UTC")
"""When a report was made."""

MARK = "zqz"
"""Before or after a hostile text, to find it again among others."""


class Structure(HTMLParser):
    """The elements and texts of a document."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(f"<{tag} {attrs}>")

    def handle_endtag(self, tag: str) -> None:
        self.found.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def handle_comment(self, data: str) -> None:
        self.found.append(f"<!--{data}-->")


def html_of(markdown: str) -> str:
    return MarkdownIt("commonmark").enable(["table"]).render(markdown)


def rows_of(table: str) -> list[list[str]]:
    """Return the cells of CSV, without the quote before what a spreadsheet takes for a formula."""
    rows = csv.reader(io.StringIO(table, newline=""))
    return [[re.sub(r"^'(?=[=+@-])", "", cell) for cell in row] for row in rows]


def read_back(furnished: Furnished) -> dict[str, Any]:
    """Return what programs read in each of the texts about the campaign and its objects."""

    def text(path: str, **query: str) -> str:
        answer = furnished.appliance.admin.get(path.format(**furnished.ids), **query)
        assert answer.status_code == 200, answer.text
        for name, value in answer.headers.items():
            assert (name + value).isascii() and (name + value).isprintable(), (path, name, value)
        return answer.text

    campaign = json.loads(text("/campaigns/{campaign_id}"))
    verdict = json.loads(text("/campaigns/{campaign_id}/verdict"))
    return {
        "report.html": Structure(TIME.sub("", text("/campaigns/{campaign_id}/report.html"))).found,
        "result.md": Structure(html_of(text("/runs/{run_id}/result.md"))).found,
        "result.svg": [one.tag for one in ET.fromstring(text("/runs/{run_id}/result.svg")).iter()],
        "result.csv": rows_of(text("/runs/{run_id}/result.csv")),
        "conditions.csv": rows_of(text("/runs/{run_id}/conditions.csv")),
        "export.csv": rows_of(text("/runs/export")),
        "samples.csv": rows_of(text("/runs/export", rows="samples")),
        "campaign.md": Structure(html_of(reports.markdown(campaign, verdict, []))).found,
        "junit.xml": [
            (one.tag, one.attrib) for one in ET.fromstring(reports.junit(campaign, verdict)).iter()
        ],
        "export.yaml": yaml.safe_load(json.loads(text("/export"))["text"]),
    }


def call(furnished: Furnished, text: str) -> None:
    """Give everything in the campaign's reports a name with a text."""
    first, last = f"{text}{MARK}", f"{MARK}{text}"
    operator = furnished.appliance.operator
    for path, body in (
        ("/hosts/{host_id}", {"name": first, "reference": last, "labels": {"rack": first}}),
        ("/arrays/{array_id}", {"name": last, "vendor": first, "model": last, "serial": first}),
        ("/targets/{target_id}", {"name": last, "reference": first}),
        ("/campaigns/{campaign_id}", {"name": first, "labels": {"rack": last}}),
    ):
        answer = operator.patch(path.format(**furnished.ids), body)
        assert answer.status_code == 200, answer.text
    with writing() as session:
        run = session.get_one(Run, furnished.ids["run_id"])
        run.title = first
        session.get_one(Target, furnished.ids["target_id"]).path = f"/mnt/{first}"


def test_what_is_accepted_is_written_as_one_value(furnished: Furnished) -> None:
    """A document with hostile names has the structure, and the values, of one with plain ones."""
    call(furnished, "plain")
    plain = {name: with_plain(one, "plain") for name, one in read_back(furnished).items()}
    wrong: list[str] = []
    for text in HOSTILE:
        call(furnished, text)
        for name, found in read_back(furnished).items():
            if with_plain(found, text) != plain[name]:
                wrong.append(f"{text!r} in {name}")
    assert wrong == []


def with_plain(found: Any, text: str) -> Any:
    """Return what was read, with a plain text in place of a hostile one."""
    if isinstance(found, str):
        for given, plain in ((f"{text}{MARK}", f"plain{MARK}"), (f"{MARK}{text}", f"{MARK}plain")):
            found = found.replace(given, plain)
        return found
    if isinstance(found, dict):
        items = cast("dict[str, Any]", found).items()
        return {name: with_plain(value, text) for name, value in items}
    if isinstance(found, list | tuple):
        return [with_plain(one, text) for one in cast("list[Any]", found)]
    return found
