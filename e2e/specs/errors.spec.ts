import { expect, test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";

for (const path of ["/runs/99999", "/hosts/99999"]) {
  test(`${path}, which does not exist, is reported within the frame`, async ({ page }) => {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByRole("main").getByRole("alert")).toContainText("99999");
    await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
    await expectSound(page);
  });
}
