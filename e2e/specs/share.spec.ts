import { pathToFileURL } from "node:url";
import type { Browser, Page } from "@playwright/test";
import { expect, test } from "../fixtures.ts";

/** A page without a network, and the requests that it makes all the same. */
async function offline(browser: Browser): Promise<{ page: Page; asked: string[] }> {
  const context = await browser.newContext({ offline: true });
  const page = await context.newPage();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  return { page, asked };
}

test("a campaign's report opens offline, and prints", async ({ page, result, browser }, info) => {
  await page.goto(`/campaigns/${result.id}`);
  await page.getByRole("button", { name: "Share" }).click();
  const link = page.getByRole("link", { name: "Download report" });
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
  const file = info.outputPath("report.html");
  await download.saveAs(file);
  const reader = await offline(browser);
  const faults: string[] = [];
  reader.page.on("console", (message) => faults.push(message.text()));
  await reader.page.goto(pathToFileURL(file).href);
  await expect(reader.page.getByRole("heading", { name: "A finished matrix" })).toBeVisible();
  await expect(reader.page.getByRole("img", { name: "Durable rate by block size" })).toBeVisible();
  await expect(reader.page.getByRole("heading", { name: "Hosts" })).toBeVisible();
  expect(
    reader.asked.filter((url) => !url.startsWith("file:") && !url.startsWith("data:")),
  ).toEqual([]);
  expect(faults).toEqual([]);
  const paper = await reader.page.pdf({ preferCSSPageSize: true });
  expect(paper.subarray(0, 5).toString()).toBe("%PDF-");
  await reader.page.context().close();
});

test("a share link is opened without a login until it is revoked", async ({
  page,
  result,
  stranger,
}) => {
  await page.goto(`/campaigns/${result.id}`);
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Vendor support");
  await dialog.getByRole("button", { name: "Create link" }).click();
  const link = (await dialog.locator("code").textContent()) ?? "";
  expect(link).toMatch(/\/shared\/assay_[\w-]{43}$/);
  const opened = await stranger.goto(link);
  expect(opened?.headers()["x-robots-tag"]).toBe("noindex, nofollow");
  await expect(stranger.getByRole("heading", { name: /Host 1/ }).first()).toBeVisible();
  await page.reload();
  await page.getByRole("button", { name: "Share" }).click();
  const row = dialog.getByRole("listitem").filter({ hasText: "Vendor support" });
  await expect(row).toContainText("Opened 1 time");
  await expect(dialog.locator("code")).toHaveCount(0);
  await row.getByRole("button", { name: "Revoke Vendor support" }).click();
  await expect(row).toContainText("revoked");
  const after = await stranger.goto(link);
  expect(after?.status()).toBe(410);
  await expect(stranger.getByRole("heading", { name: "This link is not valid" })).toBeVisible();
});

test("a result is copied as Markdown and as a link to its repeat", async ({
  page,
  result,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/runs/${result.runs[0]?.id}`);
  await page.getByRole("gridcell", { name: /^64 KiB × 2 threads/ }).click();
  const repeats = page.getByRole("table", { name: "Repeats of the selected cell" });
  await repeats.getByRole("button").nth(1).click();
  await page.getByRole("button", { name: "Copy", exact: true }).first().click();
  const menu = page.getByRole("dialog", { name: "Copy", exact: true });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await menu.getByRole("button", { name: "Copy as Markdown" }).click();
  await expect(menu.getByRole("status")).toHaveText("Copied as Markdown.");
  expect(await copied()).toContain("| block |");
  await menu.getByRole("button", { name: "Copy link" }).click();
  await expect(menu.getByRole("status")).toHaveText("Copied the link.");
  const link = new URL(await copied());
  expect(link.searchParams.get("cell")).toBe("65536x2");
  expect(link.searchParams.get("repeat")).toBe("2");
  expect(link.searchParams.get("unit")).toBe("MB/s");
  await menu.getByRole("button", { name: "Copy as image" }).click();
  await expect(menu.getByRole("status")).toHaveText("Copied as an image.");
});
