import { expect, test } from "../fixtures.ts";

test("a built-in profile can be copied, and the copy edited", async ({ page, api }) => {
  await page.goto(`/profiles/${await api.profile("filecatalyst-default-write")}`);
  await expect(
    page.getByText("Built-in profiles are read-only; copy this one to change it."),
  ).toBeVisible();
  await page.getByRole("button", { name: "Copy" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name of copy" }).fill("Our write matrix");
  await dialog.getByRole("button", { name: "Copy profile" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Our write matrix");
  await expect(page.getByRole("textbox", { name: "Name", exact: true })).toHaveValue(
    "Our write matrix",
  );
  await expect(page.getByRole("textbox", { name: "Repeats" })).toHaveValue("5");
});
