import { expect, test } from "../fixtures.ts";
import { Sshd } from "../stack/sshd.ts";

test("an unreachable registered host is reported with a remedy, and can be connected again", async ({
  page,
  api,
}) => {
  const sshd = await Sshd.start();
  const host = await api.registered("gone", sshd);
  expect(host.state).toBe("ready");
  await sshd.stop();

  await page.goto(`/hosts/${host.id}`);
  await page.getByRole("button", { name: "Check host" }).click();
  const failed = page.getByRole("alert").filter({ hasText: "The connection was refused" });
  await expect(failed).toContainText("Start sshd on the host", { timeout: 30_000 });
  await expect(page.getByRole("table", { name: "File systems" })).toBeVisible();

  await page.goto(`/hosts/new?host=${host.id}`);
  await expect(failed).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Address" })).toHaveValue("127.0.0.1");
  await expect(page.getByText("Logged in.")).toBeHidden();
});
