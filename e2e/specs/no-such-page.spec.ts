import { expect, test } from "../fixtures.ts";

for (const path of ["/nowhere", "/campaigns/abc", "/campaigns/0", "/runs/1.5"]) {
  test(`the unknown page ${path} is reported within the frame`, async ({ page }) => {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
    await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
  });
}
