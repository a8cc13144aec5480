import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";

/** Elements that a keyboard reaches; a page has more, but of the same kinds. */
const MOST = 40;

interface Focused {
  name: string;
  /** Whether its looks differ from those without the focus. */
  marked: boolean;
  /** Whether any of it is within the window. */
  seen: boolean;
}

/** The element that the Tab key moves to; null after the last one. */
async function next(page: Page): Promise<Focused | null> {
  await page.keyboard.press("Tab");
  return await page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body) return null;
    // what a control paints around itself, or around the box that stands for it
    const boxes = [element, element.parentElement, element.nextElementSibling];
    const marked = boxes.some((box) => {
      if (!box) return false;
      const { outlineStyle, outlineWidth } = getComputedStyle(box);
      return outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0;
    });
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return {
      name: `${element.tagName} ${element.textContent?.slice(0, 40) ?? ""} ${element.getAttribute("aria-label") ?? ""}`,
      marked,
      seen: bottom > 0 && right > 0 && top < innerHeight && left < innerWidth,
    };
  });
}

for (const path of ["/", "/campaigns", "/launch?targets=1", "/hosts/new", "/settings/tools"]) {
  test(`each element of ${path} that the keyboard reaches shows its focus`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.waitForLoadState("networkidle");
    const reached: Focused[] = [];
    for (let count = 0; count < MOST; count++) {
      const focused = await next(page);
      if (focused === null) break;
      reached.push(focused);
    }
    expect(reached.length).toBeGreaterThan(5);
    expect(reached.filter(({ marked, seen }) => !marked || !seen)).toEqual([]);
  });
}
