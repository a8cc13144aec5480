import { expect, test } from "../fixtures.ts";

test("an encrypted key is rejected with a wrong passphrase and accepted with the correct one", async ({
  page,
  sshd,
}) => {
  const key = sshd.lockedKey("open sesame");
  await page.goto("/settings/credentials");
  await page.getByRole("button", { name: "New credential" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Private key", { exact: true }).first().click();
  await dialog.getByRole("textbox", { name: "Credential name" }).fill("locked");
  await dialog.getByRole("textbox", { name: "Private key" }).fill(key);
  const passphrase = dialog.getByRole("textbox", { name: "Passphrase" });
  await passphrase.fill("open barley");
  await dialog.getByRole("button", { name: "Save credential" }).click();
  await expect(passphrase).toHaveAttribute("aria-invalid", "true");
  await passphrase.fill("open sesame");
  await dialog.getByRole("button", { name: "Save credential" }).click();
  await expect(page.getByRole("cell", { name: "locked", exact: true })).toBeVisible();
});
