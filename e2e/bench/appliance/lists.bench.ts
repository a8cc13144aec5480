/** Response times of lists and of the search, with 10,000 runs stored. */

import { expect, type Page } from "@playwright/test";
import { record, repeated } from "./figures.ts";
import { test } from "./fixtures.ts";

const REQUESTS = {
  hosts: "hosts?sort=name",
  arrays: "arrays?sort=name",
  profiles: "profiles",
  campaigns: "campaigns?sort=-created_at",
  "campaigns of a host": "campaigns?host_id=7&sort=name",
  "campaigns that failed": "campaigns?verdict=fail",
  "campaigns, running": "campaigns?state=running",
  "campaigns of a week by words": "campaigns?q=acceptance+17&from=2026-01-01",
  runs: "runs?sort=-created_at",
  "runs of an array": "runs?array_id=7&sort=title",
  "runs of a host that failed": "runs?host_id=7&state=failed&verdict=fail",
  "runs by words": "runs?q=acceptance+17",
  "search for a host": "search?q=node-07",
  "search that matches all runs": "search?q=acceptance",
  "search without a match": "search?q=nothing+is+called+this",
};

test("lists and search of 10,000 runs", async ({ freshPage, manyRuns }) => {
  expect(manyRuns).toBe(10_000);
  const page = await freshPage();
  await page.goto("/");
  const requests = { ...REQUESTS, "the 100th page of runs": await laterPage(page, 100) };
  for (const [name, path] of Object.entries(requests)) {
    record({
      name: `10,000 runs: ${name}`,
      unit: "ms",
      values: await repeated(() => taken(page, path)),
      bar: { below: 200 },
    });
  }
  await page.context().close();
});

/** Milliseconds from a request until its response is parsed. */
const taken = (page: Page, path: string): Promise<number> =>
  page.evaluate(async (url) => {
    const start = performance.now();
    const answer = await fetch(url);
    await answer.json();
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    return performance.now() - start;
  }, `/api/v1/${path}`);

/** The path of a later page of runs. */
const laterPage = (page: Page, number: number): Promise<string> =>
  page.evaluate(async (pages) => {
    let path = "runs?sort=-created_at";
    for (let at = 1; at < pages; at++) {
      const { next_cursor } = await (await fetch(`/api/v1/${path}`)).json();
      path = `runs?sort=-created_at&cursor=${next_cursor}`;
    }
    return path;
  }, number);
