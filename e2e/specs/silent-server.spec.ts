import { expect, test } from "../fixtures.ts";

test("a page without a server response reports it, and opens once it responds", async ({
  page,
}) => {
  const session = "**/api/v1/session";
  await page.route(session, (route) => route.abort());
  await page.goto("/hosts");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Assay cannot be opened");
  await expect(page.getByRole("alert")).toContainText("Assay is not responding");
  await page.unroute(session);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Hosts");
});

test("without a network, a list says that Assay does not respond", async ({ page, context }) => {
  await page.goto("/campaigns");
  await expect(page.getByRole("searchbox", { name: "Search campaigns" })).toBeVisible();
  await context.setOffline(true);
  await page.getByRole("searchbox", { name: "Search campaigns" }).fill("vault");
  await expect(page.getByRole("alert")).toContainText("Assay is not responding");
  await context.setOffline(false);
  await expect(page.getByRole("alert")).toBeHidden();
});
