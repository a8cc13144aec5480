import { expect, test } from "../fixtures.ts";

test("a pacing preset fills the fields of the launch form", async ({ page, api }) => {
  await page.goto(`/launch?profile=${await api.profile("owl-oc-3")}`);
  await expect(page.getByRole("textbox", { name: "Gap" })).toHaveAttribute(
    "placeholder",
    /^40\sms$/,
  );
  await page.getByRole("combobox", { name: "Pacing preset" }).click();
  await page.getByRole("option", { name: /^10 Gb\/s/ }).click();
  await expect(page.getByRole("textbox", { name: "Rates" })).toHaveValue("1250000000");
  await expect(page.getByText(/^= .*B\/s$/)).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Pacing", exact: true })).toHaveValue(
    "Rate: absolute schedule",
  );
});
