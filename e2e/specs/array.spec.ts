import { expect, test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";
import { SMALLEST } from "../stack/api.ts";

test("an array declared at a target is shown with its cache next to each of its targets", async ({
  page,
  api,
}) => {
  const target = await api.scratch();
  await page.goto(`/hosts/${target.host_id}`);
  const scratch = page.getByRole("article").filter({ hasText: target.path });
  await scratch.getByRole("button", { name: "Edit", exact: true }).click();
  const edit = page.getByRole("dialog", { name: /^Edit/ });
  await expect(edit.getByText(/possibly served by the array/)).toBeVisible();
  await edit.getByRole("button", { name: "New array" }).click();
  const add = page.getByRole("dialog", { name: "Add array" });
  await add.getByRole("textbox", { name: "Name" }).fill("vault");
  await add.getByRole("textbox", { name: "Cache size" }).fill("64 GB");
  await add.getByRole("button", { name: "Add array" }).click();
  await expect(edit.getByRole("combobox", { name: "Array" })).toHaveValue(/^vault, cache 64/);
  await edit.getByRole("button", { name: "Save target" }).click();
  await expect(scratch).toContainText(/vault, cache 64.0/);

  await page.goto(`/launch?targets=${target.id}`);
  await expect(page.getByText(/vault, cache 64.0/)).toBeVisible();
  await page.goto("/arrays");
  await expect(page.getByRole("row", { name: /vault.*64.0/ })).toBeVisible();
  await api.patch(`/targets/${target.id}`, { array_id: null });
});

test("an array that is registered again keeps its history, until that is undone", async ({
  page,
  api,
}) => {
  const target = await api.memory();
  const cellar = { name: "cellar", serial: "AC-20471" };
  const { id: old } = await api.post<{ id: number }>("/arrays", cellar);
  await api.patch(`/targets/${target.id}`, { array_id: old });
  const campaign = await api.ended(await api.launch("Before the array was deleted", SMALLEST));
  await api.patch(`/targets/${target.id}`, { array_id: null });
  await api.delete(`/arrays/${old}`);
  const { id } = await api.post<{ id: number }>("/arrays", cellar);

  await page.goto(`/arrays/${id}`);
  const match = page.getByRole("note");
  await expect(match).toContainText("Is cellar the same array as the deleted one, cellar?");
  await expect(page.getByText("No runs yet")).toBeVisible();
  await expectSound(page);
  await match.getByRole("button", { name: "Keep history" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("You can undo this.");
  await dialog.getByRole("button", { name: "Keep history" }).click();
  const runs = page.getByRole("table", { name: "Runs" });
  await expect(runs.getByRole("link", { name: `campaign ${campaign.id}` })).toBeVisible();
  await expect(page.getByRole("figure")).toContainText("over time");

  await page.getByText("Decided matches (1)").click();
  await expectSound(page);
  await page.getByRole("button", { name: "Undo" }).click();
  await dialog.getByRole("button", { name: "Undo" }).click();
  await expect(match).toContainText("Is cellar the same array");
  await expect(page.getByText("No runs yet")).toBeVisible();
  await api.delete(`/arrays/${id}`);
});
