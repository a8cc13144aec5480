import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "../../fixtures.ts";
import type { Campaign, Target } from "../../stack/api.ts";

test("targets on two hosts are measured together and show aggregate, shares and fairness", async ({
  page,
  api,
  sshd,
  result,
}) => {
  test.setTimeout(120_000);
  const here = await api.scratch();
  const folder = join(sshd.folder, "beside");
  mkdirSync(folder);
  const host = await api.registered("beside", sshd);
  const there = await api.post<Target>("/targets", {
    host_id: host.id,
    path: folder,
    root_consent: true,
  });
  const profile = await api.profile("filecatalyst-default-write");

  await page.goto(`/launch?targets=${here.id},${there.id}&profile=${profile}`);
  await page.getByRole("radio", { name: "All targets together" }).check();
  await page.getByRole("textbox", { name: "Block sizes" }).fill("1 MiB");
  await page.getByRole("textbox", { name: "Threads" }).fill("1");
  await page.getByRole("textbox", { name: "File size" }).fill("200 MB");
  await page.getByRole("textbox", { name: "Repeats" }).fill("2");
  await page.getByRole("button", { name: "Launch campaign" }).click();
  await expect(page).toHaveURL(/\/campaigns\/\d+/);
  await expect(page.getByText("beside").first()).toBeVisible();
  const id = Number(page.url().split("/").at(-1));
  const campaign = await api.get<Campaign>(`/campaigns/${id}?wait=60`);
  expect(campaign.runs.map(({ state, trials_done }) => [state, trials_done])).toEqual([
    ["done", 2],
  ]);

  await page.goto(`/runs/${campaign.runs[0]?.id}`);
  await expect(
    page.getByText(/Aggregate of 2 participants: .* Jain's fairness index/),
  ).toBeVisible();
  const shares = page.getByRole("table", { name: "Participants of the selected cell" });
  await expect(shares.getByRole("row")).toHaveCount(3);
  await expect(shares.getByRole("button", { name: new RegExp(folder) })).toBeVisible();
  await shares.getByRole("button", { name: /beside/ }).click();
  await expect(page.getByText(/CPU and device load of beside/)).toBeVisible();

  await page.goto(`/compare?runs=${campaign.runs[0]?.id},${result.runs[0]?.id}&cell=1048576x1`);
  await page.getByRole("combobox", { name: "Participant of A" }).click();
  const samples = page.waitForResponse(/\/samples\?.*participant=/);
  await page.getByRole("option", { name: /^beside/ }).click();
  expect((await samples).ok()).toBe(true);
});
