import { mkdtempSync, rmSync } from "node:fs";
import { expect, test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";

/** Of a file system other than the root's, on which a target needs no consent. */
const MEMORY = "/dev/shm/assay-known-key-";

test("a known host key adds a host with its targets in one step, and another key adds none", async ({
  page,
  api,
  sshd,
}) => {
  const folder = mkdtempSync(MEMORY);
  try {
    const credential = await api.post<{ id: number }>("/credentials", {
      name: "for a known host",
      kind: "private_key",
      private_key: sshd.privateKey,
    });
    expect(credential.id).toBeGreaterThan(0);
    await page.goto("/hosts/new");
    await page.getByRole("textbox", { name: "Name" }).fill("known before");
    await page.getByRole("textbox", { name: "Address" }).fill("127.0.0.1");
    await page.getByRole("textbox", { name: "Port" }).fill(String(sshd.port));
    await page.getByRole("textbox", { name: "User" }).fill(sshd.user);
    await page.getByRole("combobox", { name: "Credential" }).click();
    await page.getByRole("option", { name: "for a known host" }).click();
    const key = page.getByRole("textbox", { name: "Known host key" });
    await key.fill(`SHA256:${"k".repeat(43)}`);
    await page.getByRole("textbox", { name: "Target directories" }).fill(folder);
    await page.getByRole("button", { name: "Add host" }).click();
    await expect(page.getByText(/The host shows another key than the given one/)).toBeVisible({
      timeout: 30_000,
    });
    await expect(page.getByText(sshd.fingerprint)).toHaveCount(1);
    await expectSound(page);
    const names = (await api.get<{ items: { name: string }[] }>("/hosts")).items;
    expect(names.map(({ name }) => name)).not.toContain("known before");

    await key.fill(`256 ${sshd.fingerprint} root@storage (ED25519)`);
    await page.getByRole("button", { name: "Add host" }).click();
    await expect(page.getByRole("listitem").filter({ hasText: folder })).toBeVisible({
      timeout: 30_000,
    });
    await expect(page.getByText(/host key approved/)).toBeVisible();
    await expect(page.getByRole("link", { name: "Launch campaign" })).toBeVisible();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
