"""The source's parts and their includes: no cycles, and only the top includes `run.h`."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent / "src"
ABOVE_A_RUN = {"start"}
"""The verb that begins a run; every other part is usable without one."""


def part(path: Path) -> str:
    """Return the part of a file: a source file and its header are one part."""
    return str(path.relative_to(SRC).with_suffix(""))


def parts() -> dict[str, set[str]]:
    """Return each part with the parts whose headers it includes."""
    found: dict[str, set[str]] = {}
    for path in sorted([*SRC.rglob("*.c"), *SRC.rglob("*.h")]):
        included = re.findall(r'^#include "(\S+)\.h"', path.read_text(), re.M)
        ours = {name for name in included if (SRC / f"{name}.h").exists()}
        found.setdefault(part(path), set()).update(ours - {part(path)})
    return found


def test_includes_have_no_cycles() -> None:
    order = list(TopologicalSorter(parts()).static_order())  # raises CycleError, which names it
    assert order.index("meter") < order.index("threadpool") < order.index("run")


def test_only_the_verb_that_starts_a_run_includes_its_header() -> None:
    assert {name for name, included in parts().items() if "run" in included} == ABOVE_A_RUN


def test_only_the_registry_names_a_job() -> None:
    jobs = {path.name for path in SRC.iterdir() if path.is_dir()}
    for path in [*SRC.glob("*.c"), *SRC.glob("*.h")]:
        code = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)  # comments use their words
        named = {job for job in jobs if re.search(rf"\b{job}\b", code)}
        assert not named or path.name == "jobs.c", (path.name, named)
    registered = set(re.findall(r"^    JOB\((\w+)\)", (SRC / "jobs.c").read_text(), re.M))
    assert registered == jobs
