// Fails when the JavaScript that a page needs, its charts excluded, is over the budget.
// What counts: the entry with all its static imports, plus the largest page chunk with its own. What
// a test kind puts on a page is a chunk that the page loads; it counts as a page.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUDGET_KB = 250;
const dist = new URL("../dist/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", dist)));

/** All files that the chunk loads before it runs. */
function closure(key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key].imports ?? []) closure(next, seen);
  return seen;
}

const gzip = (key) => gzipSync(readFileSync(new URL(manifest[key].file, dist))).length / 1000;
const weigh = (keys) => [...keys].reduce((sum, key) => sum + gzip(key), 0);

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const base = closure(entry);
const pages = Object.keys(manifest)
  .filter((key) => manifest[key].isDynamicEntry && !key.startsWith("src/charts/"))
  .map((page) => ({ page, kilobytes: weigh(new Set([...base, ...closure(page)])) }));
pages.sort((a, b) => b.kilobytes - a.kilobytes);

console.log(`${weigh(base).toFixed(1).padStart(7)} kB gzip  entry`);
for (const { page, kilobytes } of pages) {
  console.log(`${kilobytes.toFixed(1).padStart(7)} kB gzip  ${page}`);
}
const worst = pages[0]?.kilobytes ?? weigh(base);
if (worst > BUDGET_KB) {
  console.error(`Over the budget of ${BUDGET_KB} kB: ${worst.toFixed(1)} kB.`);
  process.exit(1);
}
