/** A tool and Assay's engine between two hosts of the lab, from the launch form to the comparison. */

import type { Locator, Page } from "@playwright/test";
import { test as base, expect } from "../../fixtures.ts";
import { expectSound } from "../../sound.ts";
import type { Api, Campaign, Host, Target } from "../../stack/api.ts";
import { Lab } from "../../stack/lab.ts";

/** A host of the lab as Assay knows it. */
interface Place {
  host: Host;
  target: Target;
}

type Places = Record<"nvme-shelf" | "sata-array" | "old-nas" | "remote-site", Place>;

const test = base.extend<{ places: Places }>({
  places: [
    async ({ api }, use) => {
      const lab = await Lab.start();
      const found = await Promise.all(
        lab.hosts.map(async (one) => {
          const host = await api.registered(one.name, { ...one, privateKey: lab.privateKey });
          const place = { host_id: host.id, path: one.target, reserve_bytes: 0 };
          // the login user may not see where the disk's image is
          const consent = { root_consent: true };
          const target = await api.post<Target>("/targets", { ...place, ...consent });
          return [one.name, { host, target }] as const;
        }),
      );
      await use(Object.fromEntries(found) as Places);
      await lab.stop();
    },
    { timeout: 120_000 },
  ],
});

const disk = ({ target }: Place): string => `input[value="target-${target.id}"]`;

/** Select the ends of one side of the launch form. */
async function select(side: Locator, ...ends: string[]): Promise<void> {
  for (const end of ends) await side.locator(end).check();
}

/** Replace values of the profile, by the labels of their fields. */
async function enter(page: Page, values: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await page.getByRole("textbox", { name, exact: true }).fill(value);
  }
}

/** Launch from the form, and wait for the end. */
async function launched(page: Page, api: Api, seconds: number): Promise<Campaign> {
  await page
    .getByRole("complementary", { name: "Estimate" })
    .getByRole("button", { name: "Launch campaign" })
    .click();
  await expect(page).toHaveURL(/\/campaigns\/\d+$/);
  const campaign = await api.ended({ id: Number(page.url().split("/").at(-1)) }, seconds);
  expect(campaign.runs.map(({ state }) => state)).toEqual(campaign.runs.map(() => "done"));
  return campaign;
}

test("rsync and Assay's engine move the same data, and are compared", async ({
  page,
  api,
  places,
}) => {
  test.setTimeout(120_000);
  await page.goto(`/launch?profile=${await api.profile("rsync-against-assay")}`);
  const section = page.getByRole("region", { name: "Source and sink" });
  await select(section.getByRole("radiogroup", { name: "Source" }), disk(places["nvme-shelf"]));
  await select(section.getByRole("radiogroup", { name: "Sink" }), disk(places["old-nas"]));
  await enter(page, { Length: "80 MB", Repeats: "1" });
  const tools = page.getByRole("region", { name: "Tools" }).first();
  await tools.getByRole("button", { name: "Check hosts" }).click();
  await expect(tools.getByText("found", { exact: true })).toHaveCount(2, { timeout: 30_000 });
  const { runs } = await launched(page, api, 90);
  expect(runs).toHaveLength(2);
  await page.getByRole("link", { name: "Compare runs" }).click();
  const sides = page.getByRole("table", { name: "Ways of moving the data" });
  await expect(sides.getByRole("row")).toHaveCount(3);
  await expect(sides.getByRole("row", { name: /rsync/ })).toContainText("0");
  await expectSound(page);
});
