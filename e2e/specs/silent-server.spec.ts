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
