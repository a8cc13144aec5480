"""The figures of a comparison of the probe: printed as they come, and written at the end."""

import argparse
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from intervals import Verdict


def parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of the options that every comparison has."""
    found = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    found.add_argument(
        "--quick", action="store_true", help="a few seconds: that it works, no figures to quote"
    )
    found.add_argument(
        "--target", type=Path, default=Path.cwd(), help="a directory on the disk (default: here)"
    )
    found.add_argument("--memory", type=Path, default=Path("/dev/shm"), help="one on tmpfs")
    found.add_argument("--output", type=Path, help="write PREFIX.json and PREFIX.md")
    return found


@dataclass
class Report:
    """The figures in order of measurement, and whether each reaches its bar."""

    machine: dict
    figures: list[dict] = field(default_factory=list)

    def begin(self) -> None:
        """Print the heading."""
        print(f"{'figure':44} {'measured':26} {'bar':34} reached", flush=True)

    def add(self, name: str, value: str, bar: str, verdict: Verdict, **facts: object) -> None:
        """Record and print one figure."""
        self.figures.append({"name": name, "value": value, "bar": bar, "verdict": verdict, **facts})
        print(f"{name:44} {value:26} {bar:34} {verdict}", flush=True)

    def markdown(self) -> str:
        """Return the figures as a table."""
        rows = [
            f"| {figure['name']} | {figure['value']} | {figure['bar']} | {figure['verdict']} |"
            for figure in self.figures
        ]
        head = ["| figure | measured | bar | reached |", "|---|---|---|---|"]
        facts = ", ".join(f"{name}: {value}" for name, value in self.machine.items())
        return "\n".join([f"Measured on {facts}.", "", *head, *rows, ""])

    def finish(self, prefix: Path | None) -> int:
        """Write PREFIX.json and PREFIX.md if given; return 1 if a figure misses its bar."""
        if prefix:
            prefix.parent.mkdir(parents=True, exist_ok=True)
            prefix.with_suffix(".json").write_text(json.dumps(asdict(self), indent=1) + "\n")
            prefix.with_suffix(".md").write_text(self.markdown())
        return 0 if all(figure["verdict"] == "yes" for figure in self.figures) else 1
