import { expect, test } from "../fixtures.ts";

test("a campaign's runs can be compared with one click", async ({ page, api }) => {
  const profile_id = await api.profile("first-look");
  const { id: target } = await api.scratch();
  const overrides = { file_size: 4_000_000, block: [65536], threads: [1], repeats: 1 };
  const campaign = await api.ended(
    await api.post<{ id: number }>("/campaigns", { profile_id, target_ids: [target], overrides }),
  );
  await page.goto(`/campaigns/${campaign.id}`);
  await page.getByRole("link", { name: "Compare runs" }).click();
  const ids = campaign.runs.map(({ id }) => id);
  await expect(page).toHaveURL(new RegExp(`/compare\\?runs=${ids.join(",")}$`));
  await expect(page.getByRole("heading", { name: "Answer" })).toBeVisible();
});
