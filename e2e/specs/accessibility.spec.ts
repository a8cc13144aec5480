import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";
import { pages } from "../pages.ts";

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).analyze();
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${node.target.join(" ")} (${node.failureSummary})`).join("; ")}`,
  );
}

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing on any page in the ${theme} theme`, async ({ page, result, another }) => {
    test.setTimeout(180_000);
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    for (const { name, path } of pages(result, another)) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await page.waitForLoadState("networkidle");
      expect.soft(await violations(page), `${name}, ${theme}`).toEqual([]);
    }
  });

  test(`axe finds nothing on the sign-in page in the ${theme} theme`, async ({ stranger }) => {
    await stranger.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await stranger.goto("/login");
    await expect(stranger.getByRole("heading", { name: "Sign in" })).toBeVisible();
    expect(await violations(stranger)).toEqual([]);
  });
}
