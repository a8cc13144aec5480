"""Generate `docs/reliability.md`: the table of faults with the measured times.

Seconds are rounded up to a few steps, so that the page changes with the appliance and not with
every run.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from faults.table import FAULTS, OF_A_LINK, Fault

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
STEPS = (2, 5, 10, 15, 20, 30, 45, 60)
COLUMNS = ("fault", "seen", "within", "ends it", "continues", "ends as", "noted", "transfer")
LINK_COLUMNS = 5

HEAD = """# Reliability

How runs behave during failures, and what operators see. `make reliability` generates this page: it
injects each fault into a complete appliance that measures on four hosts of the [lab](lab.md), with
two write and two read matrices, for each operation once during a trial and once between two trials.
The ordinary tests check the appliance against the same table, and this page against the table.

After every fault, on each of the four hosts: the run ended in a defined state; no trial was
measured twice at the same time by the host's clock, and no host ran two probes; the events are
numbered without gaps, each sample is stored once, and the samples of a trial add up to its bytes;
the host is free for the next run; no process, test file or run directory remains (if the disk
failed, after the next run there).

*Seen* is what the run's row shows during the fault; *nothing* means that it showed an ordinary
running run throughout. A fault with a duration lasts that long after it is first seen. *Continues
within* is the time from the fault, or from the end of a lasting fault, until new measurements are
stored and the pages respond, or until the run has ended; it is the maximum of the four, rounded up.
All settings have their defaults except `ASSAY_LOST_AFTER_SECONDS`, which is 5; one row shortens the
profile's watch deadline.

*A transfer* is a path test from the disk of one host to that of another: the fault strikes the
receiver of one in the middle of a trial, and the sender of another between two. The other end of a
transfer ends a trial with the reason of the struck one, or because the connections ended, and both
begin it again together. The cell says within what time it continues, how it ends, what is noted;
the other end also notes *peer_ended* if it was in a trial.

A failed trial has the code and the message of what failed first in its last attempt, among all
hosts, by the time since the start of the trial, for the clocks of hosts differ. That the other
end ended (*peer_ended*) or no longer answers (*peer_silent*, *connect_failed*) is the reason only
if no host reported a cause: records into a disk that fills up fail with *no_space*, although the
sender noticed the closed connection first. A failed run has the code of its first trial with a
cause; if a probe ended the run, that of the trial in which it did.

Clocks are set back only for the processes that the row names (by libfaketime), not for the probe. A
step of a host's real clock by 250 ms or more repeats the trial (*suspended*).

| fault | seen | within | what ends it | continues within | ends as | noted | a transfer |
|---|---|---|---|---|---|---|---|
"""
OF_LINKS = """
## The link between the ends of a transfer

The connections of the appliance to both hosts are not affected, and the run's row shows nothing
unusual until its end: a trial that fails is noted, and the next one is tried.

| fault | what ends it | continues within | ends as | noted |
|---|---|---|---|---|
"""
AFTER = """
## What to do

| reason | what to do |
|---|---|
"""


def rounded(seconds: float) -> str:
    """Round a duration up to the next step; return it as text."""
    step = next((step for step in STEPS if seconds <= step), None)
    return f"{step} s" if step else "over a minute"


def published() -> dict[str, tuple[float, float]]:
    """Return the page's seconds until each fault is seen and until a run continues.

    Raises KeyError if the page has no such row, ValueError if it has no figure.
    """
    found: dict[str, tuple[float, float]] = {}
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(COLUMNS) and cells[4].endswith(" s"):
            seen_s, continued_s = cells[2], cells[4]
            found[cells[0]] = seconds(seen_s) if seen_s else 0.0, seconds(continued_s)
    return found


def published_of_transfers() -> dict[str, float]:
    """Return the page's seconds until a transfer continues; KeyError if a row is missing."""
    found: dict[str, float] = {}
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(COLUMNS) and " s; " in cells[7]:
            found[cells[0]] = seconds(cells[7].partition(";")[0])
        elif len(cells) == LINK_COLUMNS and cells[2].endswith(" s"):
            found[cells[0]] = seconds(cells[2])
    return found


def seconds(said: str) -> float:
    """Parse a number of seconds as formatted by `rounded`."""
    return float(said.removesuffix(" s"))


def text(measured: Mapping[str, tuple[float, float]], of_transfers: Mapping[str, float]) -> str:
    """Return the page; `measured` has each fault's seconds until seen and until continued.

    `of_transfers` has those until a transfer continued.
    """
    rows = "".join(
        f"{_row(fault, *measured[fault.name], of_transfers[fault.name])}\n" for fault in FAULTS
    )
    rows += OF_LINKS + "".join(
        f"{_row_of_a_link(fault, of_transfers[fault.name])}\n" for fault in OF_A_LINK
    )
    every = [one for fault in FAULTS for one in (fault, fault.of_transfer)]
    views = [view for one in every for view in (one.sees, one.why) if view and view.remedy]
    remedies = "".join(f"| {v.reason} | {v.remedy} |\n" for v in dict.fromkeys(views))
    return HEAD + rows + AFTER + remedies


def _row(fault: Fault, seen_s: float, continued_s: float, transfer_s: float) -> str:
    within = rounded(seen_s) if fault.sees else ""
    cells = [fault.name, _said(fault), within, fault.ended_by, rounded(continued_s)]
    cells += [_ends(fault), ", ".join(fault.notes), _transfer(fault.of_transfer, transfer_s)]
    return "| " + " | ".join(cells) + " |"


def _row_of_a_link(fault: Fault, continued_s: float) -> str:
    cells = [fault.name, fault.ended_by, rounded(continued_s), _ends(fault), ", ".join(fault.notes)]
    return "| " + " | ".join(cells) + " |"


def _transfer(fault: Fault, continued_s: float) -> str:
    said = "; ".join([rounded(continued_s), _ends(fault)])
    return f"{said}; {', '.join(fault.notes)}" if fault.notes else said


def _said(fault: Fault) -> str:
    view = fault.sees
    if not view:
        return "nothing"
    state = f"*{view.state}*" + (f", *{view.condition}*" if view.condition else "")
    said = f"{state}: {view.reason}" if view.state else view.reason
    return f"{said} (a read: nothing)" if fault.spares_reads else said


def _ends(fault: Fault) -> str:
    ends = f"*{fault.ends}*" + (f": {fault.why.reason}" if fault.why else "")
    return f"{ends} (a read: *done*)" if fault.spares_reads else ends


def without_seconds(page: str) -> str:
    """Return the page with its measured figures removed."""
    return re.sub(r"\| (\d+ s|over a minute)", "| …", page)
