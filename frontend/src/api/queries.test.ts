// @vitest-environment jsdom
import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { arraysQuery, credentialsQuery, hostsQuery, profilesQuery } from "./queries";

/** A list of two pages, regardless of the request. */
beforeEach(() => {
  vi.stubGlobal("fetch", async (request: Request) =>
    new URL(request.url).searchParams.get("cursor") === "second"
      ? Response.json({ items: [{ id: 2 }], next_cursor: null })
      : Response.json({ items: [{ id: 1 }], next_cursor: "second" }),
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([
  ["arrays", () => new QueryClient().fetchQuery(arraysQuery)],
  ["credentials", () => new QueryClient().fetchQuery(credentialsQuery)],
  ["hosts", () => new QueryClient().fetchQuery(hostsQuery)],
  ["profiles", () => new QueryClient().fetchQuery(profilesQuery)],
])("reads the list of %s to its last page", async (_, read) => {
  const { items } = await read();
  expect(items.map(({ id }) => id)).toEqual([1, 2]);
});
