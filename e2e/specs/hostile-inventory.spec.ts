import { expect, test } from "../fixtures.ts";
import { Sshd } from "../stack/sshd.ts";

const IMAGE = "<img src=x onerror=document.title=1>";
const SCRIPT = "<script>document.title=2</script>";
const LINK = "[a](javascript:alert(1))";

test("a hostile inventory is shown as plain text", async ({ page, api }) => {
  test.setTimeout(120_000);
  const sshd = await Sshd.start();
  try {
    const said = Object.entries({ hostname: SCRIPT, os: IMAGE, kernel: LINK }).map(
      ([name, value]) => `-e 's#"${name}":"[^"]*"#"${name}":"${value}"#'`,
    );
    sshd.inspectBy(`$REAL "$@" | sed ${said.join(" ")}`);
    const host = await api.registered(`${IMAGE} hostile`, sshd);
    expect(host.state).toBe("ready");

    await page.goto(`/hosts/${host.id}`);
    for (const words of [SCRIPT, IMAGE, LINK]) {
      await expect(page.getByText(words).first()).toBeVisible();
    }
    await page.goto("/hosts");
    await expect(page.getByText(IMAGE).first()).toBeVisible();
    for (const path of [`/hosts/${host.id}`, "/hosts"]) {
      await page.goto(path);
      await page.waitForLoadState("networkidle");
      await expect(page.locator('img[src="x"]')).toHaveCount(0);
      await expect(page.locator('a[href^="javascript:"]')).toHaveCount(0);
      expect(await page.title()).not.toMatch(/^[12]$/);
    }
  } finally {
    await sshd.stop();
  }
});
