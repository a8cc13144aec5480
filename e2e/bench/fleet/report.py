"""A fleet's measurements as figures, each with its bar."""

from statistics import median
from typing import TYPE_CHECKING, Any

from figures import Figure, short
from fleet.meters import slope
from probe.intervals import certain

if TYPE_CHECKING:
    from fleet.run import Measured

WITHIN_S = 2.0
FLAT = 0.05
"""Growth of the resident memory over ten minutes, as a part of it, that counts as none."""

WARM_S = 120.0
"""Until heaps and caches have reached their size."""

LINEAR = 1.1
"""Cost of a sample with most hosts against that with fewest; a tenth is noise."""

ROUND_MS = 100.0

HOSTS, OBSERVED = "hosts", "observer's queries"
NOT_OURS = frozenset({HOSTS, OBSERVED})
"""What the benchmark uses itself: its process, and PostgreSQL for the observer's queries."""


def figures(measurements: "list[Measured]") -> list[Figure]:
    """Return all rows of the table."""
    found = [figure for one in measurements for figure in of_one(one)]
    alone = [one for one in measurements if one.setup.workers == 1]
    by_size = sorted(
        (one for one in alone if one.setup.database == "postgresql"), key=lambda m: m.setup.hosts
    )
    if len(by_size) > 1:
        small, large = by_size[0], by_size[-1]
        ratio = cost_ms(large) / cost_ms(small)
        name = f"CPU of a sample, {large.setup.hosts} hosts against {small.setup.hosts}"
        found.append(_figure(name, f"≤ {LINEAR:g}", f"{ratio:.2f}", "–", ratio <= LINEAR))
    return found


def cost_ms(measured: "Measured") -> float:
    """Return the CPU milliseconds of worker, scheduler, queue and database per sample."""
    ours = sum(s for name, s in measured.cpu_s.items() if name not in NOT_OURS)
    return ours * 1000 / max(1, len(measured.latencies))


def of_failure(setup: str, why: str) -> Figure:
    """Return a measurement that failed."""
    return _figure(f"{setup}: measured", "to the end", "no", why, holds=False)


def rows(measurements: "list[Measured]") -> str:
    """Return the table of docs/scale.md."""
    head = (
        "hosts", "database", "workers", "minutes", "against what was written",
        "99 % of samples within", "memory", "CPU of a sample", "of which worker", "PostgreSQL",
    )  # fmt: skip
    lines = [head, ("---",) * len(head), *map(_row, measurements)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _row(one: "Measured") -> tuple[str, ...]:
    setup = one.setup
    cpu = {name: f"{s * 1000 / max(1, len(one.latencies)):.2f} ms" for name, s in one.cpu_s.items()}
    late = _quantile(sorted(seconds for seconds, _ in one.latencies), 0.99)
    wrong = f"{len(one.differences)} differences" if one.differences else "every byte the same"
    return (
        str(setup.hosts),
        {"postgresql": "PostgreSQL", "sqlite": "SQLite"}[setup.database],
        str(setup.workers),
        f"{setup.minutes:g}",
        f"{wrong}, {one.broken} links broke",
        f"{late:.2f} s",
        f"{median(size for _, size in one.memory) / 1e6:.0f} MB",
        f"{cost_ms(one):.2f} ms",
        cpu["worker"],
        cpu.get("postgres", "–"),
    )


def of_one(one: "Measured") -> list[Figure]:
    """Return the rows of one measurement."""
    late = sorted(seconds for seconds, _ in one.latencies)
    good = sorted(seconds for seconds, whole in one.latencies if whole)
    samples = len(late)
    p99, p50 = _quantile(late, 0.99), median(late)
    warm = [(at, size) for at, size in one.memory if at >= WARM_S] or one.memory
    grows, resident = slope(warm) * 600, median(size for _, size in warm)
    long = one.seconds >= WARM_S + 600
    cpu = {name: seconds * 1000 / max(1, samples) for name, seconds in one.cpu_s.items()}
    spread = ", ".join(f"{name} {short(ms)}" for name, ms in cpu.items())
    expected = one.setup.hosts * one.seconds
    wrong = f"{len(one.differences)} differences" if one.differences else "every byte the same"
    shares = "+".join(str(n) for n in sorted(one.shares.values(), reverse=True))
    return [
        _figure(
            f"{one.setup}: database against what was written",
            "the same",
            wrong,
            f"{one.broken} links broke",
            not one.differences,
            differences=one.differences[:50],
        ),
        _figure(
            f"{one.setup}: 99 % of samples committed within",
            f"≤ {WITHIN_S:g} s",
            f"{p99:.2f} s",
            f"median {p50:.2f}, good links {_quantile(good, 0.99):.2f}, most {late[-1]:.1f}",
            p99 <= WITHIN_S,
            quantiles={str(q): _quantile(late, q) for q in (0.5, 0.9, 0.99, 0.999, 1.0)},
        ),
        _figure(
            f"{one.setup}: samples stored",
            "–",
            f"{samples / one.seconds:.0f}/s",
            f"{samples} of about {expected:.0f} in {one.seconds:.0f} s",
            None,
        ),
        _figure(
            f"{one.setup}: resident memory grows in 10 min",
            f"≤ {FLAT:.0%}" if long else "–",
            f"{grows / resident:+.1%}" if long else "too short to tell",
            f"of {resident / 1e6:.0f} MB",
            grows / resident <= FLAT if long else None,
            memory=one.memory,
        ),
        _figure(
            f"{one.setup}: CPU of a sample",
            "–",
            f"{cost_ms(one):.2f} ms",
            f"{spread} ms",
            None,
            cpu_s=one.cpu_s,
        ),
        _figure(
            f"{one.setup}: runs driven twice at once",
            "0",
            str(one.driven_twice),
            f"driven by {shares}",
            one.driven_twice == 0,
        ),
    ]


def of_rounds(what: str, took: list[tuple[float, float]]) -> list[Figure]:
    """Return the dispatcher's rounds: the first, with all hosts free, and the others."""
    (first, first_cpu), *others = ((wall * 1000, cpu * 1000) for wall, cpu in took)
    clock, cpu = sorted(wall for wall, _ in others), [cpu for _, cpu in others]
    slowest = _quantile(clock, 0.99)
    return [
        _figure(
            f"{what}: a round of the dispatcher, 99 %",
            f"< {ROUND_MS:g} ms",
            f"{short(slowest)} ms",
            f"median {short(median(clock))}, its own CPU {short(median(cpu))}, of {len(clock)}",
            slowest < ROUND_MS,
            milliseconds=took,
        ),
        _figure(
            f"{what}: the first round, when all hosts are free",
            f"< {ROUND_MS:g} ms",
            f"{short(first)} ms",
            f"its own CPU {short(first_cpu)}",
            first < ROUND_MS,
        ),
    ]


def _quantile(ordered: list[float], part: float) -> float:
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def _figure(
    name: str, bar: str, measured: str, spread: str, holds: bool | None, **facts: Any
) -> Figure:
    verdict = None if holds is None else certain(holds)
    return Figure("fleet", name, bar, measured, spread, verdict, facts)
