import { expect, test } from "../fixtures.ts";

test("a changed host key stops the host and shows the old and the new one", async ({
  page,
  api,
  sshd,
}) => {
  test.setTimeout(120_000);
  const { id: credential_id } = await api.post<{ id: number }>("/credentials", {
    name: "key for changed-key",
    kind: "private_key",
    private_key: sshd.privateKey,
  });
  const host = await api.post<{ id: number }>("/hosts", {
    name: "changing",
    address: "127.0.0.1",
    port: sshd.port,
    user: sshd.user,
    credential_id,
  });
  const check = `/hosts/${host.id}/check?wait=30`;
  await api.post(check);
  const old = sshd.fingerprint;
  await api.post(`/hosts/${host.id}/host-key`, { fingerprint: old });
  await api.post(check);
  await sshd.changeHostKey();

  await page.goto(`/hosts/${host.id}`);
  await page.getByRole("button", { name: "Check host" }).click();
  await expect(page.getByText("This host's key has changed")).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText(old).first()).toBeVisible();
  await expect(page.getByText(sshd.fingerprint).first()).toBeVisible();
  await page.getByRole("button", { name: "Approve the new key" }).click();
  await expect(page.getByText("This host's key has changed")).toBeHidden();
  await page.getByRole("button", { name: "Check host" }).click();
  await expect(page.getByText("ready").first()).toBeVisible({ timeout: 30_000 });
});
