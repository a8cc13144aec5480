"""The mutants: the place of each error, and the tests that must detect it."""

from mutants.in_analysis import ANALYSIS
from mutants.in_probe import PROBE
from mutants.mutant import backend, page, worker

RECORDING = (
    backend(
        "an attempt that was interrupted counts",
        "runs/recording/increment.py",
        "            self.open.status = INTERRUPTED",
        '            self.open.status = "complete"',
        "runs/recording/test_ingest.py",
    ),
    backend(
        "samples need not add up to the result",
        "runs/recording/spool_state.py",
        "if (attempt.bytes, attempt.ops) != (event.bytes, event.ops):",
        "if attempt.ops != event.ops:",
        "runs/recording/test_contract.py",
        "runs/recording/test_ingest.py",
    ),
    backend(
        "a gap in the spool is stored",
        "runs/recording/ingest.py",
        "elif batch.start > spool.offset:",
        "elif False:",
        "runs/recording/test_ingest.py",
    ),
    backend(
        "an older generation writes",
        "runs/recording/ingest.py",
        "elif batch.generation != (current :=",
        "elif batch.generation > (current :=",
        "runs/recording/test_ingest.py",
        "runs/recording/test_ingest_of_many.py",
    ),
    backend(
        "a batch that comes twice counts twice",
        "runs/recording/ingest.py",
        "batch.data[spool.offset - batch.start :]",
        "batch.data",
        "runs/recording/test_ingest.py",
    ),
    backend(
        "events may be missing",
        "runs/recording/events.py",
        "if event.seq != next_seq:",
        "if event.seq < next_seq:",
        "runs/recording/test_events.py",
        "runs/recording/test_ingest.py",
    ),
    backend(
        "roll-ups forget the slowest sample",
        "runs/samples/blocks.py",
        'Column("rate_min", "min"),',
        'Column("rate_min", "max"),',
        "runs/samples",
    ),
    backend(
        "roll-ups forget the fastest sample",
        "runs/samples/blocks.py",
        'Column("rate_max", "max"),',
        'Column("rate_max", "min"),',
        "runs/samples",
    ),
    backend(
        "roll-ups average instead of adding up",
        "runs/samples/blocks.py",
        '"sum": sum,',
        '"sum": lambda values: sum(values) // len(values),',
        "runs/samples",
    ),
    backend(
        "counters are shown as they are, not per second",
        "runs/samples/series.py",
        '{"rate": per_second,',
        '{"rate": amount,',
        "runs/samples",
    ),
    backend(
        "rates are rounded to two digits",
        "runs/samples/series.py",
        "(len(str(2**bits // 2)) - 4)",
        "(len(str(2**bits // 2)) - 2)",
        "runs/samples",
    ),
)


OWNERSHIP = (
    backend(
        "an ownership is taken although a worker holds it",
        "tables/ownership.py",
        ".where(of.id == row_id, free)",
        ".where(of.id == row_id)",
        "../../worker/tests/runs/test_ownership.py",
    ),
    backend(
        "a new owner keeps the generation",
        "tables/ownership.py",
        "generation=of.generation + 1",
        "generation=of.generation",
        "../../worker/tests/runs/test_ownership.py",
    ),
    backend(
        "a stale owner may write",
        "tables/ownership.py",
        "if row is None or row.generation != ownership.generation:",
        "if row is None:",
        "../../worker/tests/runs/test_ownership.py",
    ),
    backend(
        "who lost an ownership lets it go for the next owner",
        "tables/ownership.py",
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
        "base/identity.py",
        "return ROLES.index(role) >= ROLES.index(wanted)",
        "return True",
        "security/test_roles.py",
    ),
    backend(
        "a token has the role of its owner",
        "base/identity.py",
        "return one if includes(other, one) else other",
        "return other if includes(other, one) else one",
        "api/accounts/test_endpoints.py",
    ),
    backend(
        "a token may do everything that its role allows",
        "access/permissions.py",
        "if wanted.scope is not None and wanted.scope not in who.scopes:",
        "if False:",
        "security/test_scopes.py",
    ),
    backend(
        "a token launches on targets without its labels",
        "runs/campaigns/token_limits.py",
        "    if not lacking:",
        "    if True:",
        "runs/campaigns/test_token_limits.py",
    ),
    backend(
        "a campaign that wrote less than planned keeps its share of the quota",
        "runs/campaigns/token_usage.py",
        "one.planned_bytes if is_active else _written(session, one)",
        "one.planned_bytes",
        "runs/campaigns/test_token_limits.py",
    ),
)

