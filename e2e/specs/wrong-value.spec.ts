import { expect, test } from "../fixtures.ts";

test("an invalid value is marked during input, and prevents the launch", async ({ page, api }) => {
  const target = await api.scratch();
  await page.goto(`/launch?targets=${target.id}`);
  await page.getByRole("radio", { name: /Which settings are best/ }).check();
  await page.getByRole("button", { name: /^FileCatalyst default write/ }).click();
  const launch = page.getByRole("button", { name: "Launch campaign" });
  await expect(launch).toBeEnabled();
  const threads = page.getByRole("textbox", { name: "Threads" });
  await threads.fill("0");
  await expect(threads).toHaveAttribute("aria-invalid", "true");
  await expect(launch).toBeDisabled();
  await threads.fill("1, 2");
  await expect(launch).toBeEnabled();
});
