import { expect, test } from "../fixtures.ts";
import { type Campaign, SLOW } from "../stack/api.ts";
import { until } from "../stack/processes.ts";

test("an unmeasured cell is marked in the matrix and in its detail", async ({ page, api }) => {
  const order = "given"; // so that the last cell is not the current one
  const slow = { ...SLOW, order, repeats: 5 };
  const campaign = await api.launch("One that is cancelled", slow, await api.scratch());
  await until("the first trial", async () => {
    const [run] = (await api.get<Campaign>(`/campaigns/${campaign.id}`)).runs;
    return run !== undefined && run.trials_done > 0;
  });
  await api.post(`/campaigns/${campaign.id}/cancel`);
  await api.ended(campaign);
  await page.goto(`/runs/${campaign.runs[0]?.id}`);
  await page
    .getByRole("gridcell", { name: /durable/ })
    .first()
    .click();
  await expect(page.locator(".main-svg").first()).toBeVisible();
  const cell = page.getByRole("gridcell", { name: /not measured/ }).last();
  await cell.click();
  await expect(cell).toHaveAttribute("aria-selected", "true");
  await expect(page.getByText("This cell has not been measured.")).toBeVisible();
});
