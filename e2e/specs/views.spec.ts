import { expect, test } from "../fixtures.ts";

test("a view of a list is saved, found again and deleted", async ({ page }) => {
  await page.goto("/hosts?q=vault&sort=-name");
  const views = page.getByRole("region", { name: "Saved views" });
  await views.getByRole("button", { name: "Save view" }).click();
  await views.getByRole("textbox", { name: "Name of the view" }).fill("Vaults, last first");
  await views.getByRole("button", { name: "Save view" }).click();
  const link = views.getByRole("link", { name: "Vaults, last first" });
  await expect(link).toHaveAttribute("aria-current", "page");
  const search = page.getByRole("searchbox", { name: "Search hosts" });
  const [bar, field] = await Promise.all([views.boundingBox(), search.boundingBox()]);
  const gap = (field?.y ?? 0) - ((bar?.y ?? 0) + (bar?.height ?? 0));
  expect(gap, "pixels between the views and the filters").toBeGreaterThanOrEqual(8);

  await page.goto("/campaigns");
  await expect(page.getByRole("searchbox", { name: "Search campaigns" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Vaults, last first" })).toBeHidden();

  await page.goto("/hosts");
  await link.click();
  await expect(page).toHaveURL(/\/hosts\?q=vault&sort=-name$/);
  await expect(page.getByRole("searchbox", { name: "Search hosts" })).toHaveValue("vault");

  await views.getByRole("button", { name: "Delete view" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete view" }).click();
  await expect(link).toBeHidden();
  await expect(page).toHaveURL(/q=vault/);
});
