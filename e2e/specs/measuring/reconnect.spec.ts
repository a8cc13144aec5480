import { expect, bare as test } from "../../fixtures.ts";
import { Api, SLOW } from "../../stack/api.ts";
import { ADMIN, Appliance } from "../../stack/appliance.ts";

test("a campaign's page shows interrupted updates, and reconnects after a restart", async ({
  page,
}) => {
  test.setTimeout(240_000);
  const appliance = await Appliance.start();
  try {
    const api = await Api.login(appliance);
    const slow = { ...SLOW, repeats: 5 };
    const campaign = await api.launch("One that outlives a restart", slow, await api.scratch());
    await page.goto(`${appliance.url}/login?next=/campaigns/${campaign.id}`);
    await page.getByRole("textbox", { name: "Name" }).fill(ADMIN.name);
    await page.getByRole("textbox", { name: "Password" }).fill(ADMIN.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    const done = page.getByText(/^\d+ of 20 trials/);
    await expect(done).toHaveText(/^[1-9]/, { timeout: 30_000 });
    const loaded = await page.evaluate(() => performance.timeOrigin);

    const reread = page.waitForResponse(
      (answer) => answer.ok() && answer.url().endsWith(`/api/v1/campaigns/${campaign.id}`),
      { timeout: 90_000 },
    );
    await appliance.down();
    const words = page.getByText("Live updates interrupted");
    await expect(words).toBeVisible();
    await expect(done).toBeVisible();
    await appliance.up();
    await reread;
    await expect(words).toBeHidden({ timeout: 30_000 });
    await expect(page.getByText("20 of 20 trials")).toBeVisible({ timeout: 90_000 });
    await expect(page.getByRole("gridcell", { name: /durable, mean/ })).toHaveCount(4);
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(loaded);
  } finally {
    await appliance.stop();
  }
});
