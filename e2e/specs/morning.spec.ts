import { mkdirSync, rmSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";
import { type Json, SMALLEST, type Target } from "../stack/api.ts";

test("an operator finds last week's runs of an array, runs one again, compares and shares it", async ({
  page,
  api,
}) => {
  const target = await api.memory();
  const array = await api.post<{ id: number }>("/arrays", { name: "vault of the morning" });
  await api.patch(`/targets/${target.id}`, { array_id: array.id });
  const first = await api.ended(await api.launch("Nightly check", SMALLEST));
  await test.step("the runs of the array in the last seven days", async () => {
    await page.goto("/runs");
    await page.getByRole("combobox", { name: "Array" }).click();
    await page.getByRole("option", { name: "vault of the morning" }).click();
    await page.getByRole("combobox", { name: "Launched" }).click();
    await page.getByRole("option", { name: "Last 7 days" }).click();
    const rows = page.getByRole("table", { name: "Runs" }).locator("tbody tr");
    await expect(rows).toHaveCount(1);
    await rows.getByRole("link").first().click();
    await expect(page).toHaveURL(new RegExp(`/runs/${first.runs[0]?.id}`));
  });
  await test.step("the same again", async () => {
    await page.getByRole("button", { name: "Run again" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Campaign name" }).fill("Morning check");
    await dialog.getByRole("button", { name: "Launch campaign" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Morning check");
  });
  const id = Number(/\d+$/.exec(page.url())?.[0]);
  const second = await api.ended({ id });
  await test.step("its result beside the previous one", async () => {
    await page.goto(`/runs/${second.runs[0]?.id}`);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("link", { name: "With the previous run of this target" }).click();
    const pair = `${first.runs[0]?.id},${second.runs[0]?.id}`;
    await expect(page).toHaveURL(new RegExp(`/compare\\?runs=${pair}$`));
    await expect(page.getByRole("heading", { name: "Answer" })).toBeVisible();
    await expectSound(page);
  });
  await test.step("the report for others", async () => {
    await page.goto(`/campaigns/${id}`);
    await page.getByRole("button", { name: "Share" }).click();
    const link = page.getByRole("link", { name: "Download report" });
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    expect(download.suggestedFilename()).toMatch(/\.html$/);
  });
  await api.patch(`/targets/${target.id}`, { array_id: null });
});

test("an operator reads why a campaign failed at night, marks it as seen and takes that back", async ({
  page,
  api,
  appliance,
}) => {
  const path = `${appliance.memory}/${"long-directory-name-".repeat(8)}`;
  mkdirSync(path);
  const { host_id } = await api.scratch();
  const place = { host_id, name: "gone", path, reserve_bytes: 0 };
  const target = await api.post<Target>("/targets", place);
  rmSync(path, { recursive: true });
  const name = `<b>Nightly</b> ${"check-".repeat(14)}`;
  const campaign = await api.launch(name, SMALLEST, target);
  expect((await api.ended(campaign)).state).toBe("failed");

  await page.goto("/");
  const row = page
    .getByRole("region", { name: "Needs attention" })
    .getByRole("listitem")
    .filter({ hasText: `Campaign ${campaign.id}, <b>Nightly</b>` });
  await expect(row).toContainText(/failed: .+/);
  await expectSound(page);
  const other = await page.context().newPage();
  await other.goto(`/campaigns/${campaign.id}`);
  const button = other.getByRole("button", { name: "Mark as seen" });
  await expect(button).toBeVisible();

  await row.getByRole("button", { name: `Mark campaign ${campaign.id} as seen` }).click();
  await expect(row).toHaveCount(0);
  await other.reload();
  await expect(other.getByText(/failure seen .+ by admin/)).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row).toBeVisible();

  await other.reload();
  await button.click();
  await expect(button).toHaveCount(0);
  await expect(row).toHaveCount(0);
  await page.goto("/campaigns?needs_attention=true");
  await expect(page.getByText("Attention: Needs attention")).toBeVisible();
  await expect(page.getByText(name)).toHaveCount(0);
  await other.close();
});

test("the overview of a busy night fits one screen, and no long name makes it wider", async ({
  page,
  api,
  result,
}) => {
  const { latest } = await api.get<{ latest: Json[] }>("/overview");
  const run = await api.get<Json>(`/runs/${result.runs[0]?.id}`);
  const [shown] = latest as { headline: { words: Json } }[];
  const busy = (path: string, name: string, figure: Json) => {
    const host = { id: 1, name: `host-${name}` };
    const part = { id: 1, role: "writer", host, target: { id: 1, path, name } };
    const at = (activity: string | null) => ({ participants: [{ ...part, activity }] });
    const active = { ...run, campaign_name: name, current: null, eta_s: 75, ended_at: null };
    const verdict = { outcome: "inconclusive", failed: 0, rules: [] };
    const preparing = { state: "preparing", ...at(`Preparing test files in ${path}`) };
    const waits_for = { kind: "host", what: `host-${name} is busy with ${path}`, since: null };
    return {
      running: [1, 2, 3].map((id) => ({ ...active, ...preparing, id })),
      queued: [4, 5, 6].map((id) => ({ ...active, ...at(null), id, state: "queued", waits_for })),
      issues: [7, 8, 9].map((id) => ({
        kind: "run_failed",
        message: `Campaign ${id}, ${name}: Write on host-${name} ${path} failed`,
        link: `/campaigns/${id}`,
        campaign_id: id,
      })),
      arrays: [1, 2, 3, 4].map((id) => ({ id, name, state: "idle", newest: null })),
      latest: Array.from({ length: 20 }, (_, index) => ({
        ...{ ...latest[0], ...at(null), name, run_id: index + 1, verdict },
        headline: { ...shown?.headline, words: { ...shown?.headline.words, figure } },
      })),
      hosts_with_problems: [],
    };
  };
  const cases = {
    usual: {
      ...{ path: "/mnt/vault-7/assay", name: "nightly", figure: { bytes_per_s: 2.6e9 } },
      widths: [1440],
    },
    long: {
      figure: { records_per_s: 416_000 },
      ...{ path: `/srv/${"long-directory".repeat(80)}`, name: "long".repeat(40) },
      widths: [360, 390, 1024, 1440, 1920],
    },
  };
  for (const [what, { path, name, figure, widths }] of Object.entries(cases)) {
    await page.unrouteAll();
    const json = busy(path, name, figure);
    await page.route("**/api/v1/overview", (route) => route.fulfill({ json }));
    await page.goto("/");
    const rows = page.getByRole("region", { name: "Recent results" }).getByRole("listitem");
    await expect(rows).toHaveCount(20);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const { scrollWidth } = await sizeOf(page);
      expect(scrollWidth, `${what}, ${width}`).toBeLessThanOrEqual(width);
    }
    if (what === "usual") expect((await sizeOf(page)).scrollHeight).toBeLessThanOrEqual(900);
  }
});

const sizeOf = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    return { scrollWidth, scrollHeight };
  });
