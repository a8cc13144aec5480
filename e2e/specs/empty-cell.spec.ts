import { expect, test } from "../fixtures.ts";

test("a cell that was not measured says so, in the matrix and where its series would be", async ({
  page,
  api,
}) => {
  const campaign = await api.launch("One that is cancelled", {
    file_size: 60_000_000,
    open_mode: "rwd",
    repeats: 5,
  });
  await api.post(`/campaigns/${campaign.id}/cancel`);
  await api.ended(campaign);
  await page.goto(`/runs/${campaign.runs[0]?.id}`);
  const cell = page.getByRole("gridcell", { name: /not measured yet/ }).last();
  await cell.click();
  await expect(cell).toHaveAttribute("aria-selected", "true");
  await expect(page.getByText("Nothing to show: this cell has not been measured.")).toBeVisible();
});
