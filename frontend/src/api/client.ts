/** The typed client. It carries the CSRF token on writes and turns every refusal into a `Problem`. */
import createClient from "openapi-fetch";
import { problemOf, unreachable } from "./problem";
import type { paths } from "./schema";

const READS = new Set(["GET", "HEAD"]);
let csrf = "";
let onSignedOut = () => {};

/** Remembers the token that comes with each session. */
export function rememberCsrf(token: string): void {
  csrf = token;
}

/** Names what happens when the server no longer knows this session. */
export function whenSignedOut(act: () => void): void {
  onSignedOut = act;
}

/** Looks the global up at each call, so that a test can put its own server behind it. */
const send = (request: Request): Promise<Response> => globalThis.fetch(request);

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

/** The body of a successful answer. Throws `Problem` for any other. */
export async function unwrap<T>(pending: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await pending;
  if (!response.ok) throw problemOf(response, error);
  return data as T;
}

/** The same, as the closer type of `shapes.ts`, where the description only says "object" or "text". */
export async function unwrapAs<Closer>(pending: Promise<Answer<unknown>>): Promise<Closer> {
  return (await unwrap(pending)) as Closer;
}
