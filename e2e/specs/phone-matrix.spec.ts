import { expect, test } from "../fixtures.ts";

test("a matrix of five columns fits on a phone", async ({ page, api }) => {
  const threads = [1, 2, 4, 6, 8];
  const columns = { threads, block: [524_288], repeats: 1 };
  // five rates of memory, with a digit more each, do not fit
  const campaign = await api.ended(await api.launch("Five columns", columns, await api.scratch()));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/runs/${campaign.runs[0]?.id}`);
  const cells = page.getByRole("gridcell");
  await expect(cells).toHaveCount(threads.length);
  await expect(cells.last()).toBeInViewport({ ratio: 1 });
  await expect(page.getByTitle("More columns")).toBeHidden();
});
