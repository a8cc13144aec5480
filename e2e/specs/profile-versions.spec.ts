import { expect, test } from "../fixtures.ts";

test("an edited profile is a new version, and the old one can be viewed and restored", async ({
  page,
  api,
}) => {
  const builtin = await api.profile("filecatalyst-default-write");
  const first = await api.post<{ id: number }>(`/profiles/${builtin}/copy`, { name: "Versioned" });
  await page.goto(`/profiles/${first.id}`);
  await page.getByRole("textbox", { name: "Repeats" }).fill("2");
  await page.getByRole("button", { name: "Save as version 2" }).click();
  const versions = page.getByRole("table", { name: "Versions" });
  await expect(versions.getByRole("link")).toHaveText(["Version 2", "Version 1"]);
  await expect(page.getByRole("button", { name: "Save as version 3" })).toBeVisible();

  await versions.getByRole("link", { name: "Version 1" }).click();
  await expect(page.getByText(/This is an older version/)).toBeVisible();
  await expect(page.getByRole("textbox")).toHaveCount(0);
  await page.getByRole("button", { name: "Save as version 3" }).click();
  await expect(versions.getByRole("link")).toHaveCount(3);
  await expect(page.getByRole("textbox", { name: "Repeats" })).toHaveValue("5");
});
