/** Fixtures of the benchmarks in addition to those of the specs: new pages, a large result. */

import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import type { Page } from "@playwright/test";
import { test as base } from "../../fixtures.ts";

export const ROOT = resolve(import.meta.dirname, "../../..");

interface Own {
  /** A logged-in page with empty caches. */
  freshPage: () => Promise<Page>;
}

interface Shared {
  /** The id of a finished run of 200 trials × 600 samples. */
  largeRun: number;
  /** The ids of two finished sustained trials: of ten minutes, and of 25 hours. */
  longRuns: { short: number; long: number };
  /** The number of further finished runs, of many campaigns and hosts. */
  manyRuns: number;
}

export const test = base.extend<Own, Shared>({
  largeRun: [
    async ({ appliance }, use) => await use(seeded(appliance.home, "seed.py", "5", "600")),
    { scope: "worker", timeout: 600_000 },
  ],
  longRuns: [
    async ({ appliance }, use) => {
      const runOf = (samples: string) => seeded(appliance.home, "long.py", samples);
      await use({ short: runOf("600"), long: runOf("90000") });
    },
    { scope: "worker", timeout: 600_000 },
  ],
  manyRuns: [
    async ({ appliance }, use) => await use(seeded(appliance.home, "many.py", "10000")),
    { scope: "worker", timeout: 600_000 },
  ],
  freshPage: async ({ browser, appliance, api }, use) => {
    const [name = "", value = ""] = api.cookie.split("=");
    await use(async () => {
      const context = await browser.newContext({ baseURL: appliance.url });
      await context.addCookies([{ name, value, url: api.url, httpOnly: true }]);
      return await context.newPage();
    });
  },
});

/** Run a script that adds a finished run to the appliance's database; returns the run's id. */
function seeded(home: string, script: string, ...options: string[]): number {
  const program = [join(import.meta.dirname, script), ...options];
  const printed = execFileSync(join(ROOT, ".venv/bin/python"), program, {
    env: { ...process.env, ASSAY_HOME: home },
    stdio: ["ignore", "pipe", "ignore"],
    encoding: "utf8",
  });
  return Number(printed);
}
