import { expect, test } from "../fixtures.ts";

test("a list on a phone is sorted, selected from and unfolded by touch", async ({
  page,
  result,
  another,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/campaigns");
  const row = page.getByRole("row", { name: new RegExp(result.name) });
  await expect(row).toBeVisible();
  await expect(page.getByRole("columnheader", { name: "Trials" })).toHaveCount(1);
  await expect(page.getByRole("button", { name: "Launched" })).toBeInViewport();
  await page.getByRole("button", { name: "ID" }).click();
  await expect(page).toHaveURL(/sort=-id/);
  await expect(page.getByRole("row", { name: new RegExp(another.name) })).toBeVisible();
  await row.getByRole("checkbox").check();
  await expect(page.getByRole("region", { name: "Selected rows" })).toContainText("1 selected");

  const trials = row.getByText(/^\d+\s\/\s\d+$/);
  await expect(trials).toBeHidden();
  await row.getByRole("button", { name: `Details of ${result.name}` }).press("Enter");
  await expect(trials).toBeVisible();
  await expect(row).toContainText("by admin");
});
