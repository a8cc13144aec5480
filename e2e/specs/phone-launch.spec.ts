import { expect, test } from "../fixtures.ts";

test("on a phone the figures and the button stay visible", async ({ page, api }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const target = await api.scratch();
  const profile = await api.profile("filecatalyst-default-write");
  await page.goto(`/launch?targets=${target.id}&profile=${profile}`);
  await expect(page.getByText(/175 trials/)).toBeInViewport();
  await expect(page.getByRole("button", { name: "Launch campaign" })).toBeInViewport();
});
