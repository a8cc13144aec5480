import { expect, test } from "../fixtures.ts";

test("the launch button stays visible below many warnings", async ({ page, api }) => {
  const { id } = await api.scratch();
  await page.setViewportSize({ width: 1440, height: 560 });
  await page.goto(
    `/launch?profile=${await api.profile("filecatalyst-default-write")}&targets=${id}`,
  );
  await page.getByRole("textbox", { name: "File size" }).fill("20 MB");
  const panel = page.getByRole("complementary", { name: "Estimate" });
  await expect(panel.getByRole("note").first()).toBeVisible();
  await expect(panel.getByRole("button", { name: "Launch campaign" })).toBeInViewport({ ratio: 1 });
});
