/** The shapes of the REST interface that pages work with. Bytes, nanoseconds: integers. Rates: bytes per second. */

export type Role = "viewer" | "operator" | "admin";
export type Page<T> = { items: T[]; next_cursor: string | null };
export type Ref = { id: number; name: string };

export type Health = {
  status: "ok" | "degraded";
  version: string;
  setup_required: boolean;
  database: { ok: boolean; kind: string; detail?: string | null };
  queue: { ok: boolean; detail?: string | null };
  workers: { name: string; seen_at: string }[];
};

export type Session = {
  user: { id: number; name: string; role: Role };
  csrf: string;
  expires_at: string;
};

export type User = {
  id: number;
  name: string;
  role: Role;
  disabled: boolean;
  created_at: string;
  last_login_at?: string | null;
};

export type Token = {
  id: number;
  name: string;
  role: Role;
  created_at: string;
  expires_at: string | null;
  last_used_at?: string | null;
};

export type AuditEntry = {
  id: number;
  at: string;
  actor: string;
  action: string;
  object: string;
  detail: unknown;
  address: string | null;
};

export type CredentialKind = "private_key" | "password" | "generated";
export type Credential = {
  id: number;
  name: string;
  kind: CredentialKind;
  public_key: string | null;
  fingerprint: string | null;
  created_at: string;
  hosts: Ref[];
};

export type StorageArray = {
  id: number;
  name: string;
  vendor: string | null;
  model: string | null;
  firmware: string | null;
  raid: string | null;
  cache_bytes: number | null;
  targets: number;
};

export type HostState =
  | "new"
  | "key_unapproved"
  | "key_changed"
  | "ready"
  | "unreachable"
  | "error"
  | "deleting";

export type HostKey = { type: string; fingerprint: string };

export type Failure = { code: string; title: string; detail: string; remedy: string | null };

export type Host = {
  id: number;
  name: string;
  connection: "ssh" | "local";
  address: string | null;
  port: number | null;
  user: string | null;
  credential_id: number | null;
  probe_dir: string | null;
  state: HostState;
  state_reason: string | null;
  host_key: HostKey | null;
  offered_key: HostKey | null;
  machine_id: string | null;
  last_checked_at: string | null;
  last_seen_at: string | null;
  check: {
    id: number;
    state: "queued" | "running" | "ok" | "failed";
    step: string | null;
    error: Failure | null;
    started_at: string | null;
    ended_at: string | null;
  } | null;
  summary: {
    os: string | null;
    kernel: string | null;
    cpus: number | null;
    cpu_model: string | null;
    mem_total: number | null;
    nic_mbps: number | null;
  } | null;
  busy_run_id: number | null;
  targets: { id: number; path: string; name: string; free_bytes: number | null }[];
  warnings: string[];
};

export type Target = {
  id: number;
  host_id: number;
  host_name: string;
  path: string;
  name: string;
  array: { id: number; name: string; cache_bytes: number | null } | null;
  mount: string | null;
  fs_type: string | null;
  fs_source: string | null;
  fs_uuid: string | null;
  fs_options: string | null;
  kind: string | null;
  device: string | null;
  device_info: {
    model?: string | null;
    rotational?: boolean | null;
    scheduler?: string | null;
    read_ahead_bytes?: number | null;
    write_cache?: string | null;
  } | null;
  direct: "real" | "buffered" | "refused" | "unprovable" | null;
  alignment: number | null;
  free_bytes: number | null;
  size_bytes: number | null;
  is_root_fs: boolean;
  reserve_bytes: number | null;
  checked_at: string | null;
  notes: string[];
};

export type TestKind = "write" | "read";
export type Test = {
  kind: TestKind;
  title: string;
  block: number[];
  threads: number[];
  files: number;
  file_size: number | string;
  layout: "fresh" | "preallocated" | "overwrite";
  cache: "page" | "direct" | "direct_if_real";
  open_mode: "rw" | "rwd" | "rws";
  timeout_ms: number;
  sync_timeout_ms: number;
  repeats: number;
  sample_ms: number;
  order: "shuffled" | "given";
};

export type Profile = {
  id: number;
  slug: string;
  name: string;
  version: number;
  builtin: boolean;
  description: string;
  created_at: string;
  body: { tests: Test[]; watch_ms: number };
};

export type FieldProblem = {
  field: string;
  value?: unknown;
  message: string;
  remedy?: string | null;
};

export type Plan = {
  name?: string;
  profile_id: number;
  target_ids: number[];
  overrides?: Partial<Omit<Test, "kind" | "title">>;
  tests?: Test[];
};

export type Estimate = {
  cells: number;
  trials: number;
  bytes_written: number;
  shortest_s: number;
  longest_s: number;
  runs: {
    target_id: number;
    host_id: number;
    kind: TestKind;
    title: string;
    cells: number;
    trials: number;
    file_size: number;
    bytes_written: number;
    peak_bytes: number;
    free_after_bytes: number | null;
    shortest_s: number;
    longest_s: number;
  }[];
  hosts_busy: { host_id: number; name: string; run_id: number }[];
  problems: FieldProblem[];
  warnings: { code: string; message: string }[];
  fits: boolean;
};

export type RunState =
  | "waiting"
  | "preparing"
  | "running"
  | "finishing"
  | "done"
  | "failed"
  | "cancelled"
  | "lost";

export type CampaignState = "waiting" | "running" | "done" | "failed" | "cancelled" | "lost";

