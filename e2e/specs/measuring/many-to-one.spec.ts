import { expect, test } from "../../fixtures.ts";
import { expectSound } from "../../sound.ts";
import type { Campaign } from "../../stack/api.ts";

test("two sources send to one sink: aggregate, shares, and each pair", async ({
  page,
  api,
  sshd,
}) => {
  test.setTimeout(120_000);
  const { host_id } = await api.scratch();
  const other = await api.registered("sender-2", sshd);
  const campaign = await api.post<Campaign>("/campaigns", {
    name: "Two to one",
    profile_id: await api.profile("fdt-memory-to-memory"),
    sources: [{ host_id }, { host_id: other.id }],
    sinks: [{ host_id }],
    overrides: { duration_ms: 2000, ramp_ms: 0, repeats: 1, streams: [1], sample_ms: 100 },
  });
  await page.goto(`/campaigns/${campaign.id}`);
  const { runs } = await api.ended(campaign, 60);
  expect(runs.map(({ state }) => state)).toEqual(["done"]);

  await page.goto(`/runs/${runs[0]?.id}`);
  const pairs = page.getByRole("table", { name: "Pairs of the shown trial" });
  await expect(pairs.getByRole("row")).toHaveCount(3);
  await expect(pairs.getByRole("row").nth(1)).toContainText(/[MG]B\/s/);
  // its rate over its own time
  await expect(pairs.getByRole("row").nth(1)).toContainText(/[MG]B\/s in \d/);
  await expect(page.getByText(/^Jain's fairness index \d\.\d{3}\./)).toBeVisible();
  // two entries of one machine are one source
  const source = page.getByRole("region", { name: "Source", exact: true });
  await expect(source.getByRole("listitem").first()).toContainText(/sender-2.*%/);
  await expect(page.getByRole("img", { name: /rates of all pairs/ })).toBeVisible();
  await pairs.getByRole("button", { name: /^sender-2/ }).click();
  await expect(page).toHaveURL(/[?&]pair=1/);
  await expect(page.getByRole("region", { name: /^sender-2 .*→/ }).first()).toContainText(
    "Source memory",
  );
  await expectSound(page);
});
