import { expect, test } from "../fixtures.ts";

test("a token is shown once, works, and is not shown again", async ({ page, appliance }) => {
  await page.goto("/settings/tokens");
  await page.getByRole("button", { name: "New token" }).click();
  const dialog = page.getByRole("dialog", { name: "New token" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("pipeline");
  await dialog.getByRole("button", { name: "Make token" }).click();
  const shown = page.getByRole("status").getByText(/^assay_/);
  const token = ((await shown.textContent()) ?? "").trim();
  const answer = await fetch(`${appliance.url}/api/v1/hosts`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(200);
  await page.reload();
  await expect(page.getByRole("cell", { name: "pipeline" })).toBeVisible();
  await expect(page.getByText(token)).toBeHidden();
});
