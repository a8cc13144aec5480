import { expect, test } from "../fixtures.ts";

test("the switches select rate, statistic and unit, and each cell shows which", async ({
  page,
  result,
}) => {
  await page.goto(`/runs/${result.runs[0]?.id}`);
  const cell = page.getByRole("gridcell", { name: /^1 MiB × 1 thread/ });
  await expect(cell).toHaveAccessibleName(/durable, mean of 3 repeats/);
  await page
    .getByRole("region", { name: "Matrix" })
    .getByText("Application", { exact: true })
    .click();
  await expect(cell).toHaveAccessibleName(/application, mean of 3 repeats/);
  await page.getByRole("region", { name: "Matrix" }).getByText("Worst", { exact: true }).click();
  await expect(cell).toHaveAccessibleName(/worst of 3 repeats/);
  await page.getByRole("combobox", { name: "Throughput unit" }).click();
  await page.getByRole("option", { name: "MiB/s" }).click();
  await expect(page.getByRole("grid", { name: /MiB\/s/ })).toBeVisible();
});
