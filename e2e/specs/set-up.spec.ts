import { expect, bare as test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";
import { Appliance } from "../stack/appliance.ts";
import { until } from "../stack/processes.ts";

test("the setup code creates the first administrator, once", async ({ page }) => {
  test.setTimeout(120_000);
  const appliance = await Appliance.start({ adminPassword: null });
  try {
    let code = "";
    await until("the setup code", async () => {
      code = /setup code .*: (\S+)/.exec(appliance.log)?.[1] ?? "";
      return code !== "";
    });
    await page.goto(appliance.url);
    await expect(page.getByRole("heading", { name: "Set up Assay" })).toBeVisible();
    await page.getByRole("textbox", { name: "User name" }).fill("ada");
    await page.getByRole("textbox", { name: "Password" }).fill("a long enough password");
    await page.getByRole("textbox", { name: "Setup code" }).fill("AAAA-AAAA-AAAA-AAAA");
    await page.getByRole("button", { name: /administrator|Set up/ }).click();
    await expect(page.getByText(/not the code that the last start/)).toBeVisible();

    await page.getByRole("textbox", { name: "Setup code" }).fill(code);
    await page.getByRole("button", { name: /administrator|Set up/ }).click();
    await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
    await expect(page.getByRole("button", { name: "User menu: ada" })).toBeVisible();
    const steps = page.getByRole("region", { name: "First steps" });
    await expect(steps.getByRole("listitem")).toHaveCount(3);
    await expectSound(page);
    await steps.getByRole("link", { name: "Launch a campaign" }).click();
    await expect(page).toHaveURL(/\/launch$/);
  } finally {
    await appliance.stop();
  }
});
