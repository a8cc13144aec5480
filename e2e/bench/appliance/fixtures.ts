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
}

export const test = base.extend<Own, Shared>({
  largeRun: [
    async ({ appliance }, use) => {
      const seed = join(import.meta.dirname, "seed.py");
      const printed = execFileSync(join(ROOT, ".venv/bin/python"), [seed, "5", "600"], {
        env: { ...process.env, ASSAY_HOME: appliance.home },
        stdio: ["ignore", "pipe", "ignore"],
        encoding: "utf8",
      });
      await use(Number(printed));
    },
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
