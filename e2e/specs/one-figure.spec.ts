/** A figure is the same on every page, in every download and in the terminal. */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Locator, Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";
import type { Appliance } from "../stack/appliance.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** The ids of an ended run that `testing/measured.py` stores. */
interface Measured {
  run: number;
  campaign: number;
  array: number;
}

/** The durable rates of its cells in MB/s, and what is said of each: a mean of the repeats that count. */
const CELLS: [setting: string, rate: string, sign: string][] = [
  ["64 KiB × 1 thread", "216", "unstable"],
  ["64 KiB × 2 threads", "130", "contended"],
  ["256 KiB × 1 thread", "260", "best"],
  ["256 KiB × 2 threads", "136", ""],
];
const BEST = "260 MB/s";
const HEADLINE = `${BEST} durable with one writer and 256 KiB blocks; more threads are slower`;

const environment = ({ home, port }: Appliance) => ({
  ...process.env,
  ASSAY_HOME: home,
  ASSAY_PORT: String(port),
  COLUMNS: "200",
});

/** What a command prints; a verdict that is no pass makes its exit code, too. */
function printed(appliance: Appliance, ...command: string[]): string {
  try {
    const file = join(ROOT, ".venv/bin/assay");
    return execFileSync(file, command, { env: environment(appliance) }).toString();
  } catch (error) {
    return String((error as { stdout: Buffer }).stdout);
  }
}

const plain = (text: string): string => text.replaceAll("\u00a0", " ");

/** The figure and the sign of each cell of a grid. */
async function cellsOf(grid: Locator): Promise<[string, string, string][]> {
  await expect(grid).toBeVisible();
  const cells = await grid.getByRole("gridcell").allInnerTexts();
  return cells.map((text) => {
    const [said = "", rate = "", sign = ""] = plain(text).trim().split("\n").filter(Boolean);
    return [said.split(":")[0] ?? "", rate, sign];
  });
}

const text = async (page: Page): Promise<string> => plain(await page.locator("main").innerText());

