import { expect, test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";

test("a file is previewed and applied, and its objects say that it manages them", async ({
  page,
}) => {
  await page.goto("/settings/files");
  const text = page.getByRole("textbox", { name: "Text" });
  await text.fill("name: shelf file\narrays:\n  - name: shelf 3\n    vender: Acme\n");
  await page.getByRole("button", { name: "Preview changes" }).click();
  await expect(page.getByRole("alert")).toContainText("Line 4, column 5: arrays.0.vender");
  await text.fill("name: shelf file\narrays:\n  - name: shelf 3\n    vendor: Acme\n");
  await page.getByRole("button", { name: "Preview changes" }).click();
  await expect(page.getByText("1 to create.")).toBeVisible();
  await page.getByRole("button", { name: "Apply file" }).click();
  await expect(page.getByText("1 created.")).toBeVisible();
  await expectSound(page);

  await page.goto("/arrays");
  await page.getByRole("link", { name: "shelf 3" }).click();
  await expect(page.getByRole("note")).toContainText("Managed by the file shelf file");

  await page.goto("/settings/files");
  await text.fill("name: shelf file\n");
  await page.getByRole("checkbox", { name: "Remove what the file no longer has" }).check();
  await page.getByRole("button", { name: "Preview changes" }).click();
  await expect(page.getByRole("list", { name: "Planned changes" })).toContainText(
    "Remove array shelf 3",
  );
  await page.getByRole("button", { name: "Apply file" }).click();
  await expect(page.getByText("1 removed.")).toBeVisible();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download file" }).click();
  expect((await download).suggestedFilename()).toBe("qualification.yaml");
});
