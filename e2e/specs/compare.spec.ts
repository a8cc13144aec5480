import { expect, test } from "../fixtures.ts";

test("two runs stand side by side behind a link that can be shared", async ({
  page,
  api,
  result,
}) => {
  const second = await api.ended(await api.launch("A second matrix"));
  const [a, b] = [result.runs[0]?.id, second.runs[0]?.id];
  const { answer } = await api.get<{ answer: string }>(`/compare?runs=${a},${b}`);
  await page.goto(`/compare?runs=${a},${b}`);
  await expect(page.getByText(answer).first()).toBeVisible();
  await expect(page.getByRole("grid")).toHaveCount(3);
  const link = page.url();
  await page.goto("/");
  await page.goto(link);
  await expect(page.getByText(answer).first()).toBeVisible();
});
