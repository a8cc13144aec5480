import { expect, test } from "../fixtures.ts";

test("a changed host key stops the host and shows the old and the new one", async ({
  page,
  api,
  sshd,
}) => {
  test.setTimeout(120_000);
  const host = await api.registered("changing", sshd);
  const old = sshd.fingerprint;
  await sshd.changeHostKey();

  await page.goto(`/hosts/${host.id}`);
  await page.getByRole("button", { name: "Check host" }).click();
  await expect(page.getByText("Host key changed")).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText(old).first()).toBeVisible();
  await expect(page.getByText(sshd.fingerprint).first()).toBeVisible();
  await page.getByRole("button", { name: "Approve new host key" }).click();
  await expect(page.getByText("Host key changed")).toBeHidden();
  await page.getByRole("button", { name: "Check host" }).click();
  await expect(page.getByText("ready").first()).toBeVisible({ timeout: 30_000 });
});
