import { expect, test } from "../fixtures.ts";

test("a campaign leads to the version of the profile that it ran", async ({ page, result }) => {
  await page.goto(`/campaigns/${result.id}`);
  await page.getByRole("link", { name: "FileCatalyst default write, version 1" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("FileCatalyst default write");
});
