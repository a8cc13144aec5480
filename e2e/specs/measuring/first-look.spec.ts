import { expect, bare as test } from "../../fixtures.ts";
import { ADMIN, Appliance } from "../../stack/appliance.ts";

test("on a fresh home the overview shows a filling matrix, and its result is correct", async ({
  page,
}) => {
  test.setTimeout(420_000);
  const appliance = await Appliance.start({ firstLook: true });
  try {
    await page.goto(appliance.url);
    await page.getByRole("textbox", { name: "Name" }).fill(ADMIN.name);
    await page.getByRole("textbox", { name: "Password" }).fill(ADMIN.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    const running = page.getByRole("region", { name: "Running" }).getByRole("link");
    await expect(running.first()).toHaveText(/: (Write|Read)$/, { timeout: 120_000 });

    const cells = page.getByRole("gridcell", { name: /× . threads?: [\d.]+ [MG]B\/s/ });
    await expect(cells.first()).toBeVisible({ timeout: 60_000 });
    await running.first().click();
    await expect(cells.first()).toBeVisible({ timeout: 60_000 });
    await expect(page.getByText(/^(\d+) of \1 trials/)).toBeVisible({ timeout: 180_000 });

    await page.getByRole("link", { name: "Result" }).first().click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Write on this machine");
    await expect(page.getByRole("gridcell")).toHaveCount(8);
    const matrix = await page.evaluate(async () => {
      const answer = await fetch(`/api/v1${window.location.pathname}/result`);
      return (await answer.json()) as {
        headline: { no_result: unknown };
        best: { durable: { block: number; threads: number } | null };
      };
    });
    if (matrix.best.durable === null) {
      // other processes wrote, or the disk is faster than its calibration
      expect(matrix.headline.no_result).not.toBeNull();
      await expect(page.getByText(/^No result: /)).toBeVisible();
      return;
    }
    const { block, threads } = matrix.best.durable;
    const [size, unit] = block >= 2 ** 20 ? [block / 2 ** 20, "MiB"] : [block / 2 ** 10, "KiB"];
    await expect(page.getByRole("gridcell", { name: /best cell/ })).toHaveAccessibleName(
      new RegExp(`^${size}\\s${unit}\\s×\\s${threads}\\sthread`),
    );
  } finally {
    await appliance.stop();
  }
});
