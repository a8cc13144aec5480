/** The size of the pages, and their response times. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { record, repeated } from "./figures.ts";
import { ROOT, test } from "./fixtures.ts";
import { kilobytes, testimony, transfers, watch } from "./witness.ts";

const SETTLED_MS = 1000;
const CHART_CHUNK = /plotly/i;
const RESULT = {
  cell: '[role="gridcell"][data-clickable]',
  detail: "figure .scatterlayer path.js-line",
};
const CHART = { chart: RESULT.detail };

test("the initial JavaScript", async ({ freshPage }) => {
  const loaded = await repeated(async () => {
    const page = await freshPage();
    await page.goto("/", { waitUntil: "networkidle" });
    const scripts = (await transfers(page)).filter(({ path }) => path.endsWith(".js"));
    await page.context().close();
    return kilobytes(scripts.filter(({ path }) => !CHART_CHUNK.test(path)));
  });
  record({ name: "JavaScript loaded at /", unit: "kB gzip", values: loaded, bar: { most: 250 } });

  const sizes = execFileSync(process.execPath, [join(ROOT, "frontend/scripts/size.mjs")], {
    encoding: "utf8",
  });
  const heaviest = Math.max(...sizes.split("\n").map((line) => Number.parseFloat(line) || 0));
  record({
    name: "JavaScript of the heaviest page, by the manifest",
    unit: "kB gzip",
    values: [heaviest],
    bar: { most: 250 },
  });
});

test("the overview", async ({ freshPage, largeRun }) => {
  const seen = await repeated(async () => {
    const page = await freshPage();
    await watch(page, { latest: `a[href="/runs/${largeRun}"]` });
    await page.goto("/");
    await testimony(page, "latest");
    await page.waitForTimeout(SETTLED_MS);
    const found = await testimony(page);
    await page.context().close();
    return found;
  });
  recordPaint("overview", seen);
});

test("the result page of 200 trials × 600 samples", async ({ freshPage, largeRun }) => {
  const seen = await repeated(async () => {
    const page = await freshPage();
    await watch(page, RESULT);
    await page.goto(`/runs/${largeRun}`);
    await testimony(page, "cell", "detail");
    await page.waitForTimeout(SETTLED_MS);
    const { at, lcp, shift } = await testimony(page);
    const calls = (await transfers(page)).filter(({ path }) => path.startsWith("/api/v1/"));

    const reply = await openAnotherCell(page);
    await page.context().close();
    return { at, lcp, shift, kilobytes: kilobytes(calls), reply };
  });
  const ms = (name: keyof typeof RESULT) => seen.map(({ at }) => at[name] ?? Number.NaN);
  record({
    name: "result page: a cell can be clicked",
    unit: "ms",
    values: ms("cell"),
    bar: { below: 1000 },
  });
  record({
    name: "result page: interactive, with the cell's detail drawn",
    unit: "ms",
    values: seen.map(({ at }) => Math.max(at.cell ?? Number.NaN, at.detail ?? Number.NaN)),
    bar: { below: 1000 },
    note: "empty caches",
  });
  record({
    name: "result page: from a click to the other cell's detail",
    unit: "ms",
    values: seen.map(({ reply }) => reply),
  });
  record({
    name: "result page: API responses",
    unit: "kB gzip",
    values: seen.map((one) => one.kilobytes),
    bar: { below: 300 },
  });
  recordPaint("result page", seen);
});

for (const [length, samples] of [
  ["short", "600"],
  ["long", "90,000"],
] as const) {
  test(`the result page of a sustained trial of ${samples} samples`, async ({
    freshPage,
    longRuns,
  }) => {
    const name = `sustained result page, ${samples} samples`;
    const seen = await repeated(async () => {
      const page = await freshPage();
      await watch(page, CHART);
      await page.goto(`/runs/${longRuns[length]}`);
      await testimony(page, "chart");
      await page.waitForTimeout(SETTLED_MS);
      const { at, lcp, shift } = await testimony(page);
      const calls = (await transfers(page)).filter(({ path }) => path.startsWith("/api/v1/"));
      await page.context().close();
      return { chart: at.chart ?? Number.NaN, lcp, shift, kilobytes: kilobytes(calls) };
    });
    record({
      name: `${name}: API responses`,
      unit: "kB gzip",
      values: seen.map((one) => one.kilobytes),
      bar: { below: 300 },
    });
    record({ name: `${name}: chart drawn`, unit: "ms", values: seen.map(({ chart }) => chart) });
    recordPaint(name, seen);
  });
}

/** Milliseconds from a click on another cell until its series is drawn. */
async function openAnotherCell(page: Page): Promise<number> {
  const line = RESULT.detail;
  const before = await page.locator(line).first().getAttribute("d");
  await page.locator('[role="gridcell"][aria-selected="false"]').first().click();
  const drawn = await page.waitForFunction(
    ([selector = "", course]) => {
      const now = document.querySelector(selector)?.getAttribute("d");
      return now && now !== course ? performance.now() - window.witness.click : false;
    },
    [line, before] as const,
  );
  return (await drawn.jsonValue()) || Number.NaN;
}

function recordPaint(page: string, seen: readonly { lcp: number; shift: number }[]): void {
  record({
    name: `${page}: largest contentful paint`,
    unit: "ms",
    values: seen.map(({ lcp }) => lcp),
    bar: { below: 1000 },
  });
  record({
    name: `${page}: layout shift`,
    unit: "",
    values: seen.map(({ shift }) => shift),
    bar: { most: 0 },
  });
}
