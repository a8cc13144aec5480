/** The typed API client. It adds the CSRF token to writes and throws every error response as a `Problem`. */
import createClient from "openapi-fetch";
import { takeEarly } from "./early";
import { problemOf, unreachable } from "./problem";
import type { paths } from "./schema";

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
