import { mkdtempSync, rmSync } from "node:fs";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "../../fixtures.ts";
import type { Target } from "../../stack/api.ts";

const TEST = {
  kind: "matrix",
  operation: "write",
  title: "Small writes",
  block: [512],
  threads: [1],
  file_size: "min(4 GB, free / 4)",
  cache: "page",
  timeout_ms: 1500,
  repeats: 3,
  sample_ms: 100,
};

test("a criterion that fails gives the campaign a verdict, which can be waived", async ({
  page,
  api,
}) => {
  test.setTimeout(90_000);
  // memory: no other process's I/O makes the verdict inconclusive
  const folder = mkdtempSync("/dev/shm/assay-verdict-");
  try {
    const { host_id } = await api.scratch();
    const target = await api.post<Target>("/targets", { host_id, name: "memory", path: folder });
    const profile = await api.post<{ id: number }>("/profiles", {
      name: "With criteria",
      body: { tests: [TEST] },
    });

    await page.goto(`/profiles/${profile.id}`);
    await page.getByRole("button", { name: "Add criterion" }).click();
    const first = page.getByRole("combobox", { name: "Criterion 1" });
    await first.fill("durable");
    await page.getByRole("option", { name: "durable.mean" }).click();
    await page.getByRole("option", { name: "durable.mean >=", exact: true }).click();
    await first.pressSequentially("900");
    await page.getByRole("option", { name: "durable.mean >= 900 GB/s", exact: true }).click();
    await expect(first).toHaveValue("durable.mean >= 900 GB/s");
    await first.fill("durable.mean >= 900 ms");
    await expect(
      page.getByText("durable.mean is a rate, not a duration (character 17)"),
    ).toBeVisible();
    await first.fill("durable.mean >= 900 GB/s");
    await expect(
      page.getByText("The mean durable rate in the leading cell is at least 900 GB/s."),
    ).toBeVisible();
    await expectNoViolations(page);
    await page.getByRole("button", { name: "Add criterion" }).click();
    await page.getByRole("combobox", { name: "Criterion 2" }).fill("stall.max < 1 h");
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await expect(page.getByRole("button", { name: "Save as version 3" })).toBeVisible();
    const saved = Number(new URL(page.url()).pathname.split("/").at(-1));

    await page.goto(`/launch?profile=${saved}&targets=${target.id}`);
    await expect(page.getByRole("listitem").getByText("stall.max < 1 h")).toBeVisible();
    await page.getByRole("button", { name: "Add criterion" }).click();
    await page.getByRole("combobox", { name: "Criterion 1" }).fill("app.min >= 1 B/s");
    await page.getByRole("button", { name: "Launch campaign" }).click();
    await expect(page).toHaveURL(/\/campaigns\/\d+/);
    const id = Number(new URL(page.url()).pathname.split("/").at(-1));
    const campaign = await api.ended({ id });
    const verdict = page.getByRole("region", { name: "Verdict" });
    const row = verdict.getByRole("row", { name: /durable\.mean/ });
    await expect(row).toContainText("fail");
    await expect(row).toContainText(/\d GB\/s/);
    await expect(row).toContainText(/−[\d.]+\s%/);
    await expect(verdict.getByRole("row", { name: /stall\.max/ })).toContainText("pass");
    await expect(verdict.getByRole("row", { name: /app\.min/ })).toContainText("pass");
    await expectNoViolations(page);

    await verdict.getByRole("button", { name: "Judge by other criteria" }).click();
    await verdict.getByRole("combobox", { name: "Criterion 1" }).fill("app.mean >= 1 kB/s");
    await verdict.getByRole("button", { name: "Judge runs" }).click();
    await expect(verdict.getByRole("row", { name: /app\.mean/ })).toContainText("pass");

    await row.getByRole("link").click();
    await expect(page).toHaveURL(/\/runs\/\d+\?cell=512x1$/);
    // the verdict is stored a few seconds after the end
    await expect
      .poll(
        async () =>
          (await api.get<{ build: number | null }>(`/runs/${campaign.runs[0]?.id}/verdict`)).build,
        {
          timeout: 30_000,
        },
      )
      .toBe(1);
    const failed = page
      .getByRole("region", { name: "Verdict" })
      .getByRole("row", { name: /durable/ });
    await failed.getByRole("button", { name: "Waive" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Reason" }).fill("No memory is that fast.");
    await dialog.getByRole("button", { name: "Waive criterion" }).click();
    await expect(failed).toContainText("waived");
    await expect(failed).toContainText("No memory is that fast.");

    await page.goto("/");
    const recent = page.getByRole("region", { name: "Recent results" });
    await expect(recent.getByRole("listitem").first()).toContainText("waived");

    await page.goto("/campaigns?verdict=waived");
    await expect(page.getByRole("link", { name: "With criteria" })).toBeVisible();
    await page.goto("/campaigns?verdict=fail");
    await expect(page.getByText("No campaigns match the filters")).toBeVisible();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function expectNoViolations(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target)}`)).toEqual(
    [],
  );
}
