import { expect, test } from "../fixtures.ts";

test("a campaign's runs can be compared with one click", async ({ page, both }) => {
  await page.goto(`/campaigns/${both.id}`);
  await page.getByRole("link", { name: "Compare runs" }).click();
  const ids = both.runs.map(({ id }) => id);
  await expect(page).toHaveURL(new RegExp(`/compare\\?runs=${ids.join(",")}$`));
  await expect(page.getByRole("heading", { name: "Answer" })).toBeVisible();
});
