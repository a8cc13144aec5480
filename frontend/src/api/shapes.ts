/**
 * Short names for the types of the REST API, taken from the generated description. Bytes and
 * nanoseconds are integers, rates are bytes per second. Where the description is too general, the
 * narrower type is written out here.
 */
import type { components, paths } from "./schema";

type Schemas = components["schemas"];
type Refined<T, Change> = Omit<T, keyof Change> & Change;

export type Page<T> = { items: T[]; next_cursor?: string | null };

export type Session = Schemas["SessionOut"];
export type Role = Session["user"]["role"];
type Body<Path extends keyof paths, Method extends "get" | "post"> =
  paths[Path] extends Record<
    Method,
    { responses: { 200: { content: { "application/json": infer Found } } } }
  >
    ? Found
    : never;

/** A program that tests may use, with its commands. */
export type Tool = Body<"/api/v1/tools", "get">["items"][number];
/** Whether both hosts have what a tool needs. */
export type ToolCheck = Body<"/api/v1/tools/{tool_id}/check", "post">;
export type User = Schemas["UserOut"];
export type Token = Schemas["TokenOut"];
export type Scope = Token["scopes"][number];
/** The filters and the order of a list under a name. */
export type SavedView = Schemas["SavedViewOut"];
export type ViewedList = SavedView["list"];
export type AuditEntry = Schemas["AuditOut"];
export type RetentionRules = Schemas["RetentionRules"];
export type Retention = Schemas["RetentionOut"];
export type RetentionPreview = Schemas["RetentionPreview"];
export type Credential = Schemas["CredentialOut"];
export type CredentialKind = Credential["kind"];
export type StorageArray = Schemas["ArrayOut"];
/** One figure of an array over time, and what changed between its runs. */
export type ArrayHistory = Schemas["ArrayHistory"];
/** A target and a deleted one that may be the same storage. */
export type Match = Schemas["Match"];
export type Matches = Schemas["Matches"];
export type Host = Schemas["HostOut"];
export type HostKey = Schemas["HostKey"];
export type Target = Schemas["TargetOut"];
/** A test of any kind; the types of each kind are next to its pages, in `features/kinds`. */
export type Test = Schemas["ProfileOut"]["body"]["tests"][number];
export type Profile = Schemas["ProfileOut"];
export type Plan = Schemas["CampaignPlan"];
export type Estimate = Schemas["Estimate"];
export type FilePlan = Schemas["FilePlan"];
export type PlannedChange = Schemas["PlannedChange"];
export type FieldProblem = Schemas["FieldProblem"];
export type LatestResult = Schemas["LatestResult"];

export type RunSummary = Schemas["RunSummary"];
export type RunState = RunSummary["state"];
export type Run = Schemas["RunOut"];
export type RunParameters = Run["parameters"];
export type TrialParameters = NonNullable<RunSummary["current"]>["parameters"];
export type Headline = NonNullable<RunSummary["headline"]>;
/** The rates that a trial held, in their order, and how long. */
export type Levels = NonNullable<RunSummary["headline_levels"]>;
export type Campaign = Schemas["CampaignOut"];
export type CampaignState = Campaign["state"];

export type Criterion = Schemas["CriterionIn"];
export type Metric = Schemas["MetricOut"];
export type VerdictRow = Schemas["VerdictRow"];
export type RunVerdict = Schemas["RunVerdict"];
export type ScaleOutCurve = Schemas["ScaleOutCurve"];
export type ScaledRun = Schemas["ScaledRun"];
export type ScaledRate = Schemas["ScaledRate"];
export type ScaledTarget = Schemas["ScaledTarget"];
export type Mesh = Schemas["Mesh"];
export type MeshGrid = Schemas["MeshGrid"];
export type CampaignVerdict = Schemas["CampaignVerdict"];
export type Outcome = VerdictRow["outcome"];

export type Result = Schemas["ComparedRun"]["result"];

export type Samples = Refined<
  Schemas["SamplesOut"],
  { columns: Record<string, (number | null)[]> }
>;

/** The figures of a trial over its data. */
export type Marks = Refined<Schemas["MarksOut"], { columns: Record<string, (number | null)[]> }>;

/** TCP and the pipeline at one end of a transfer, over time. */
export type Links = Refined<Schemas["LinksOut"], { columns: Record<string, (number | null)[]> }>;

export type Comparison = Schemas["Comparison"];
/** A run that can be compared, with the name of its campaign. */

/** What a search found of one type. */
export type SearchGroup = Schemas["SearchGroup"];

export type Overview = Schemas["Overview"];

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
  speed_bits_per_s: number | null;
  mac: string | null;
  state: string | null;
};

/** The output of the probe's `inspect`. */
export type Inspection = {
  hostname: string | null;
  kernel: string | null;
  os: string | null;
  arch: string | null;
  machine_id: string | null;
  boot_id: string | null;
  cpus: { count: number; model: string | null } | null;
  mem_total_bytes: number | null;
  mem_limit_bytes: number | null;
  filesystems: FileSystem[];
  devices: Device[];
  nics: NetworkCard[];
};

export type Inventory = Refined<Schemas["InventoryOut"], { body: Inspection }>;

/** When a plan is launched. */
export type Timetable = Schemas["TimetableIn"];
export type WeeklyBlackout = Schemas["WeeklyBlackout"];
export type DatedBlackout = Schemas["DatedBlackout"];
export type FireTime = Schemas["FireTimeOut"];
/** What became of a fire time. */
export type Firing = Schemas["FiringOut"];
export type SchedulePreview = Schemas["SchedulePreview"];
export type Schedule = Refined<Schemas["ScheduleOut"], { plan: Plan }>;
