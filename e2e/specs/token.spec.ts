import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";

/** Create a token in the browser; return the element with its secret. */
async function makeToken(page: Page, name: string) {
  await page.goto("/settings/tokens");
  await page.getByRole("button", { name: "New token" }).click();
  const dialog = page.getByRole("dialog", { name: "New token" });
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  await dialog.getByRole("button", { name: "Create token" }).click();
  return page.getByRole("status").getByText(/^assay_/);
}

test("a token is shown once, works, and is not shown again", async ({ page, appliance }) => {
  const shown = await makeToken(page, "pipeline");
  const token = ((await shown.textContent()) ?? "").trim();
  const answer = await fetch(`${appliance.url}/api/v1/hosts`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(200);
  await page.reload();
  await expect(page.getByRole("cell", { name: "pipeline" })).toBeVisible();
  await expect(page.getByText(token)).toBeHidden();
});

test("a token that is deleted at once is no longer shown", async ({ page }) => {
  const shown = await makeToken(page, "mistaken");
  await expect(shown).toBeVisible();
  await page
    .getByRole("row", { name: /mistaken/ })
    .getByRole("button", { name: "Delete" })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("cell", { name: "mistaken" })).toBeHidden();
  await expect(shown).toBeHidden();
});

test("a token is limited to scopes, targets and quotas, which the list shows", async ({ page }) => {
  await page.goto("/settings/tokens");
  await page.getByRole("button", { name: "New token" }).click();
  const dialog = page.getByRole("dialog", { name: "New token" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("limited");
  await dialog.getByRole("combobox", { name: "Role" }).click();
  await page.getByRole("option", { name: "Operator" }).click();
  await dialog.getByRole("textbox", { name: /^Launch only on targets/ }).fill("env=lab");
  await dialog.getByRole("textbox", { name: "Written per day" }).fill("2 TB");
  await dialog.getByRole("textbox", { name: "Campaigns at once" }).fill("2");
  await dialog.getByRole("button", { name: "Create token" }).click();
  await expect(dialog.getByText(/could be lifted by the token itself/i)).toBeVisible();
  await dialog.getByRole("checkbox", { name: "Manage hosts" }).uncheck();
  await dialog.getByRole("button", { name: "Create token" }).click();
  const row = page.getByRole("row", { name: /limited/ });
  await expect(row.getByText("Read, launch, edit")).toBeVisible();
  await expect(row.getByRole("link", { name: "env=lab" })).toBeVisible();
  await expect(row.getByText("0 B of 2.00 TB")).toBeVisible();
  await expect(row.getByText("0 of 2 active")).toBeVisible();
});
