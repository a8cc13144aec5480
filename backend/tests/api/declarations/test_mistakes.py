"""Mistakes in files: each has field, line and column."""

import pytest
from testing.api import Appliance, problem

from .applying import (
    KEY,
    apply,
    errors_of,
    fingerprint,
)

PRINT = fingerprint(KEY)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("name: lab\nhosts:\n  - name: a\n    adress: b\n", ("hosts.0.adress", 4, 5)),
        ("name: lab\nhosts:\n  - name: a\n    port: no\n", ("hosts.0.port", 4, 5)),
        ("name: lab\nhosts:\n  - name: a\n    port: true\n", ("hosts.0.port", 4, 5)),
        ("name: lab\nhosts:\n  - name: a\n    port: 70000\n", ("hosts.0.port", 4, 5)),
        ("name: lab\nhosts:\n  - name: 5\n", ("hosts.0.name", 3, 5)),
        ("name: lab\nhosts:\n  - address: a\n", ("hosts.0.name", 3, 5)),
        ("name: lab\nhosts: {name: a}\n", ("hosts", 2, 1)),
        ("name: lab\nhosts:\n  - web-1\n", ("hosts.0", 3, 5)),
        ("name: lab\nhosts:\n  - {name: a, host_key: 'SHA256:x'}\n", ("hosts.0.host_key", 3, 15)),
        (
            f"name: lab\nhosts:\n  - name: a\n    connection: local\n    host_key: {PRINT}",
            ("hosts.0.host_key", 5, 5),
        ),
        ("name: lab\nhosts:\n  - name: a\n  - name: a\n", ("hosts.1.name", 4, 5)),
        (
            "name: lab\nhosts: [{name: a, targets: [{path: /a}, {path: /a/}]}]",
            ("hosts.0.targets.1.path", 2, 42),
        ),
        ("name: lab\nhosts: [{name: a, targets: [{path: a}]}]", ("hosts.0.targets.0.path", 2, 30)),
        ("name: lab\narrays:\n  - name: a\n    labels: {rack: 7}\n", ("arrays.0.labels", 4, 5)),
        ("name: lab\narrays:\n  - name: a\n    shared: yes\n", ("arrays.0.shared", 4, 5)),
        (
            "name: lab\narrays:\n  - name: a\n    cache_bytes: 64 GB\n",
            ("arrays.0.cache_bytes", 4, 5),
        ),
        ("name: lab\nprofiles:\n  - name: p\n    tests: []\n", ("profiles.0.tests", 4, 5)),
        (
            "name: lab\nprofiles:\n  - name: p\n    tests:\n      - kind: matricks\n",
            ("profiles.0.tests.0.kind", 5, 9),
        ),
        (
            "name: lab\nprofiles:\n  - name: p\n    tests:\n      - kind: matrix\n"
            "        title: x\n        blocks: [1]\n        block: [4096]\n"
            "        threads: [1]\n        operation: write\n        file_size: 1 MB\n",
            ("profiles.0.tests.0.blocks", 7, 9),
        ),
        ("hosts: []\n", ("name", 1, 1)),
        ("- name\n", ("text", 1, 1)),
        ("name: lab\nname: lab\n", ("name", 2, 1)),
        ("name: lab\nhots: []\n", ("hots", 2, 1)),
    ],
)
def test_a_mistake_has_field_line_and_column(
    appliance: Appliance, text: str, found: tuple[str, int, int]
) -> None:
    assert errors_of(apply(appliance.operator, text)) == [found]


def test_an_unknown_field_has_the_nearest_ones(appliance: Appliance) -> None:
    answer = apply(appliance.operator, "name: lab\nhosts:\n  - name: a\n    adress: b\n")
    (error,) = answer.json()["errors"]
    assert error["remedy"] == "Did you mean `address` or `targets`?"


def test_a_file_that_is_too_large_is_refused(appliance: Appliance) -> None:
    (error,) = problem(apply(appliance.operator, "#" * 1_000_001), 422, "invalid")["errors"]
    assert error["field"] == "text"
    assert error["message"] == "must have 1000000 or fewer characters"
