import { expect, test } from "../fixtures.ts";

test("a token that is deleted at once is shown no longer", async ({ page }) => {
  await page.goto("/settings/tokens");
  await page.getByRole("button", { name: "New token" }).click();
  const dialog = page.getByRole("dialog", { name: "New token" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("mistaken");
  await dialog.getByRole("button", { name: "Make token" }).click();
  const shown = page.getByRole("status").getByText(/^assay_/);
  await expect(shown).toBeVisible();
  await page
    .getByRole("row", { name: /mistaken/ })
    .getByRole("button", { name: "Delete" })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("cell", { name: "mistaken" })).toBeHidden();
  await expect(shown).toBeHidden();
});
