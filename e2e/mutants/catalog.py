"""The mutants: the place of each error, and the tests that must detect it."""

from mutants.in_analysis import ANALYSIS
from mutants.in_probe import PROBE
from mutants.mutant import backend, page, worker

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
        "counters are shown as they are, not per second",
        "samples/series.py",
        '{"rate": per_second,',
        '{"rate": amount,',
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
        "accounts/permissions.py",
        "if wanted.scope is not None and wanted.scope not in who.scopes:",
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
