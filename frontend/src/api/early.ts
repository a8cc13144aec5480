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
export function takeEarly({ method, url }: Request): Promise<Response> | undefined {
  const { earlyResponses: early } = globalThis;
  if (method !== "GET" || performance.now() > OUTDATED_MS) early?.clear();
  if (!early) return undefined;
  const { pathname, search } = new URL(url);
  const found = early.get(pathname + search);
  early.delete(pathname + search);
  return found;
}