test("a cell reads the same wherever it is shown", async ({ page, appliance, stranger }, info) => {
  test.setTimeout(120_000);
  const [one, other]: Measured[] = JSON.parse(
    execFileSync(join(ROOT, ".venv/bin/python"), ["-m", "testing.measured"], {
      cwd: join(ROOT, "e2e"),
      env: environment(appliance),
    }).toString(),
  );
  if (!one || !other) throw new Error("no runs were stored");

  await test.step("the pages of the run and of its campaign", async () => {
    for (const path of [`/runs/${one.run}`, `/campaigns/${one.campaign}`]) {
      await page.goto(path);
      expect(await cellsOf(page.getByRole("grid").first()), path).toEqual(CELLS);
      expect((await text(page)).replaceAll("\n", " ").replace(/ +/g, " ")).toContain(HEADLINE);
    }
  });

  await test.step("a flag at the rate that it affects", async () => {
    await page.goto(`/runs/${one.run}?rate=application&cell=262144x2`);
    const cells = await cellsOf(page.getByRole("grid").first());
    expect(cells[3]).toEqual(["256 KiB × 2 threads", "544", "too short"]);
    await page.goto(`/runs/${one.run}?cell=262144x2`);
    const repeats = page.getByRole("table", { name: "Repeats of the selected cell" });
    await expect(repeats.getByText("too short (application rate)").first()).toBeVisible();
    await expect(repeats.getByText("not counted")).toHaveCount(0);
  });

  await test.step("the repeats that do not count, after those that do", async () => {
    await page.goto(`/runs/${one.run}?cell=65536x2`);
    const repeats = page.getByRole("table", { name: "Repeats of the selected cell" });
    const rows = repeats.locator("tbody").getByRole("row");
    await expect(rows).toHaveText([/^1.*128/, /^3.*132/, /^2.*322.*not counted.*contended/]);
    await expect(repeats.getByRole("row", { name: "Spread" })).toContainText(/mean 130\sMB\/s/);
  });

  await test.step("Compare: the matrix, the table and the ratio", async () => {
    await page.goto(`/compare?runs=${one.run},${other.run}`);
    const grid = page.getByRole("region", { name: "Matrix of A" }).getByRole("grid");
    expect(await cellsOf(grid)).toEqual(CELLS);
    const rows = page
      .getByRole("table", { name: /each cell/ })
      .locator("tbody")
      .getByRole("row");
    expect((await rows.allInnerTexts()).map((row) => plain(row).replaceAll("\t", " "))).toEqual([
      "64 KiB 1 216 216 1.00",
      "64 KiB 2 130 225 0.578",
      "256 KiB 1 260 260 1.00",
      "256 KiB 2 136 214 0.636",
    ]);
    await expect(page.getByRole("region", { name: "Answer" })).toContainText(/260\sMB\/s/);
  });

  await test.step("lists and overview, with the verdict", async () => {
    const rows: [string, (at: Page) => Locator][] = [
      ["/campaigns", (at) => at.getByRole("row", { name: /\/mnt\/a/ })],
      ["/runs", (at) => at.getByRole("row", { name: /\/mnt\/a/ })],
      [`/arrays/${one.array}`, (at) => at.getByRole("row", { name: /campaign/ })],
      ["/", (at) => at.getByRole("region", { name: "Recent results" }).getByRole("listitem")],
    ];
    for (const [path, find] of rows) {
      await page.goto(path);
      const row = find(page).filter({ hasText: "inconclusive" }).first();
      await expect(row, path).toContainText(/260\sMB\/s/);
    }
  });

  await test.step("the array's history", async () => {
    await page.goto(`/arrays/${one.array}`);
    const history = page.getByRole("region", { name: "History" });
    await history.getByRole("button", { name: "Table" }).click();
    await expect(history.getByRole("table")).toContainText("260");
  });

  await test.step("verdicts on pages and in the terminal", async () => {
    for (const path of [`/runs/${one.run}`, `/campaigns/${one.campaign}`]) {
      await page.goto(path);
      const verdict = page.getByRole("region", { name: "Verdict" });
      await expect(verdict.getByRole("row", { name: /durable\.mean/ })).toContainText(
        /pass.*260\sMB\/s.*\+4\.00\s%/s,
      );
      await expect(verdict.getByRole("row", { name: /app\.mean/ })).toContainText("inconclusive");
    }
    for (const command of ["run", "campaign"] as const) {
      const said = printed(appliance, command, "verdict", `${one[command]}`);
      expect(said).toMatch(/durable\.mean >= 250 MB\/s *│ 260 MB\/s *│ \+4\.00 % *│ pass/);
      expect(said).toMatch(/app\.mean >= 300 MB\/s *│ – *│ – *│ inconclusive/);
    }
  });

  await test.step("the terminal", async () => {
    const junit = info.outputPath("junit.xml");
    const waited = printed(appliance, "campaign", "wait", `${one.campaign}`, "--junit", junit);
    expect(waited).toContain(HEADLINE);
    expect(waited).toMatch(/64 KiB *│ *216 *│ *130 *│\n.*256 KiB *│ *260 \* *│ *136 *│/);
    expect(printed(appliance, "run", "show", `${one.run}`)).toContain(`headline: ${HEADLINE}`);
    const figures = printed(appliance, "run", "figures", `${one.run}`);
    expect(figures).toMatch(/durable\.mean +64 KiB, two threads +130 MB\/s +2 /);
    expect(figures).toMatch(/cliff\.after +256 KiB, two threads +– +0 +too short/);
    expect(figures).toMatch(/write\.p50 +- +9\.00 µs/);
    const compared = printed(appliance, "compare", `${one.run}`, `${other.run}`);
    expect(compared).toMatch(/262144x2 +durable +136 MB\/s +214 MB\/s +0\.636 base ÷ run/);
    expect(readFileSync(junit, "utf8")).toContain('name="measured" value="260000000.0"');
  });

  await test.step("the report, and the page that a link shares", async () => {
    const answer = await page.request.get(`/api/v1/campaigns/${one.campaign}/report.html`);
    const file = info.outputPath("report.html");
    writeFileSync(file, await answer.text());
    await stranger.goto(pathToFileURL(file).href);
    await reportAgrees(stranger);
    await page.goto(`/campaigns/${one.campaign}`);
    await page.getByRole("button", { name: "Share" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("Everyone");
    await dialog.getByRole("button", { name: "Create link" }).click();
    await stranger.goto((await dialog.locator("code").textContent()) ?? "");
    await reportAgrees(stranger);
  });
});

/** The finding, both matrices, the table, the flags and the verdict of a report. */
async function reportAgrees(page: Page): Promise<void> {
  const said = plain(await page.locator("body").innerText());
  expect(said).toContain(HEADLINE);
  const texts = async (chart: number) =>
    plain((await page.locator("svg").nth(chart).locator("text").allTextContents()).join(" "));
  expect(await texts(0)).toContain("64 KiB 216 unstable 130 contended 256 KiB 260 136");
  expect(await texts(1)).toContain("64 KiB 216 unstable 130 contended 256 KiB 260 544 too short");
  const table = page.getByRole("table").filter({ hasText: "1 thread" });
  await expect(table.getByRole("row")).toContainText([/threads/, /216\s*130/, /260 \*\s*136/]);
  expect(said).toContain("too short (application rate)");
  expect(said).toMatch(/durable\.mean >= 250 MB\/s.*260 MB\/s\s+\+4\.00 %\s+● pass/);
}

/** What both say of the conditions: the name and the value of each. */
test("the report has a test's parameters in the words of its page", async ({ page, result }) => {
  const run = result.runs[0]?.id;
  await page.goto(`/runs/${run}`);
  const conditions = page.getByRole("region", { name: "Conditions" });
  await conditions.getByRole("heading", { name: "Parameters" }).click();
  const facts = conditions.locator("dl").first();
  const names = await facts.locator("dt").allInnerTexts();
  const values = (await facts.locator("dd").allInnerTexts()).map(plain);
  const answer = await page.request.get(`/api/v1/campaigns/${result.id}/report.html`);
  await page.setContent(await answer.text());
  for (const [index, name] of names.entries()) {
    const term = page
      .locator("dt")
      .filter({ hasText: new RegExp(`^${name}$`) })
      .first();
    const value = plain(await term.locator("xpath=following-sibling::dd[1]").innerText());
    expect(value, name).toBe(values[index]);
  }
});
