import { expect, test } from "../fixtures.ts";

test("an array declared at a target is shown with its cache next to each of its targets", async ({
  page,
  api,
}) => {
  const target = await api.scratch();
  await page.goto(`/hosts/${target.host_id}`);
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const edit = page.getByRole("dialog", { name: /^Edit/ });
  await expect(edit.getByText(/possibly served by the array/)).toBeVisible();
  await edit.getByRole("button", { name: "New array" }).click();
  const add = page.getByRole("dialog", { name: "Add array" });
  await add.getByRole("textbox", { name: "Name" }).fill("vault");
  await add.getByRole("textbox", { name: "Cache size" }).fill("64 GB");
  await add.getByRole("button", { name: "Add array" }).click();
  await expect(edit.getByRole("combobox", { name: "Array" })).toHaveValue(/^vault, cache 64/);
  await edit.getByRole("button", { name: "Save target" }).click();
  await expect(page.getByRole("article")).toContainText(/vault, cache 64.0/);

  await page.goto(`/launch?targets=${target.id}`);
  await expect(page.getByText(/vault, cache 64.0/)).toBeVisible();
  await page.goto("/arrays");
  await expect(page.getByRole("row", { name: /vault.*64.0/ })).toBeVisible();
  await api.patch(`/targets/${target.id}`, { array_id: null });
});
