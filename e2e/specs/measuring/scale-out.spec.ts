import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "../../fixtures.ts";
import type { Campaign, Target } from "../../stack/api.ts";

test("a test scales out from one target to two, with efficiency and shares", async ({
  page,
  api,
  sshd,
}) => {
  test.setTimeout(180_000);
  const here = await api.scratch();
  const folder = join(sshd.folder, "second");
  mkdirSync(folder);
  const host = await api.registered("second", sshd);
  const there = await api.post<Target>("/targets", {
    host_id: host.id,
    path: folder,
    root_consent: true,
  });
  const profile = await api.profile("burst-sweep");

  await page.goto(`/launch?targets=${here.id}&profile=${profile}`);
  await expect(page.getByRole("radio", { name: "Scale-out" })).toHaveCount(0);
  await page.goto(`/launch?targets=${here.id},${there.id}&profile=${profile}`);
  await page.getByRole("radio", { name: "Scale-out" }).check();
  await expect(page.getByText(/first two together/)).toBeVisible();

  const campaign = await api.post<Campaign>("/campaigns", {
    name: "Scale-out of two",
    profile_id: profile,
    target_ids: [here.id, there.id],
    scale_out: true,
    tests: [
      {
        kind: "sustained",
        title: "Write",
        length: "5 s",
        block: [1_000_000],
        file_mode: "ring",
        file_size: 50_000_000,
        ring_files: 2,
        mark_bytes: 1_000_000,
        sample_ms: 100,
        cache: "direct_if_real",
      },
    ],
  });
  await page.goto(`/campaigns/${campaign.id}`);
  const { runs } = await api.ended(campaign);
  expect(runs.map(({ state }) => state)).toEqual(["done", "done"]);
  const section = page.getByRole("region", { name: "Scale-out" });
  const table = section.getByRole("table", { name: /^Scale-out of Write/ });
  await expect(table.getByRole("row", { name: /^1 / })).toContainText("100 %");
  await expect(table.getByRole("row", { name: /^2 / })).toContainText(/\d+\s% · \d+\s%/, {
    timeout: 20_000,
  });
  await expect(section.getByText(/^Order of the targets: /)).toBeVisible();
  await expect(section.getByRole("link", { name: "CSV" })).toBeVisible();

  // the marks of one participant at a time
  await page.getByRole("combobox", { name: "Participant" }).click();
  await page.getByRole("option", { name: /^second / }).click();
  await expect(
    page.getByRole("figure", { name: /^Throughput over data written of second / }),
  ).toBeVisible();
});
