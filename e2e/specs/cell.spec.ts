import { expect, test } from "../fixtures.ts";

test("a click on a cell opens its repeats and does not move the page", async ({ page, result }) => {
  await page.goto(`/runs/${result.runs[0]?.id}`);
  const cell = page.getByRole("gridcell", { name: /^64 KiB × 2 threads/ });
  const before = await cell.boundingBox();
  await cell.click();
  await expect(page.getByRole("heading", { name: "64 KiB × 2 threads" })).toBeVisible();
  const repeats = page.getByRole("table", { name: "Repeats of the selected cell" });
  await expect(repeats.getByRole("button")).toHaveCount(3);
  await expect(
    page.getByRole("figure", { name: /Throughput, latency and host load/ }),
  ).toBeVisible();
  expect(await cell.boundingBox()).toEqual(before);
});
