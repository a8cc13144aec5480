// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api, asProblem, Problem, rememberCsrf, unwrap, whenSignedOut } from "./client";

let asked: Request[];
let answer: () => Response | Promise<Response>;

beforeEach(() => {
  asked = [];
  answer = () => Response.json({ items: [], next_cursor: null });
  vi.stubGlobal("fetch", async (request: Request) => {
    asked.push(request);
    return answer();
  });
  rememberCsrf("token-of-this-session");
});
afterEach(() => {
  vi.unstubAllGlobals();
  whenSignedOut(() => {});
});

const refusal = (status: number, body: object) => () =>
  Response.json(body, { status, headers: { "Content-Type": "application/problem+json" } });

const makeHost = () =>
  unwrap(
    api.POST("/api/v1/hosts", { body: { name: "a", connection: "ssh", port: 0, address: "b" } }),
  );

it("sends the CSRF token with writes and not with reads", async () => {
  await unwrap(api.GET("/api/v1/hosts"));
  await makeHost();
  expect(asked.map((request) => request.headers.get("X-Assay-CSRF"))).toEqual([
    null,
    "token-of-this-session",
  ]);
});

it("turns a rejection into a problem with its fields", async () => {
  answer = refusal(422, {
    title: "The request is not valid",
    status: 422,
    code: "invalid",
    errors: [{ field: "port", message: "must be at least 1", remedy: "Give 1 or more." }],
  });
  const problem = asProblem(await makeHost().catch((error: unknown) => error));
  expect(problem).toBeInstanceOf(Problem);
  expect(problem.fields).toEqual({ port: "Must be at least 1. Give 1 or more." });
});

it("reports an error response without an explanation", async () => {
  answer = () => new Response("<h1>Bad gateway</h1>", { status: 502, statusText: "Bad Gateway" });
  await expect(unwrap(api.GET("/api/v1/hosts"))).rejects.toMatchObject({ status: 502 });
});

it("distinguishes a missing response from an error response", async () => {
  answer = () => Promise.reject(new TypeError("fetch failed"));
  await expect(unwrap(api.GET("/api/v1/hosts"))).rejects.toMatchObject({ code: "unreachable" });
});

it("signs out when the session has expired, but not while checking it", async () => {
  const signedOut = vi.fn();
  whenSignedOut(signedOut);
  answer = refusal(401, { title: "Sign in", status: 401 });
  await unwrap(api.GET("/api/v1/session")).catch(() => {});
  expect(signedOut).not.toHaveBeenCalled();
  await unwrap(api.GET("/api/v1/hosts")).catch(() => {});
  expect(signedOut).toHaveBeenCalledOnce();
});

it("uses no response that was requested before a write, such as signing in", async () => {
  const ofAnother = Promise.resolve(Response.json({ items: ["of another user"] }));
  vi.stubGlobal("earlyResponses", new Map([["/api/v1/hosts", ofAnother]]));
  const body = { name: "a", password: "b" };
  await unwrap(api.POST("/api/v1/session", { body }));
  expect(await unwrap(api.GET("/api/v1/hosts"))).toEqual({ items: [], next_cursor: null });
});

it("uses a response that was requested early once, and none for a write or long after", async () => {
  const early = (path: string, body: object) =>
    vi.stubGlobal("earlyResponses", new Map([[path, Promise.resolve(Response.json(body))]]));
  const sinceOpened = vi.spyOn(performance, "now").mockReturnValue(0);
  early("/api/v1/hosts", { items: ["early"] });
  expect(await unwrap(api.GET("/api/v1/hosts"))).toEqual({ items: ["early"] });
  expect(asked).toEqual([]);
  await unwrap(api.GET("/api/v1/hosts"));
  expect(asked).toHaveLength(1);

  early("/api/v1/hosts", { items: ["early"] });
  await makeHost();
  expect(asked).toHaveLength(2);
  sinceOpened.mockReturnValue(60_000);
  await unwrap(api.GET("/api/v1/hosts"));
  expect(asked).toHaveLength(3);
});
