import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";

/** The page fits every width and has no violation in both themes. */
async function expectSound(page: Page): Promise<void> {
  for (const width of [390, 1024, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expect
      .poll(() =>
        page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          return scrollWidth - clientWidth;
        }),
      )
      .toBeLessThanOrEqual(0);
  }
  for (const theme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", theme);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  }
}

test("a paced write is launched, shown over its data and compared with an unpaced one", async ({
  page,
  api,
}) => {
  test.setTimeout(120_000);
  const target = await api.scratch();
  const write = (title: string, pacing: object) => ({
    kind: "sustained",
    title,
    length: "4 s",
    block: [65_536],
    file_mode: "ring",
    file_size: 20_000_000,
    ring_files: 2,
    mark_bytes: 1_000_000,
    sample_ms: 100,
    ...pacing,
  });
  const campaign = await api.post<{ id: number }>("/campaigns", {
    name: "Sustained",
    profile_id: await api.profile("burst-sweep"),
    target_ids: [target.id],
    tests: [
      write("Paced", { pace: "rate", rate_bytes_per_s: [20_000_000] }),
      write("Bursts", { pace: "burst", burst_blocks: [4, 8], gap_ns: 20_000_000 }),
    ],
  });
  const { runs } = await api.ended(campaign);
  const [paced, bursts] = runs.map(({ id }) => id);

  await page.goto(`/runs/${paced}`);
  await expect(page.getByRole("figure", { name: "Throughput over time" })).toBeVisible();
  const carry = page.getByRole("region", { name: "Will it carry" });
  await expect(carry.getByRole("row", { name: /^100 Gb\/s/ })).toContainText("not tested");
  await page.getByText("Data written", { exact: true }).first().click();
  await expect(page.getByRole("figure", { name: "Throughput over data written" })).toBeVisible();
  const slowest = page.getByRole("list", { name: "Slowest operations" });
  await expect(slowest.getByRole("button").first()).toBeVisible();
  await slowest.getByRole("button").first().click();
  await expect(page.getByRole("figure", { name: "Latency percentiles" })).toBeVisible();
  await expectSound(page);

  await page.goto(`/runs/${bursts}`);
  await expect(page.getByRole("region", { name: "Cells" }).getByRole("row")).toHaveCount(3);
  await expectSound(page);

  await page.goto(`/compare?runs=${paced},${bursts}`);
  const answer = page.getByRole("region", { name: "Answer" });
  await expect(answer.getByRole("paragraph")).toBeVisible();
  await expect(page.getByRole("figure", { name: "Throughput over time" })).toBeVisible();
  await expectSound(page);
});

test("a pacing preset fills the fields of the launch form", async ({ page, api }) => {
  await page.goto(`/launch?profile=${await api.profile("owl-oc-3")}`);
  // The form shows all kinds' parameters until the profile is here.
  await expect(page.getByRole("textbox", { name: "Gap" })).toHaveAttribute(
    "placeholder",
    /^40\sms$/,
  );
  await page.getByRole("combobox", { name: "Pacing preset" }).click();
  await page.getByRole("option", { name: /^10 Gb\/s/ }).click();
  await expect(page.getByRole("textbox", { name: "Rates" })).toHaveValue("1250000000");
  await expect(page.getByText(/^= .*B\/s$/)).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Pacing", exact: true })).toHaveValue(
    "Rate: absolute schedule",
  );
});
