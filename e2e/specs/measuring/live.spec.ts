import { expect, test } from "../../fixtures.ts";
import { SLOW } from "../../stack/api.ts";

test("a campaign fills cell by cell, and continues after a reload", async ({ page, api }) => {
  test.setTimeout(120_000);
  const slow = { ...SLOW, block: [4096, 8192, 16384], repeats: 3 };
  const campaign = await api.launch("A live one", slow, await api.scratch());
  try {
    await page.goto(`/campaigns/${campaign.id}`);
    const done = page.getByText(/^\d+ of 18 trials/);
    await expect(done).toHaveText(/^[1-9]/, { timeout: 30_000 });
    const before = Number.parseInt((await done.textContent()) ?? "", 10);
    await page.reload();
    await expect
      .poll(async () => Number.parseInt((await done.textContent()) ?? "", 10), { timeout: 30_000 })
      .toBeGreaterThan(before);
    await expect(page.getByText("18 of 18 trials")).toBeVisible({ timeout: 90_000 });
    await expect(page.getByRole("gridcell", { name: /durable, (mean|single)/ })).toHaveCount(6);
  } finally {
    await api.ended(campaign);
  }
});
