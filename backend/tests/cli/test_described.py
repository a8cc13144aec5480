"""What `show` prints of an object: text with units, and nothing that a terminal would obey."""

import math
from typing import Any

import pytest
from assay.cli.described import lines
from assay.tables.database import writing
from testing.api import Appliance
from testing.command_line import Shell
from testing.seeds import seed_ended_run


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("free_bytes", 12_300_000_000, "free: 12.3 GB"),
        ("best_write_bytes_per_s", 2.5e8, "best write rate: 250 MB/s"),
        ("rate_bytes_per_s", 10**6, "rate: 1.00 MB/s"),
        ("bytes_per_s", 5e6, "rate: 5.00 MB/s"),
        ("bytes", 10**7, "bytes: 10.0 MB"),
        ("rate_records_per_s", 1000.0, "rate records: 1000/s"),
        ("timeout_ms", 90_000, "timeout: 90 s"),
        ("eta_s", 0.5, "eta: 500 ms"),
        ("lat_max_ns", 1_500_000, "lat max: 1.50 ms"),
        ("fill_percent", 80, "fill: 80 %"),
        ("created_at", "2026-12-05T09:14:59.123Z", "created at: 2026-12-05 09:14 UTC"),
        ("enabled", False, "enabled: no"),
        ("id", 7, "id: 7"),
        ("threads", [1, 2, 4], "threads: 1, 2, 4"),
        ("marks", list(range(13)), "marks: 13 values (--json has them)"),
        ("name", "a\x1b[31mb", "name: a\\x1b[31mb"),
        ("name", "a: b\n", "name: a: b"),
        ("clock_ahead_ns", -86_400 * 10**9, "clock ahead: -86400 s"),
        ("clock_ahead_ns", 0, "clock ahead: 0 s"),
        ("cpu_tick_ns", 10**7, "cpu tick: 10.0 ms"),
        ("eta_s", -90, "eta: -90 s"),
        ("eta_s", 0, "eta: 0 s"),
        ("dirty_growth_bytes", -12_345_678, "dirty growth: -12.3 MB"),
        ("link_bits_per_s", 10**10, "link: 10.0 Gbit/s"),
        ("link_bits_per_s", 100_000_000, "link: 100 Mbit/s"),
        ("fill_percent", 33.33333, "fill: 33.3 %"),
        ("cv", 0.000123456, "cv: 0.000123"),
        ("cv", 12.3456789, "cv: 12.3"),
        ("cv", 1e21, "cv: 1 000 000 000 000 000 000 000"),
        ("bytes_read", 10_802, "bytes read: 10.8 kB"),
        ("bytes_per_day", 2 * 10**12, "bytes per day: 2.00 TB"),
        ("file_bytes", [1000], "file: 1.00 kB"),
        ("file_bytes", [1000, None, 2000], "file: 1.00 kB, none, 2.00 kB"),
        ("sparkline_bytes_per_s", [1.0] * 13, "sparkline rate: 13 values (--json has them)"),
        ("problems", ["It is full."], "problems: It is full."),
        ("evidence", ["It reached ", {"bytes_per_s": 5e6}, "."], "evidence: It reached 5.00 MB/s."),
        (
            "headline",
            {
                "kind": "matrix",
                "words": {
                    "doubt": "Served by the page cache",
                    "figure": {"bytes_per_s": 5e6},
                    "rest": ["durable with ", {"block_bytes": 4096}, " blocks"],
                },
            },
            "headline: Served by the page cache: 5.00 MB/s durable with 4 KiB blocks.",
        ),
    ],
)
def test_a_field_is_a_line_with_its_unit(field: str, value: object, line: str) -> None:
    assert list(lines({field: value})) == [line]


@pytest.mark.parametrize("name", ["cv", "eta_s", "window_ms", "free_bytes", "rate_bytes_per_s"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_written(name: str, value: float) -> None:
    (line,) = lines({name: value})
    assert line.endswith(f": {value}")


def test_sentences_of_a_list_have_a_line_each() -> None:
    said = ["The disk is full, and slow.", "No room"]
    assert list(lines({"problems": said})) == ["problems:", *(f"  {one}" for one in said)]


@pytest.mark.parametrize("field", ["labels", "target_labels"])
def test_labels_are_shown_as_users_wrote_them(field: str) -> None:
    labels = {"result": "ok", "cost_s": "12", "links": "", "built": "2026-12-05T09:14:59Z"}
    assert list(lines({field: labels}))[1:] == [
        *("  result: ok", "  cost_s: 12", "  links:", "  built: 2026-12-05T09:14:59Z"),
    ]
    of_a_run = {"host": {"result": "ok"}, "target": {"cost_s": "12"}}
    assert list(lines({field: of_a_run}))[1:] == [
        *("  host:", "    result: ok", "  target:", "    cost_s: 12"),
    ]


def test_the_reason_of_a_failure_is_shown_once() -> None:
    error = {"code": "io", "detail": "The disk failed."}
    failed = {"state": "failed", "state_reason": "The disk failed.", "error": error}
    assert "\n".join(lines({"runs": [failed], **failed})).count("The disk failed.") == 2
    canceled = {"state_reason": "by grace", "error": None}
    assert list(lines(canceled)) == ["state reason: by grace"]


@pytest.mark.parametrize("value", [None, "", [], {}])
def test_a_field_without_a_value_is_not_shown(value: object) -> None:
    assert list(lines({"id": 1, "note": value})) == ["id: 1"]


def test_what_is_nested_is_indented() -> None:
    document: dict[str, Any] = {
        "etag": "x",
        "labels": {"rack": "b7"},
        "disks": [{"name": "sda", "size_bytes": 4000}, {"name": "sdb"}],
        "text": "two\nlines",
    }
    assert list(lines(document)) == [
        "labels:",
        "  rack: b7",
        "disks:",
        "  - name: sda",
        "    size: 4.00 kB",
        "  - name: sdb",
        "text:",
        "  two",
        "  lines",
    ]


def test_every_show_prints_text(shell: Shell, appliance: Appliance) -> None:
    appliance.target(appliance.host("lab1"), "/mnt/disk")
    shell("array", "add", "vault", "--vendor", "Acme")
    with writing() as session:
        run = seed_ended_run(session)
        run_id, campaign_id = run.id, run.campaign_id
    token = appliance.admin.get("/tokens").json()["items"][0]["id"]
    for arguments, line in (
        (("host", "show", "lab1"), "name: lab1"),
        (("target", "show", "lab1/mnt/disk"), "path: /mnt/disk"),
        (("array", "show", "vault"), "vendor: Acme"),
        (("profile", "show", "First look"), "name: First look"),
        (("token", "show", str(token)), f"id: {token}"),
        (("run", "show", str(run_id)), "state: done"),
        (("campaign", "show", str(campaign_id)), "state: done"),
        (("trial", "show", "1"), "repeat: 1"),
    ):
        printed = shell(*arguments)
        assert line in printed.splitlines(), printed
        assert "{" not in printed, printed
