import { expect, test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";

test("an administrator defines a tool, and a launch chooses it", async ({ page, api }) => {
  const { id, host_id } = await api.scratch();
  await page.goto("/settings/tools");
  const table = page.getByRole("table", { name: "Tools" });
  await expect(table.getByRole("row", { name: /rsync-ssh/ })).toContainText("built in");
  await expectSound(page);
  await page.getByRole("button", { name: "Add tool" }).click();
  const dialog = page.getByRole("dialog", { name: "Add tool" });
  await dialog.getByRole("textbox", { name: "Title" }).fill("Copy by cat");
  await dialog.getByRole("textbox", { name: "Name" }).fill("copy-by-cat");
  await dialog.getByRole("textbox", { name: "Needs at the source" }).fill("cat");
  const command = dialog.getByRole("textbox", { name: "Command at the source" });
  await command.fill("cat {source_dir}/* > /dev/null");
  await dialog.getByRole("button", { name: "Add tool" }).click();
  await expect(dialog.getByText(/\{source_dir\}/).first()).toBeVisible();
  await command.fill("cp {source_directory}/* {sink_directory}/");
  await dialog.getByRole("button", { name: "Add tool" }).click();
  await expect(dialog).toBeHidden();
  await expect(table.getByRole("row", { name: /copy-by-cat/ })).toContainText("cat");

  const profile = await api.post<{ id: number }>("/profiles", {
    name: "Two tools",
    body: {
      tests: [{ kind: "tool", title: "Copies", tools: ["rsync-ssh"], length: 40_000_000 }],
    },
  });
  await page.goto(`/launch?profile=${profile.id}`);
  const ends = page.getByRole("region", { name: "Source and sink" });
  await ends
    .getByRole("radiogroup", { name: "Source" })
    .locator(`input[value="target-${id}"]`)
    .check();
  await expect(
    ends.getByRole("radiogroup", { name: "Sink" }).locator(`input[value="host-${host_id}"]`),
  ).toBeVisible();
  const tools = page.getByRole("region", { name: "Tools" });
  await tools.getByRole("checkbox", { name: "Copy by cat" }).check();
  await expect(page.getByRole("textbox", { name: "Tools" })).toHaveValue(/copy-by-cat/);
  await expect(tools.getByText("Source, this machine").first()).toBeVisible();
  await expectSound(page);
});
