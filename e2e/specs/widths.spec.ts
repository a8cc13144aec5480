import { expect, test } from "../fixtures.ts";
import { pages } from "../pages.ts";

for (const width of [390, 1024, 1440]) {
  test(`no page scrolls horizontally at ${width} pixels`, async ({ page, result, another }) => {
    test.setTimeout(120_000);
    await page.setViewportSize({ width, height: 900 });
    for (const { name, path } of pages(result, another)) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await page.waitForLoadState("networkidle");
      const beyond = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return scrollWidth - clientWidth;
      });
      expect.soft(beyond, `pixels of ${name} beyond the edge`).toBeLessThanOrEqual(0);
    }
  });
}
