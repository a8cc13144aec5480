import { testimony, watch } from "../bench/appliance/witness.ts";
import { expect, test } from "../fixtures.ts";

test("a result page requests its data before its code has run, and nothing moves as it loads", async ({
  page,
  result,
}) => {
  const [run] = result.runs;
  await watch(page, { chart: "figure .main-svg", cell: '[role="gridcell"]' });
  await page.goto(`/runs/${run?.id}`);
  await testimony(page, "cell", "chart");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/ on /);
  const early = await page.evaluate(() => {
    const [navigation] = performance.getEntriesByType(
      "navigation",
    ) as PerformanceNavigationTiming[];
    return performance
      .getEntriesByType("resource")
      .filter(({ startTime }) => startTime < (navigation?.domInteractive ?? 0))
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => path.startsWith("/api/"))
      .sort();
  });
  const api = "/api/v1";
  expect(early).toEqual([
    `${api}/runs/${run?.id}`,
    `${api}/runs/${run?.id}/result`,
    `${api}/session`,
  ]);
  const { shift } = await testimony(page);
  expect(shift).toBe(0);
});
