/** Fixtures of the specs: one shared appliance, a logged-in page, a host with SSH. */

import { test as base, expect, type Page } from "@playwright/test";
import { Api, type Campaign } from "./stack/api.ts";
import { Appliance } from "./stack/appliance.ts";
import { Sshd } from "./stack/sshd.ts";

interface Shared {
  appliance: Appliance;
  api: Api;
  sshd: Sshd;
  /** A finished write matrix on this machine's scratch target. */
  result: Campaign;
  /** Another one with other threads, for comparison. */
  another: Campaign;
}

interface Own {
  /** A page without a login. */
  stranger: Page;
}

/** Add the session of `api` to a browser context. */
async function logIn(page: Page, api: Api): Promise<void> {
  const [name = "", value = ""] = api.cookie.split("=");
  await page.context().addCookies([{ name, value, url: api.url, httpOnly: true }]);
}

export const test = base.extend<Own, Shared>({
  appliance: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's pattern
    async ({}, use) => {
      const appliance = await Appliance.start();
      await use(appliance);
      await appliance.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  api: [async ({ appliance }, use) => use(await Api.login(appliance)), { scope: "worker" }],
  sshd: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => {
      const sshd = await Sshd.start();
      await use(sshd);
      await sshd.stop();
    },
    { scope: "worker" },
  ],
  result: [
    async ({ api }, use) => use(await api.ended(await api.launch("A finished matrix"))),
    { scope: "worker", timeout: 120_000 },
  ],
  another: [
    async ({ api, result }, use) => {
      // The first has ended: a second one at the same time would be queued.
      expect(result.state).toBe("done");
      await use(await api.ended(await api.launch("Another matrix", { threads: [1, 4] })));
    },
    { scope: "worker", timeout: 120_000 },
  ],
  baseURL: async ({ appliance }, use) => use(appliance.url),
  page: async ({ page, api }, use) => {
    await logIn(page, api);
    await use(page);
  },
  stranger: async ({ browser, appliance }, use) => {
    const context = await browser.newContext({ baseURL: appliance.url });
    await use(await context.newPage());
    await context.close();
  },
});

export { expect } from "@playwright/test";
