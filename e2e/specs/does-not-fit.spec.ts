import { expect, test } from "../fixtures.ts";

test("a campaign that cannot fit is rejected with the figures", async ({ page, api }) => {
  const target = await api.scratch();
  await page.goto(`/launch?targets=${target.id}`);
  await page.getByRole("radio", { name: /Which settings are best/ }).check();
  await page.getByRole("button", { name: /^FileCatalyst default write/ }).click();
  await page.getByRole("textbox", { name: "File size" }).fill("2 * free");
  const forecast = page.getByRole("complementary", { name: "Estimate" });
  await expect(forecast.getByRole("alert").first()).toContainText(/free|fit|space/);
  await expect(forecast.getByRole("button", { name: "Launch campaign" })).toBeDisabled();
});
