import { readFileSync } from "node:fs";
import { expect, test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";

test("the runs of a filtered list are exported as trials or samples", async ({ page, result }) => {
  const id = result.runs[0]?.id;
  await page.goto("/runs?kind=matrix");
  await page.getByRole("button", { name: "Export…" }).click();
  const dialog = page.getByRole("dialog", { name: "Export a table" });
  await expect(dialog.getByLabel("One row per")).toHaveValue("Trial");
  await expect(dialog.getByText(/^[\d,]+ trials? of \d+ runs?$/)).toBeVisible();
  await expectSound(page);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("link", { name: "Download CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("assay-runs-trials.csv");
  const [head = "", ...rows] = readFileSync(await download.path(), "utf8")
    .trim()
    .split("\r\n");
  const names = head.split(",");
  expect(names).toContain("block_bytes");
  const column = names.indexOf("run_id");
  expect(rows.filter((row) => row.split(",")[column] === String(id)).length).toBeGreaterThan(5);
});

test("the storage page previews what a retention rule removes before it can be saved", async ({
  page,
  result,
}) => {
  expect(result.runs.length).toBeGreaterThan(0);
  await page.goto("/settings/storage");
  await expect(page.getByRole("region", { name: "Space used" })).toContainText("Raw event logs");
  await page.getByRole("checkbox", { name: "Remove samples" }).check();
  await expect(page.getByRole("button", { name: "Save rules" })).toBeHidden();
  await page.getByRole("button", { name: "Preview removal" }).click();
  await expect(page.getByText("Remove samples: nothing is old enough now.")).toBeVisible();
  await page.getByRole("button", { name: "Save rules" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save rules" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page.getByRole("button", { name: "Save rules" })).toBeHidden();
  await page.reload();
  await expect(page.getByRole("checkbox", { name: "Remove samples" })).toBeChecked();
  await expect(page.getByLabel("Days after the end")).toHaveValue("365");
  await expectSound(page);
  await page.getByRole("checkbox", { name: "Remove samples" }).uncheck();
  await page.getByRole("button", { name: "Preview removal" }).click();
  await expect(page.getByText("No rule is set: everything is kept.")).toBeVisible();
  await page.getByRole("button", { name: "Save rules" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save rules" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page.getByRole("button", { name: "Save rules" })).toBeHidden();
});
