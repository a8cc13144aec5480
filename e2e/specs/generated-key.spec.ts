import { expect, test } from "../fixtures.ts";

test("a generated key pair's public key is shown, can be copied, and allows the login", async ({
  page,
  context,
  sshd,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/hosts/new");
  await page.getByRole("textbox", { name: "Name" }).fill("with a new pair");
  await page.getByRole("textbox", { name: "Address" }).fill("127.0.0.1");
  await page.getByRole("textbox", { name: "Port" }).fill(String(sshd.port));
  await page.getByRole("textbox", { name: "User" }).fill(sshd.user);
  await page.getByRole("button", { name: "New credential" }).click();
  const dialog = page.getByRole("dialog", { name: "New credential" });
  await dialog.getByRole("textbox", { name: "Credential name" }).fill("made here");
  await dialog.getByRole("button", { name: "Generate key pair" }).click();

  const shown = page.getByText(/^ssh-ed25519 /);
  await expect(shown).toBeVisible();
  await page.getByRole("button", { name: "Copy public key" }).click();
  await expect(page.getByText("Copied public key.")).toBeAttached();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await shown.textContent());

  sshd.authorize(copied);
  await page.getByRole("button", { name: "Fetch host key" }).click();
  await page.getByRole("button", { name: "Approve host key" }).click();
  await expect(page.getByRole("textbox", { name: "Directory" })).toBeVisible({ timeout: 30_000 });
});
