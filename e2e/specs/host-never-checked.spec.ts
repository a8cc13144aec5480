import { expect, test } from "../fixtures.ts";

test("a host that was never checked opens without an error", async ({ page, api, sshd }) => {
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  const credential = await api.post<{ id: number }>("/credentials", {
    name: "key of a host never checked",
    kind: "generated",
  });
  const host = await api.post<{ id: number }>("/hosts", {
    name: "never checked",
    address: "127.0.0.1",
    port: sshd.port,
    user: sshd.user,
    credential_id: credential.id,
  });
  await page.goto(`/hosts/${host.id}`);
  await expect(page.getByText("Not inspected")).toBeVisible();
  await expect(page.getByText("No targets yet")).toBeVisible();
  await page.waitForLoadState("networkidle");
  expect(errors).toEqual([]);
});
