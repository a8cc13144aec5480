import { expect, test } from "../fixtures.ts";

test("changing a host starts from what it is now, not from what was typed before", async ({
  page,
  api,
  sshd,
}) => {
  const host = await api.registered("to be moved", sshd);
  const name = page.getByRole("textbox", { name: "Name" }).first();
  await page.goto(`/hosts/new?host=${host.id}&change=connection`);
  await expect(name).toHaveValue("to be moved");
  await name.fill("typed and left");
  await page.reload();
  await expect(name).toHaveValue("typed and left");

  await api.patch(`/hosts/${host.id}`, { name: "renamed meanwhile" });
  await page.reload();
  await expect(name).toHaveValue("renamed meanwhile");
  await name.fill("moved");
  await page.getByRole("button", { name: "Fetch host key" }).click();
  await expect(page.getByRole("textbox", { name: "Directory" })).toBeVisible({ timeout: 30_000 });
  await page.getByRole("link", { name: "Change" }).click();
  await expect(name).toHaveValue("moved");
});