export type RunSummary = {
  id: number;
  campaign_id: number;
  number: number;
  title: string;
  kind: TestKind;
  state: RunState;
  state_reason: string | null;
  waits_for: { kind: string; what: string; since: string } | null;
  host: Ref;
  target: { id: number; path: string; name: string };
  trials_total: number;
  trials_done: number;
  current: {
    trial_id: number;
    block: number;
    threads: number;
    repeat: number;
    started_at: string;
    bytes: number;
    total_bytes: number;
    rate_bps: number | null;
  } | null;
  eta_s: number | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  error: Failure | string | null;
  headline: string | null;
  best_bps: number | null;
};

export type Campaign = {
  id: number;
  name: string;
  profile: { id: number; slug: string; name: string; version: number };
  state: CampaignState;
  created_at: string;
  created_by: string | null;
  started_at: string | null;
  ended_at: string | null;
  cancel_requested: boolean;
  revision: number;
  parameters: unknown;
  runs: RunSummary[];
};

export type Run = RunSummary & {
  parameters: Test;
  inventory_id: number | null;
  probe?: string | null;
  participants: unknown[];
  notices: { at: string; code: string; message: string }[];
  conditions: Record<string, unknown>;
};

export type Stat = {
  mean: number;
  median: number;
  worst: number;
  sd: number | null;
  n: number;
  best: boolean;
  within_noise: boolean;
  p: number | null;
};

export type Mark = {
  mark: "honest" | "cache" | "array" | "unprovable";
  evidence: string;
  code?: string | null;
};

export type MatrixCell = {
  block: number;
  threads: number;
  files: number;
  state: "empty" | "running" | "partial" | "done" | "failed";
  repeats_done: number;
  repeats_total: number;
  durable: Stat | null;
  application: Stat | null;
  latency: {
    p50: number;
    p90: number;
    p99: number;
    p999: number;
    max: number;
    mean: number;
  } | null;
  marks: { application: Mark | null; durable: Mark | null } | null;
  trials: {
    id: number;
    repeat: number;
    status: string;
    application_bps: number | null;
    durable_bps: number | null;
    lat_max_ns: number | null;
    bytes: number;
    timed_out: boolean;
    bounded: boolean;
    reason: string | null;
  }[];
};

export type Advice = {
  block: number;
  threads: number;
  settings: Record<string, string | number>;
  sentence: string;
};

export type RateKind = "durable" | "application";

export type Matrix = {
  run_id: number;
  kind: TestKind;
  axes: { block: number[]; threads: number[] };
  rates: RateKind[];
  cells: MatrixCell[];
  best: Record<RateKind, { block: number; threads: number } | null>;
  advice: Record<RateKind, Advice | null>;
  headline: string | null;
  warnings: { code: string; message: string }[];
  edition: number | string;
};

export type Trial = {
  id: number;
  run_id: number;
  parameters: { block: number; threads: number; files: number; [name: string]: unknown };
  repeat: number;
  attempts: {
    number: number;
    status: string;
    started_at: string | null;
    app_ns: number | null;
    durable_ns: number | null;
    bytes: number | null;
    ops: number | null;
    percentiles: Record<string, number> | null;
    [name: string]: unknown;
  }[];
};

export type Samples = {
  trial_id: number;
  attempt: number;
  sample_ns: number;
  count: number;
  level: number;
  columns: Record<string, (number | null)[]>;
};

export type Comparison = {
  runs: (Run & { matrix: Matrix })[];
  differences: { what: string; values: unknown[] }[];
  answer: string;
  ratio: {
    a: number;
    b: number;
    cells: {
      block: number;
      threads: number;
      durable: number | null;
      application: number | null;
      significant: boolean;
    }[];
  } | null;
  scale: { min: number; max: number };
};

export type LatestResult = {
  run_id: number;
  campaign_id: number;
  name: string;
  title: string;
  kind: TestKind;
  host: Ref;
  target: { id: number; path: string; name: string } | null;
  headline: string | null;
  best_bps: number | null;
  sparkline: number[];
  ended_at: string | null;
};

export type Overview = {
  running: RunSummary[];
  waiting: RunSummary[];
  needs: { kind: string; message: string; link: string }[];
  latest: LatestResult[];
  hosts_with_trouble: Host[];
};

export type FileSystem = {
  mount: string;
  source: string;
  type: string;
  options: string;
  size_bytes: number | null;
  free_bytes: number | null;
  uuid: string | null;
  device: string | null;
  rotational: boolean | null;
  model: string | null;
  kind: "local" | "network" | "parallel" | "zfs" | "memory" | "overlay";
};

export type Device = {
  name: string;
  model: string | null;
  size_bytes: number | null;
  rotational: boolean | null;
  scheduler: string | null;
  read_ahead_bytes: number | null;
  write_cache: string | null;
};

export type NetworkCard = {
  name: string;
  speed_mbps: number | null;
  mac: string | null;
  state: string | null;
};

/** What the probe's `inspect` saw on a host. */
export type Inspection = {
  hostname: string | null;
  kernel: string | null;
  os: string | null;
  arch: string | null;
  machine_id: string | null;
  boot_id: string | null;
  cpus: { count: number; model: string | null } | null;
  mem_total: number | null;
  mem_limit: number | null;
  filesystems: FileSystem[];
  devices: Device[];
  nics: NetworkCard[];
};

export type Inventory = { id: number; taken_at: string; probe: string | null; body: Inspection };
