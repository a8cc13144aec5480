import { expect, test } from "../fixtures.ts";

test("the new page's heading gets and keeps the focus after a navigation", async ({ page }) => {
  await page.goto("/");
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText("Overview");
  await expect(heading).not.toBeFocused();

  await page.getByRole("link", { name: "Campaigns", exact: true }).click();
  await expect(heading).toHaveText("Campaigns");
  await expect(heading).toBeFocused();

  const words = page.getByRole("searchbox", { name: "Search campaigns" });
  await words.fill("vault");
  await expect(page).toHaveURL(/q=vault/);
  await expect(words).toBeFocused();
});
