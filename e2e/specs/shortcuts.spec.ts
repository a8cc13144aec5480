import { expect, test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";

test("`?` shows the shortcuts, `/` finds a page, `g h` goes to the hosts", async ({ page }) => {
  await page.goto("/");
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText("Overview");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await expectSound(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();

  await page.keyboard.press("/");
  await page.getByRole("combobox", { name: /Search/ }).fill("audit");
  await expect(page.getByRole("option").first()).toBeVisible();
  await expectSound(page);
  await page.keyboard.press("Enter");
  await expect(heading).toHaveText("Audit log");

  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await expect(heading).toHaveText("Hosts");
});
