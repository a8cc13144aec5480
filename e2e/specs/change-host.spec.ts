import { expect, test } from "../fixtures.ts";

test("editing a host starts from its current values, not from an old draft", async ({
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

test("a host cannot be edited before it is loaded, and an unknown one is reported", async ({
  page,
  api,
  sshd,
}) => {
  const host = await api.registered("slow to load", sshd);
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(`**/api/v1/hosts/${host.id}`, async (route) => {
    await held;
    await route.continue();
  });
  const name = page.getByRole("textbox", { name: "Name" });
  await page.goto(`/hosts/new?host=${host.id}&change=connection`);
  await expect(page.getByText("Loading host")).toBeAttached();
  await expect(name).toHaveCount(0);
  answer();
  await expect(name.first()).toHaveValue("slow to load");

  await page.goto("/hosts/new?host=987654");
  await expect(page.getByText(/host 987654/)).toBeVisible();
});
