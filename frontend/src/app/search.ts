/** The typed search parameters of each page, which make its state a link. */
import { listSearch, RUN_FILTERS } from "@/api/listSearch";
import { RATE_UNITS, type RateUnit } from "@/components/quantities";

type Raw = Record<string, string | undefined>;

const among = <T extends string>(options: readonly T[], text: string | undefined): T | undefined =>
  options.find((option) => option === text);

const positive = (text: string | undefined): number | undefined => {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
};

/** The search parameters of a result's test kind are passed as text; the kind parses them. */
export type ResultSearch = {
  /** Overrides the user's unit, so that a shared link looks the same to everyone. */
  unit?: RateUnit;
};

export function resultSearch(raw: Raw): ResultSearch {
  return { ...raw, unit: among(RATE_UNITS, raw.unit) };
}

export type CompareSearch = ResultSearch & { runs: number[] };

export function compareSearch(raw: Raw): CompareSearch {
  const runs = String(raw.runs ?? "")
    .split(",")
    .map(positive)
    .filter((id): id is number => id !== undefined);
  return { ...resultSearch(raw), runs: [...new Set(runs)] };
}

/**
 * The launch form is passed as text, invalid values included: the page reads it and says what is
 * wrong.
 */
export type LaunchSearch = { profile?: string; targets?: string };

export const launchSearch = (raw: Raw): LaunchSearch => raw;

/** `change` reopens the first step of an existing host. */
export type HostWizardSearch = { host?: number; change?: "connection" };

export const hostWizardSearch = (raw: Raw): HostWizardSearch => ({
  host: positive(raw.host),
  change: among(["connection"], raw.change),
});

/** The list of campaigns; the API rejects unknown values. */
export const campaignsSearch = listSearch("state", "needs_attention", ...RUN_FILTERS);

/** The list of runs. */
export const runsSearch = listSearch("state", ...RUN_FILTERS);

/** An array's page: its list of runs, and the test and the zoom of its history. */
export const arraySearch = listSearch("state", ...RUN_FILTERS, "history", "zoom");

export const hostsSearch = listSearch("state", "array_id", "label");

export const arraysSearch = listSearch("host_id", "label");

export const profilesSearch = listSearch("kind", "builtin");

export const auditSearch = listSearch<never>();

export const credentialsSearch = listSearch("kind");

/** The lists of users and of tokens. */
export const accountsSearch = listSearch("role");

export const webhooksSearch = listSearch("enabled");

/** The deliveries of a webhook. */
export const deliveriesSearch = listSearch("state");
export const schedulesSearch = listSearch("state");

export type LoginSearch = { next?: string };

/** Only a path on this site is followed after sign-in. */
export const loginSearch = (raw: Raw): LoginSearch => ({
  next: /^\/(?![/\\])/.test(raw.next ?? "") ? raw.next : undefined,
});

/** Parse plain text values, so that links stay readable: `?runs=1,2&rate=durable`. */
export function parseSearch(text: string): Raw {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const parts = Object.entries(search)
    .filter(([, value]) => value !== undefined && value !== null && String(value) !== "")
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value)).replaceAll("%2C", ",")}`);
  return parts.length > 0 ? `?${parts.join("&")}` : "";
}
