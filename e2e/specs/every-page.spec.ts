/** Checks that hold on every page; each page is opened once for all of them. */

import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";
import { pages } from "../pages.ts";

/** How a page is opened, since that is most likely to go wrong; the rest is switched to. */
const NARROW = { width: 390, height: 900 };
const DARK = { colorScheme: "dark", reducedMotion: "reduce" } as const;
const WIDTHS = [NARROW.width, 1024, 1440];
const THEMES = [DARK.colorScheme, "light"] as const;

const softly = expect.configure({ soft: true });

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).analyze();
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${node.target.join(" ")} (${node.failureSummary})`).join("; ")}`,
  );
}

async function expectNoViolations(page: Page, name: string): Promise<void> {
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", theme);
    softly(await violations(page), `${name}, ${theme}`).toEqual([]);
  }
}

/** Pixels by which the page is wider than its window. */
async function beyond(page: Page): Promise<number> {
  return await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
}

/** The pixels of a row of two lines, and of one with a control in it. */
const TWO_LINES = 72;

/** Rows of lists that are higher on a phone; sentences about a row may follow its lines. */
const tallRows = (page: Page): Promise<string[]> =>
  page
    .locator("tr[data-unfolded=false]:not(:has(p))")
    .evaluateAll(
      (rows, most) =>
        rows.flatMap((row) =>
          row.getBoundingClientRect().height > most ? (row.textContent ?? "") : [],
        ),
      TWO_LINES,
    );

test("every page fits any width, passes axe in both themes, needs no other host and logs no error", async ({
  page,
  appliance,
  result,
  another,
}) => {
  test.setTimeout(600_000);
  const foreign: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith("http") && origin !== appliance.url) foreign.push(request.url());
  });
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  for (const { name, path } of pages(result, another)) {
    await page.setViewportSize(NARROW);
    await page.emulateMedia(DARK);
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.waitForLoadState("networkidle");
    for (const width of WIDTHS) {
      await page.setViewportSize({ ...NARROW, width });
      // a chart follows the new width a moment later
      await softly
        .poll(() => beyond(page), { message: `pixels of ${name} beyond the edge at ${width}` })
        .toBeLessThanOrEqual(0);
      if (width === NARROW.width) softly(await tallRows(page), name).toEqual([]);
    }
    await expectNoViolations(page, name);
  }
  expect(foreign).toEqual([]);
  expect(errors).toEqual([]);
});

test("axe finds nothing on the sign-in page", async ({ stranger }) => {
  await stranger.emulateMedia(DARK);
  await stranger.goto("/login");
  await expect(stranger.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await expectNoViolations(stranger, "Sign in");
});
