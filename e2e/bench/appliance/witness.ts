/**
 * A witness inside the page: when things were first seen, on the page's own clock, so that the way
 * between browser and benchmark does not count.
 */

import type { Page } from "@playwright/test";

interface Seen {
  /** Milliseconds since the navigation; an element counts when it exists and the page is idle. */
  at: Record<string, number>;
  /** The last click. */
  click: number;
  /** Largest contentful paint, and the sum of all layout shifts. */
  lcp: number;
  shift: number;
}

declare global {
  interface Window {
    witness: Seen;
  }
}

/** From the next navigation on, record when an element first matches each selector. */
export async function watch(page: Page, selectors: Record<string, string>): Promise<void> {
  await page.addInitScript((wanted) => {
    const seen: Seen = { at: {}, click: 0, lcp: 0, shift: 0 };
    window.witness = seen;
    const pending = new Set(Object.keys(wanted));
    const look = () => {
      for (const name of pending) {
        if (!document.querySelector(wanted[name] ?? "")) continue;
        pending.delete(name);
        // Behind the frame that shows it, and behind whatever keeps the page from answering.
        requestAnimationFrame(() => {
          setTimeout(() => {
            seen.at[name] = performance.now();
          });
        });
      }
    };
    new MutationObserver(look).observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
    });
    addEventListener(
      "click",
      () => {
        seen.click = performance.now();
      },
      { capture: true },
    );
    new PerformanceObserver((list) => {
      seen.lcp = list.getEntries().at(-1)?.startTime ?? seen.lcp;
    }).observe({ type: "largest-contentful-paint", buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        seen.shift += (entry as PerformanceEntry & { value: number }).value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  }, selectors);
}

/** Return the times as soon as all of `names` were seen. */
export async function testimony(page: Page, ...names: string[]): Promise<Seen> {
  await page.waitForFunction((all) => all.every((name) => name in window.witness.at), names, {
    timeout: 30_000,
  });
  return await page.evaluate(() => window.witness);
}

export interface Transfer {
  path: string;
  /** Transferred bytes, without headers. */
  bytes: number;
}

/** All resources that the page has fetched since its navigation. */
export async function transfers(page: Page): Promise<Transfer[]> {
  return await page.evaluate(() =>
    performance.getEntriesByType("resource").map((entry) => ({
      path: new URL(entry.name).pathname,
      bytes: (entry as PerformanceResourceTiming).encodedBodySize,
    })),
  );
}

export const kilobytes = (found: readonly Transfer[]): number =>
  found.reduce((sum, { bytes }) => sum + bytes, 0) / 1000;
