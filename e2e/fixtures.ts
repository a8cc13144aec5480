/** Fixtures of the specs: one appliance for each worker, a logged-in page, a host with SSH. */

import { test as base, expect, type Page } from "@playwright/test";
import { Api, type Campaign, SMALLEST } from "./stack/api.ts";
import { Appliance } from "./stack/appliance.ts";
import { MEASURING, occupy } from "./stack/machine.ts";
import { Sshd } from "./stack/sshd.ts";

interface Shared {
  appliance: Appliance;
  api: Api;
  sshd: Sshd;
  /** A finished write matrix in this machine's memory. */
  result: Campaign;
  /** Another one with other threads, for comparison. */
  another: Campaign;
  /** A finished campaign of two runs: a write and a read of one cell. */
  both: Campaign;
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

/** For specs with an appliance of their own: the worker has none. */
export const bare = base.extend<object, { machine: undefined }>({
  machine: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's pattern
    async ({}, use, { project }) => {
      const leave = await occupy(project.name === MEASURING ? "alone" : "together");
      await use(undefined);
      await leave();
    },
    // of the specs that it waits for, all together
    { scope: "worker", auto: true, timeout: 1_800_000 },
  ],
});

export const test = bare.extend<Own, Shared>({
  appliance: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
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
  both: [
    async ({ api }, use) => {
      const body = {
        profile_id: await api.profile("first-look"),
        target_ids: [(await api.memory()).id],
        overrides: { file_size: 4_000_000, ...SMALLEST },
      };
      await use(await api.ended(await api.post<Campaign>("/campaigns", body)));
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
