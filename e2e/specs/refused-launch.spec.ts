import { expect, test } from "../fixtures.ts";

test("an error at launch is shown, and cleared by the next edit", async ({ page, api }) => {
  const target = await api.scratch();
  const profile = await api.profile("filecatalyst-default-write");
  await page.goto(`/launch?targets=${target.id}&profile=${profile}`);
  const launch = page.getByRole("button", { name: "Launch campaign" });
  await expect(launch).toBeEnabled();
  await page.route("**/api/v1/campaigns", (route) =>
    route.fulfill({
      status: 422,
      contentType: "application/problem+json",
      json: {
        title: "A field is wrong",
        status: 422,
        errors: [{ field: "overrides.threads", message: "are too many by now" }],
      },
    }),
  );
  await launch.click();
  const threads = page.getByRole("textbox", { name: "Threads" });
  await expect(threads).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByRole("alert").filter({ hasText: "A field is wrong" })).toBeVisible();
  await threads.fill("1");
  await expect(threads).not.toHaveAttribute("aria-invalid", "true");
  await expect(page.getByText("A field is wrong")).toBeHidden();
});
