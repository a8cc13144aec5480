import { expect, test } from "../fixtures.ts";

test("arrow keys navigate the matrix and Enter opens a cell", async ({ page, result }) => {
  await page.goto(`/runs/${result.runs[0]?.id}`);
  const cells = page.getByRole("gridcell", { name: /KiB|MiB/ });
  await cells.first().focus();
  await page.keyboard.press("ArrowRight");
  await expect(cells.nth(1)).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(cells.first()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(cells.first()).not.toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("[role=gridcell]:focus")).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("table", { name: "Repeats of the selected cell" })).toBeVisible();
});
