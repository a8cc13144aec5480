/** The typed API client. It adds the CSRF token to writes and throws every error response as a `Problem`. */
import { upperFirst } from "@mantine/hooks";
import createClient from "openapi-fetch";
import type { paths } from "./schema";
import type { FieldProblem } from "./shapes";

/** An error response of the API (RFC 9457), with its own members. */
type ProblemBody = {
  title: string;
  status: number;
  /** The reason; the title if that says it all. */
  detail?: string | null;
  /** What to do about it. */
  remedy?: string | null;
  code?: string | null;
  errors?: FieldProblem[];
  /** The detail only joins the errors. */
  detail_repeats_errors?: boolean;
  [fact: string]: unknown;
};

/** A failed request. Its message is the reason and the remedy; `body.errors` names the fields. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: ProblemBody;

  constructor(body: ProblemBody) {
    super(sentences(body) || body.title);
    this.name = "Problem";
    this.status = body.status;
    this.code = body.code ?? "";
    this.body = body;
  }

  /** The messages by field: `{ "tests.0.file_size": "is larger than …" }`. */
  get fields(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const { field, message, remedy } of this.body.errors ?? []) {
      found[field] ??= explained(message, remedy);
    }
    return found;
  }
}

/** Reason and remedy, without a reason that only repeats the title. */
function sentences({ title, detail, remedy }: ProblemBody): string {
  const reason = detail === title ? "" : (detail ?? "");
  if (!remedy) return reason;
  return reason ? `${ended(reason)} ${remedy}` : remedy;
}

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Join a message fragment and its remedy as sentences: "Is too large. Use 1 GB or less." */
export function explained(message: string, remedy?: string | null): string {
  const first = ended(upperFirst(message));
  return remedy ? `${first} ${remedy}` : first;
}

/** The problem of a request without any response. */
export const unreachable = (): Problem =>
  new Problem({
    title: "Assay is not responding",
    status: 0,
    code: "unreachable",
    detail: "The server did not respond. It may be stopped or restarting.",
  });

/** Convert an error response to a Problem, whether or not its body is problem+json. */
function problemOf(response: Response, body: unknown): Problem {
  if (typeof body === "object" && body !== null && "title" in body) {
    return new Problem({ ...(body as ProblemBody), status: response.status });
  }
  return new Problem({
    title: response.statusText || `Error ${response.status}`,
    status: response.status,
    detail: `The server returned status ${response.status} without details.`,
  });
}

/** Convert any thrown value to a Problem. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem({
    title: "Page error",
    status: 0,
    detail: error instanceof Error ? error.message : String(error),
  });
}

const READS = new Set(["GET", "HEAD"]);
let csrf = "";
let onSignedOut = () => {};

/** Store the CSRF token of the session. */
export function rememberCsrf(token: string): void {
  csrf = token;
}

/** Set the callback for an expired session. */
export function whenSignedOut(act: () => void): void {
  onSignedOut = act;
}

/** Looks up the global at each call, so that tests can replace it. */
const send = (request: Request): Promise<Response> =>
  takeEarly(request) ?? globalThis.fetch(request);

export const api = createClient<paths>({ baseUrl: globalThis.location?.origin, fetch: send });

api.use({
  onRequest({ request }) {
    if (!READS.has(request.method)) request.headers.set("X-Assay-CSRF", csrf);
  },
  onResponse({ request, response }) {
    const aboutSession = new URL(request.url).pathname === "/api/v1/session";
    if (response.status === 401 && !aboutSession) onSignedOut();
  },
  onError() {
    return unreachable();
  },
});

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** Return the body of a successful response; throw a `Problem` for any other. */
export async function unwrap<T>(pending: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await pending;
  if (!response.ok) throw problemOf(response, error);
  return data as T;
}

/** Like `unwrap`, with the narrower type of `shapes.ts` where the API description is too general. */
export async function unwrapAs<Closer>(pending: Promise<Answer<unknown>>): Promise<Closer> {
  return (await unwrap(pending)) as Closer;
}

/**
 * Responses to requests that `public/first-paint.js` sends before the application's code is there.
 * Each is used once. None is used later, or after a write: it would be outdated, and after a sign-in
 * that of another user.
 */

/** A page whose code takes longer to load requests its data again, in milliseconds. */
const OUTDATED_MS = 10_000;

declare global {
  var earlyResponses: Map<string, Promise<Response>> | undefined;
}

/** The response to a request that was sent early; undefined if it was not, or is outdated. */
function takeEarly({ method, url }: Request): Promise<Response> | undefined {
  const { earlyResponses: early } = globalThis;
  if (method !== "GET" || performance.now() > OUTDATED_MS) early?.clear();
  if (!early) return undefined;
  const { pathname, search } = new URL(url);
  const found = early.get(pathname + search);
  early.delete(pathname + search);
  return found;
}
