"""The mutants: the place of each error, and the tests that must detect it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """An error: `old`, which occurs once in the file at `path`, becomes `new`.

    `tests` is a runner (`pytest`, `vitest`) and its arguments.
    """

    name: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} ({self.path})"


def probe(name: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    """An error in the probe."""
    found = tuple(f"worker/probe/tests/{test}" for test in tests)
    return Mutant(name, f"worker/probe/src/{file}", old, new, ("pytest", *found))


def backend(name: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    """An error in the backend."""
    found = tuple(f"backend/tests/{test}" for test in tests)
    return Mutant(name, f"backend/assay/{file}", old, new, ("pytest", *found))


def worker(name: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    """An error in the worker."""
    found = tuple(f"worker/tests/{test}" for test in tests)
    return Mutant(name, f"worker/assay_worker/{file}", old, new, ("pytest", *found))


def page(name: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    """An error in the front end."""
    found = tuple(f"src/{test}" for test in tests)
    return Mutant(name, f"frontend/src/{file}", old, new, ("vitest", *found))


ANALYSIS = (
    backend(
        "percentiles read at a step's lower end",
        "analysis/histogram.py",
        "return (lower(step) + lower(step + 1) - 1) / 2",
        "return float(lower(step))",
        "analysis/test_histogram.py",
    ),
    backend(
        "the last step is one too low",
        "analysis/histogram.py",
        "LIMIT = 2**40 - 1",
        "LIMIT = 2**39 - 1",
        "analysis/test_histogram.py",
    ),
    backend(
        "merged latencies lose the greatest",
        "analysis/histogram.py",
        "greatest, total = max(greatest, part.greatest_ns), total + part.total_ns",
        "greatest, total = part.greatest_ns, total + part.total_ns",
        "analysis/test_histogram.py",
    ),
    backend(
        "a mean over steps instead of the exact sum",
        "analysis/histogram.py",
        "return self.total_ns / self.count if self.count else None",
        "return middle(max(self.counts)) if self.count else None",
        "analysis/test_histogram.py",
    ),
    backend(
        "Welch's test with one degree of freedom more",
        "analysis/noise.py",
        "(1 - share) ** 2 / (len(b) - 1))",
        "(1 - share) ** 2 / len(b))",
        "analysis/test_noise.py",
    ),
    backend(
        "a one-sided p-value",
        "analysis/noise.py",
        "return min(1.0, max(0.0, tails))",
        "return min(1.0, max(0.0, tails / 2))",
        "analysis/test_noise.py",
    ),
    backend(
        "the variance of a population",
        "analysis/noise.py",
        "for value in values) / (len(values) - 1)",
        "for value in values) / len(values)",
        "analysis/test_noise.py",
    ),
    backend(
        "device bytes count from half the claim on",
        "analysis/served_by.py",
        "CLAIM_SHARE = 0.9",
        "CLAIM_SHARE = 0.5",
        "analysis/test_served_by.py",
    ),
    backend(
        "the strongest evidence determines a cell",
        "analysis/served_by.py",
        "return max(trials, key=lambda each: _GRAVITY",
        "return min(trials, key=lambda each: _GRAVITY",
        "analysis",
    ),
    backend(
        "a repeated read is not told",
        "analysis/served_by.py",
        "if e.first_read is None or e.first_read >= e.claimed:",
        "if True:",
        "analysis/test_served_by.py",
    ),
    backend(
        "a flagged trial may be best",
        "analysis/flags.py",
        '    {"contended", "too_short", "short_overlap"}',
        '    {"short_overlap"}',
        "analysis",
    ),
    backend(
        "half a second is long enough",
        "analysis/too_short.py",
        "LEAST_NS = 10**9",
        "LEAST_NS = 5 * 10**8",
        "analysis",
    ),
    backend(
        "a mirror's second copy is taken for others' bytes",
        "analysis/contention.py",
        "own_write * t.copies",
        "own_write",
        "analysis/test_contention.py",
    ),
    backend(
        "a decline of a tenth is a cliff",
        "analysis/cliff.py",
        "LEAST_CHANGE = 0.15",
        "LEAST_CHANGE = 0.05",
        "analysis/test_cliff.py",
    ),
    backend(
        "the slower of two is called the faster",
        "kinds/matrix/answer.py",
        "slower=sum(one.significant and one.ratio < 1",
        "slower=sum(one.significant and one.ratio > 1",
        "kinds/matrix/test_answer.py",
    ),
)

RECORDING = (
    backend(
        "an attempt that was interrupted counts",
        "recording/increment.py",
        "            self.open.status = INTERRUPTED",
        '            self.open.status = "complete"',
        "recording/test_ingest.py",
    ),
    backend(
        "samples need not add up to the result",
        "recording/spool_state.py",
        "if (attempt.bytes, attempt.ops) != (event.bytes, event.ops):",
        "if attempt.ops != event.ops:",
        "recording/test_contract.py",
        "recording/test_ingest.py",
    ),
    backend(
        "a gap in the spool is stored",
        "recording/ingest.py",
        "elif batch.start > spool.offset:",
        "elif False:",
        "recording/test_ingest.py",
    ),
    backend(
        "an older generation writes",
        "recording/ingest.py",
        "elif batch.generation != (current :=",
        "elif batch.generation > (current :=",
        "recording/test_ingest.py",
        "recording/test_ingest_of_many.py",
    ),
    backend(
        "a batch that comes twice counts twice",
        "recording/ingest.py",
        "batch.data[spool.offset - batch.start :]",
        "batch.data",
        "recording/test_ingest.py",
    ),
    backend(
        "events may be missing",
        "recording/events.py",
        "if event.seq != next_seq:",
        "if event.seq < next_seq:",
        "recording/test_events.py",
        "recording/test_ingest.py",
    ),
    backend(
        "roll-ups forget the slowest sample",
        "samples/rollup.py",
        'Column("rate_min", "min"),',
        'Column("rate_min", "max"),',
        "samples",
    ),
    backend(
        "roll-ups forget the fastest sample",
        "samples/rollup.py",
        'Column("rate_max", "max"),',
        'Column("rate_max", "min"),',
        "samples",
    ),
    backend(
        "roll-ups average instead of adding up",
        "samples/rollup.py",
        '"sum": sum,',
        '"sum": lambda values: sum(values) // len(values),',
        "samples",
    ),
    backend(
        "received bytes are shown as sent",
        "samples/series.py",
        'per_second("net_tx_bytes")',
        'per_second("net_rx_bytes")',
        "samples",
    ),
    backend(
        "rates are rounded to two digits",
        "samples/series.py",
        "(len(str(2**bits // 2)) - 4)",
        "(len(str(2**bits // 2)) - 2)",
        "samples",
    ),
)

PROBE = (
    probe(
        "a record is not compared with its digits",
        "records/record.c",
        "differs |= (load(from + 1) ^ digits) & first_bytes(recipe->digits);",
        "(void)digits;",
        "test_records_content.py",
    ),
    probe(
        "records that were passed over are not missing",
        "records/ledger.c",
        "ledger->missing += until - ledger->end;",
        "(void)until;",
        "test_records_content.py",
    ),
    probe(
        "a batch is acknowledged before it is written",
        "records/receiving.c",
        "if (ends && acknowledged == ACKNOWLEDGE_RECEIVED && !acknowledge(thread))",
        "if (ends && acknowledged != ACKNOWLEDGE_NONE && !acknowledge(thread))",
        "test_records_faults.py",
    ),
    probe(
        "a short write counts as a whole block",
        "blocks.h",
        "return moved == (ssize_t)blocks->size ? moved :",
        "return moved > 0 ? (int64_t)blocks->size :",
        "test_bytes.py",
        "test_faults.py",
    ),
    probe(
        "direct I/O is always the page cache",
        "matrix/filesets.c",
        "trial->cache == CACHE_DIRECT ? O_DIRECT : 0",
        "0",
        "test_bytes.py",
        "test_disks.py",
        "test_writing.py",
    ),
    probe(
        "threads that share a file generate data between their calls",
        "matrix/matrix.c",
        ".queue = own->windows.threaded ?",
        ".queue = own->windows.threaded && !own->files[0].shared ?",
        "test_blocks.py",
    ),
    probe(
        "every file has the open mode rw",
        "matrix/filesets.c",
        "[OPEN_RWD] = O_DSYNC",
        "[OPEN_RWD] = 0",
        "test_writing.py",
        "test_bytes.py",
    ),
    probe(
        "user time counts twice",
        "counters.c",
        "last->cpu_ticks[time] += spent;",
        "last->cpu_ticks[time] += time == 0 ? 2 * spent : spent;",
        "test_host_counters.py",
    ),
    probe(
        "received bytes are taken for sent",
        "counters.c",
        "snapshot->net_tx += tx;",
        "snapshot->net_tx += rx;",
        "test_host_counters.py",
    ),
    probe(
        "the device's reads are taken for writes",
        "devcounter.c",
        "sum->written += written * SECTOR;",
        "sum->written += read * SECTOR;",
        "test_devcounter.py",
    ),
    probe(
        "sample times are scaled by 3 %",
        "sample.c",
        "column[COLUMN_END_NS] = (int64_t)(now - measurement->attempt->pool.started_ns);",
        "column[COLUMN_END_NS] ="
        " (int64_t)((now - measurement->attempt->pool.started_ns) * 103 / 100);",
        "test_writing.py",
    ),
    probe(
        "operations in flight have no age",
        "meter.c",
        "interval->oldest = now - started;",
        "interval->oldest = 0;",
        "test_writing.py",
        "test_faults.py",
    ),
    probe(
        "a lower generation may stop a run",
        "rundir.c",
        "read_generation(dir, &seen) && generation >= seen;",
        "read_generation(dir, &seen);",
        "test_survival.py",
    ),
    probe(
        "an attempt that has a result runs again",
        "start.c",
        "if (seen->has_result && !seen->disturbed)",
        "if (false)",
        "test_survival.py",
    ),
    probe(
        "the reserve of free space is not kept",
        "limit.c",
        "free_bytes >= limits->reserve_bytes && free_bytes - limits->reserve_bytes >= bytes",
        "free_bytes >= bytes",
        "test_target.py",
        "test_writing.py",
    ),
    probe(
        "a target that changed is measured",
        "target.c",
        "if (!expected || strcmp(expected, found) == 0)",
        "if (true || (expected && found))",
        "test_target.py",
    ),
    probe(
        "each trial waits 300 ms before it begins",
        "attempt.c",
        "    if (settle(",
        "    clock_sleep(300 * NS_PER_MS);\n    if (settle(",
        "test_writing.py",
    ),
    probe(
        "a gap is not rounded up to the delay quantum",
        "pace.c",
        "return quantum_ns ?",
        "return false ?",
        "test_pacing.py",
    ),
    probe(
        "a stall leaves no backlog",
        "sustained/backlog.c",
        "now > left ? now - left : 0",
        "0",
        "test_sustained.py",
    ),
    probe(
        "latency counts from the call although it was due before",
        "sustained/stream.c",
        "done->due_ns ? done->end_ns - done->due_ns : 0",
        "done->due_ns ? done->end_ns - done->start_ns : 0",
        "test_pacing.py",
    ),
    probe(
        "a write that is late at the end has no latency",
        "sustained/stream.c",
        "return due > done ? due - done : 0;",
        "return due > done ? 0 : 0;",
        "test_pacing.py",
    ),
    probe(
        "a fill trusts a file system that reports its free space late",
        "sustained/preparation.c",
        "return counted < free_bytes ? counted : free_bytes;",
        "return counted < free_bytes ? free_bytes : free_bytes;",
        "test_sustained_preparation.py",
    ),
    probe(
        "a pause uses up the time limit of a trial",
        "disturbed.c",
        "measurement->due_ns += until - from;",
        "measurement->due_ns += 0;",
        "test_gaps.py",
    ),
    probe(
        "an aborted trial is prepared to its end",
        "errand.c",
        "limits_hold(errand->limits) && !limits_aborted(errand->limits)",
        "limits_hold(errand->limits)",
        "test_barrier.py",
    ),
    probe(
        "marks keep their size, however many there are",
        "sustained/marks.c",
        "    marks->size *= 2;\n    marks->boundary /= 2;\n",
        "",
        "test_sustained.py",
    ),
    probe(
        "a ring that is read again comes from the page cache",
        "sustained/streamfiles.c",
        "POSIX_FADV_DONTNEED",
        "POSIX_FADV_NORMAL",
        "test_sustained_reading.py",
    ),
    probe(
        "a ring is verified as if it were written without end",
        "sustained/stream.c",
        "block->offset %= stream->footprint;",
        "block->offset %= UINT64_MAX;",
        "test_sustained_reading.py",
    ),
    probe(
        "a read of the second pass expects what was there before the trial",
        "sustained/access.c",
        "while (access->read_percent < 100 && pass > 0)",
        "while (access->read_percent < 100 && pass > 1)",
        "test_random_access.py",
    ),
    probe(
        "one operation is in flight whatever the queue depth",
        "sustained/flight.c",
        "if (flight->ends || flight->count == flight->depth)",
        "if (flight->ends || flight->count == 1)",
        "test_io_uring.py",
    ),
    probe(
        "the last result of a burst is counted after the gap",
        "sustained/flight.c",
        "if (flight->count == 0) /* then what follows may be a sync, or sleep */",
        "if (false)",
        "test_io_uring.py",
    ),
    probe(
        "what returned before a submission that hangs is lost",
        "sustained/flight.c",
        "task.close = close_flight;",
        "task.close = NULL;",
        "test_io_uring.py",
    ),
    probe(
        "a stopped process is not suspended",
        "disturbance.c",
        "if (paused ||",
        "if (",
        "test_disturbance.py",
    ),
    probe(
        "a quota on CPUs is taken for a pause",
        "disturbance.c",
        "evidence->paused_ns = most(evidence->paused_ns, late - wait);",
        "evidence->paused_ns = most(evidence->paused_ns, late);",
        "test_disturbance.py",
    ),
    probe(
        "stale sectors are accepted",
        "testdata.c",
        "memcmp(&stamp, &expected, sizeof stamp) == 0",
        "stamp.word[2] == expected.word[2]",
        "test_testdata.py",
        "test_reading.py",
    ),
    probe(
        "the durable time is when the sampler woke",
        "measure.c",
        "        end = stage_end(measurement, returned);\n    }\n    if (check_syncs",
        "        (void)returned;\n    }\n    if (check_syncs",
        "test_faults.py",
    ),
    probe(
        "two probes measure one target",
        "lockfile.c",
        "return fcntl(file, F_OFD_SETLK, &whole) == 0;",
        "return fcntl(file, F_OFD_SETLK, &whole) == 0 || true;",
        "test_locks.py",
    ),
    probe(
        "unwritten extents are read",
        "prepare.c",
        "if (found == EXTENTS_FOUND)",
        "if (false)",
        "test_reading.py",
    ),
)

OWNERSHIP = (
    backend(
        "an ownership is taken although a worker holds it",
        "db/ownership.py",
        ".where(of.id == row_id, free)",
        ".where(of.id == row_id)",
        "../../worker/tests/runs/test_ownership.py",
    ),
    backend(
        "a new owner keeps the generation",
        "db/ownership.py",
        "generation=of.generation + 1",
        "generation=of.generation",
        "../../worker/tests/runs/test_ownership.py",
    ),
    backend(
        "a stale owner may write",
        "db/ownership.py",
        "if row is None or row.generation != ownership.generation:",
        "if row is None:",
        "../../worker/tests/runs/test_ownership.py",
    ),
    backend(
        "who lost an ownership lets it go for the next owner",
        "db/ownership.py",
        ".where(of.id == ownership.id, of.generation == ownership.generation)",
        ".where(of.id == ownership.id)",
        "../../worker/tests/runs/test_ownership.py",
    ),
)

FOLLOWING = (
    worker(
        "a pause that stopped all clocks goes unnoticed",
        "driver/host_clock.py",
        "if there < 0 or here - there < LEAST_S:",
        "if True:",
        "driver/test_host_clock.py",
    ),
    worker(
        "a delay of the connection is taken for a pause",
        "driver/host_clock.py",
        "after.asked_s - before.answered_s",
        "after.answered_s - before.asked_s",
        "driver/test_host_clock.py",
    ),
)

ROLES = (
    backend(
        "every role may do everything",
        "accounts/roles.py",
        "return ROLES.index(role) >= ROLES.index(wanted)",
        "return True",
        "security/test_roles.py",
    ),
    backend(
        "a token has the role of its owner",
        "accounts/roles.py",
        "return one if includes(other, one) else other",
        "return other if includes(other, one) else one",
        "accounts/test_endpoints.py",
    ),
    backend(
        "a token may do everything that its role allows",
        "accounts/authentication.py",
        "if who.token_id is not None and wanted is not None and wanted not in who.scopes:",
        "if False:",
        "security/test_scopes.py",
    ),
    backend(
        "a token launches on targets without its labels",
        "tokens/admission.py",
        "    if not lacking:",
        "    if True:",
        "tokens/test_quotas.py",
    ),
    backend(
        "a campaign that wrote less than planned keeps its share of the quota",
        "tokens/usage.py",
        "one.planned_bytes if is_active else _written(session, one)",
        "one.planned_bytes",
        "tokens/test_quotas.py",
    ),
)

REPEATS = (
    backend(
        "a caller gets the responses to another's keys",
        "idempotency/keys.py",
        "            IdempotencyKey.principal == wanted.principal,\n",
        "",
        "idempotency/test_execution.py",
    ),
    backend(
        "a key repeats the response to another body",
        "idempotency/keys.py",
        "if row.fingerprint != wanted.fingerprint:",
        "if False:",
        "idempotency/test_execution.py",
    ),
    backend(
        "an object is created although its key belongs to another request by now",
        "idempotency/keys.py",
        "    if found.one_or_none() is None:",
        "    if False:",
        "idempotency/test_execution.py",
    ),
    backend(
        "a change overwrites one that the client has not seen",
        "accounts/preconditions.py",
        "if if_match is None or matches(if_match, current):",
        "if True:",
        "http/test_etags.py",
    ),
)

LAUNCH = (
    backend(
        "an expression's minus adds",
        "kinds/expressions.py",
        'value = value + right if sign == "+" else value - right',
        "value = value + right",
        "kinds/test_expressions.py",
    ),
    backend(
        "an expression divides by zero",
        "kinds/expressions.py",
        'if sign == "/" and right == 0:',
        "if False:",
        "kinds/test_expressions.py",
    ),
    backend(
        "the reserve does not count at launch",
        "campaigns/space.py",
        "max(0, peak + part.place.reserve_bytes - part.place.free_bytes)",
        "max(0, peak - part.place.free_bytes)",
        "campaigns/test_space.py",
        "campaigns/test_estimate.py",
    ),
    backend(
        "a stream of events holds a database session",
        "campaigns/stream.py",
        "    with feeds.following(",
        "    with reading() as held, contextlib.nullcontext(held.connection()), feeds.following(",
        "campaigns/test_stream.py",
    ),
    backend(
        "what was deleted is not in the audit log",
        "accounts/audit.py",
        "    session.add(",
        '    if "delete" in action or "removed" in action:\n        return\n    session.add(',
        "security/test_roles.py",
    ),
)

ORGANIZING = (
    backend(
        "rows of a deleted campaign go while its files are on a host",
        "campaigns/deletion.py",
        "moment(-UNDO), ~unended, ~unswept)",
        "moment(-UNDO), ~unended)",
        "campaigns/test_deletion.py",
    ),
    backend(
        "runs of a deleted campaign stay in lists",
        "runs/queries.py",
        "return Run.campaign_id.not_in(deleted())",
        "return Run.campaign_id.is_not(None)",
        "campaigns/test_deletion.py",
    ),
    backend(
        "a run is not found by the labels of its launch",
        "campaigns/launch_labels.py",
        "    if pairs:",
        "    if False:",
        "labels/test_labels.py",
    ),
)

PAGES = (
    page(
        "a megabyte has 2^20 bytes",
        "components/quantities/bytes.ts",
        '{ unit: "MB", size: 1e6 }',
        '{ unit: "MB", size: 1048576 }',
        "components/quantities",
    ),
    page(
        "a failed sign-in shows no error",
        "features/auth/LoginPage.tsx",
        "{signIn.error ? <ProblemPanel error={signIn.error} /> : null}",
        "",
        "features/auth",
    ),
    page(
        "figures have two digits",
        "components/quantities/figure.ts",
        "Number(magnitude.toPrecision(3))",
        "Number(magnitude.toPrecision(2))",
        "components/quantities",
    ),
    page(
        "KB is typed and 1000 B are sent as KiB",
        "components/quantities/bytes.ts",
        "  kb: 1e3,",
        "  kb: 1024,",
        "components/quantities",
    ),
    page(
        "a duration loses its second part",
        "components/quantities/duration.ts",
        ".slice(first, first + 2)",
        ".slice(first, first + 1)",
        "components/quantities",
    ),
    page(
        "the color scale runs the other way",
        "charts/color.ts",
        "return span > 0 ? (value - scale.min) / span : 1;",
        "return span > 0 ? (scale.max - value) / span : 1;",
        "charts/color.test.ts",
    ),
    page(
        "ink without contrast on its fill",
        "charts/color.ts",
        "? DARK_INK : LIGHT_INK;",
        "? LIGHT_INK : DARK_INK;",
        "charts/color.test.ts",
    ),
    page(
        "the grid's last row is left out by the keys",
        "charts/grid.ts",
        "return to(control ? last.row : from.row + 1, from.column);",
        "return to(control ? 0 : from.row + 1, from.column);",
        "charts/grid.test.ts",
    ),
)

MUTANTS = (
    *ANALYSIS,
    *RECORDING,
    *PROBE,
    *OWNERSHIP,
    *FOLLOWING,
    *ROLES,
    *REPEATS,
    *LAUNCH,
    *ORGANIZING,
    *PAGES,
)
