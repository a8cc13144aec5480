"""All figures with a bar, measured on this machine, as one table.

    all.py [--quick] [--only probe|sustained|depth|appliance] [--target DIR] [--out PREFIX]

Nothing else should run: `load before` in the report shows it. Writes PREFIX.json, with
every value, and PREFIX.md. Ends with 1 unless every figure reaches its bar. With --quick it neither
does that nor writes unasked, since a few repetitions say only that the benchmark works.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import figures
import machine
from figures import Figure

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parents[1]
MEASUREMENTS = ROOT / "docs/measurements"


@dataclass(frozen=True)
class Effort:
    """The number of repetitions for the appliance."""

    repetitions: int
    samples: int


FULL, QUICK = Effort(9, 1_000_000), Effort(2, 20_000)


def measure_probe(script: str, quick: bool, target: Path, folder: Path) -> list[Figure]:
    """Measure the probe by a script, such as `compare` against fio, which prints its progress."""
    output = folder / script
    program = BENCH / f"probe/{script}.py"
    command = [sys.executable, program, "--target", target, "--output", output]
    run([*command, *(["--quick"] if quick else [])], may_miss=True)
    found = json.loads(output.with_suffix(".json").read_text())
    return [figures.of_probe(one) for one in found["figures"]]


def measure_appliance(effort: Effort, folder: Path) -> list[Figure]:
    """Measure roll-ups in a separate database, then the appliance: load, pages and starts."""
    lines = folder / "appliance.ndjson"
    lines.touch()
    rollups = [BENCH / "appliance/rollups.py", effort.samples, effort.repetitions, lines]
    run([sys.executable, *rollups])
    for script in ("load", "waiting"):
        run([sys.executable, BENCH / f"appliance/{script}.py", effort.repetitions, lines])
    node = subprocess.check_output([sys.executable, ROOT / "bootstrap.py", "--node"], text=True)
    environment = {
        "PATH": f"{node.strip()}{os.pathsep}{os.environ['PATH']}",
        "ASSAY_BENCH_FIGURES": str(lines),
        "ASSAY_BENCH_REPETITIONS": str(effort.repetitions),
    }
    config = "bench/appliance/playwright.config.ts"
    run(["npx", "playwright", "test", "--config", config], ROOT / "e2e", environment)
    return [figures.of_appliance(json.loads(line)) for line in lines.read_text().splitlines()]


def run(
    command: list[object],
    folder: Path = ROOT,
    environment: Mapping[str, str] | None = None,
    may_miss: bool = False,
) -> None:
    """Run a part with its output passed through; `may_miss` allows exit code 1 (a missed bar)."""
    code = subprocess.call(
        list(map(str, command)), cwd=folder, env=os.environ | (environment or {})
    )
    if code != 0 and not (may_miss and code == 1):
        sys.exit(f"{command[1]} failed with exit code {code}")


def write(prefix: Path, when: datetime, facts: Mapping[str, str], found: list[Figure]) -> None:
    """Write the report as Markdown and JSON."""
    prefix.parent.mkdir(parents=True, exist_ok=True)
    report = {"measured_at": when.isoformat(), "machine": facts, "figures": figures.plain(found)}
    Path(f"{prefix}.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    lines = [f"# Measured on {when:%Y-%m-%d %H:%M} UTC", ""]
    lines += [f"- {name}: {fact}" for name, fact in facts.items()]
    lines += ["", figures.markdown(found)]
    lines += ["Definitions and limitations: [measuring](../measuring.md).", ""]
    Path(f"{prefix}.md").write_text("\n".join(lines))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="minutes instead of an hour")
    parser.add_argument(
        "--only", choices=["probe", "sustained", "depth", "appliance"], help="one part alone"
    )
    parser.add_argument("--target", type=Path, default=ROOT, help="a directory on the disk")
    parser.add_argument(
        "--out", type=Path, help="PREFIX of the reports (default: docs/measurements/DATE)"
    )
    return parser.parse_args()


def main() -> int:
    """Measure, print and write; return the exit code."""
    options = arguments()
    when = datetime.now(UTC)
    facts = machine.describe(options.target)
    prefix = options.out or (None if options.quick else MEASUREMENTS / f"{when:%Y-%m-%d-%H%M}")
    found: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as name:
        folder, target = Path(name), options.target.resolve()
        parts: dict[str, Callable[[], list[Figure]]] = {
            "appliance": lambda: measure_appliance(QUICK if options.quick else FULL, folder),
            "probe": lambda: measure_probe("compare", options.quick, target, folder),
            "sustained": lambda: measure_probe("sustained", options.quick, target, folder),
            "depth": lambda: measure_probe("depth", options.quick, target, folder),
        }
        for part, measure in parts.items():
            if options.only in {None, part}:
                found += measure()
                if prefix:
                    write(prefix, when, facts, found)  # keep the results even if a later part fails
    print(f"\n{figures.text(found)}")
    if prefix:
        print(f"\nwritten to {prefix}.md and {prefix}.json")
    missed = any(figure.verdict not in {"yes", None} for figure in found)
    return 1 if missed and not options.quick else 0


if __name__ == "__main__":
    sys.exit(main())