REPEATS = (
    backend(
        "a caller gets the responses to another's keys",
        "api/idempotency/keys.py",
        "            IdempotencyKey.principal == wanted.principal,\n",
        "",
        "api/idempotency/test_execution.py",
    ),
    backend(
        "a key repeats the response to another body",
        "api/idempotency/keys.py",
        "if row.fingerprint != wanted.fingerprint:",
        "if False:",
        "api/idempotency/test_execution.py",
    ),
    backend(
        "an object is created although its key belongs to another request by now",
        "api/idempotency/keys.py",
        "    if found.one_or_none() is None:",
        "    if False:",
        "api/idempotency/test_execution.py",
    ),
    backend(
        "a change overwrites one that the client has not seen",
        "access/preconditions.py",
        "if if_match is None or matches(if_match, current):",
        "if True:",
        "base/test_etags.py",
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
        "runs/campaigns/estimate.py",
        "max(0, peak + part.place.reserve_bytes - part.place.free_bytes)",
        "max(0, peak - part.place.free_bytes)",
        "runs/campaigns/test_space.py",
        "runs/campaigns/test_estimate.py",
    ),
    backend(
        "a stream of events holds a database session",
        "api/campaign_stream.py",
        "    with feeds.following(",
        "    with reading() as held, contextlib.nullcontext(held.connection()), feeds.following(",
        "api/test_campaign_stream.py",
    ),
    backend(
        "what was deleted is not in the audit log",
        "access/audit.py",
        "    session.add(",
        '    if "delete" in action or "removed" in action:\n        return\n    session.add(',
        "security/test_roles.py",
    ),
)

ORGANIZING = (
    backend(
        "rows of a deleted campaign go while its files are on a host",
        "runs/campaigns/deletion.py",
        "moment(-UNDO), ~unended, ~unswept)",
        "moment(-UNDO), ~unended)",
        "runs/campaigns/test_deletion.py",
    ),
    backend(
        "runs of a deleted campaign stay in lists",
        "runs/queries.py",
        "return Run.campaign_id.not_in(deleted())",
        "return Run.campaign_id.is_not(None)",
        "runs/campaigns/test_deletion.py",
    ),
    backend(
        "a run is not found by the labels of its launch",
        "runs/campaigns/naming.py",
        "    if pairs:",
        "    if False:",
        "inventory/labels/test_labels.py",
    ),
)

PAGES = (
    page(
        "a megabyte has 2^20 bytes",
        "components/quantities/formats.ts",
        '{ unit: "MB", size: 1e6 }',
        '{ unit: "MB", size: 1048576 }',
        "components/quantities",
    ),
    page(
        "a failed sign-in shows no error",
        "features/auth/SignInPages.tsx",
        "{signIn.error ? <ProblemPanel error={signIn.error} /> : null}",
        "",
        "features/auth",
    ),
    page(
        "figures have two digits",
        "components/quantities/formats.ts",
        "Number(magnitude.toPrecision(3))",
        "Number(magnitude.toPrecision(2))",
        "components/quantities",
    ),
    page(
        "KB is typed and 1000 B are sent as KiB",
        "components/quantities/formats.ts",
        "  kb: 1e3,",
        "  kb: 1024,",
        "components/quantities",
    ),
    page(
        "a duration loses its second part",
        "components/quantities/formats.ts",
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
