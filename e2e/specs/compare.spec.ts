import { expect, test } from "../fixtures.ts";
import { pages } from "../pages.ts";

test("two runs are compared by a link that can be shared", async ({ page, result, another }) => {
  const [a, b] = [result.runs[0]?.id, another.runs[0]?.id];
  await page.goto(`/compare?runs=${a},${b}`);
  const answer = page.getByRole("region", { name: "Answer" }).getByRole("paragraph");
  await expect(answer).toContainText("durable");
  const text = await answer.innerText();
  for (const name of ["Matrix of A", "Matrix of B"]) {
    await expect(page.getByRole("region", { name }).getByRole("grid")).toBeVisible();
  }
  // Such short trials may have no rate to compare; then the page says so in place of the grid.
  const ratio = page.getByRole("region", { name: "A versus B" });
  await expect(
    ratio.getByRole("grid").or(ratio.getByText("No cell can be compared")),
  ).toBeVisible();
  const link = page.url();
  await page.goto("/");
  await page.goto(link);
  await expect(answer).toHaveText(text);
});

test("the Compare page of the general page checks shows results", async ({
  page,
  result,
  another,
}) => {
  const compare = pages(result, another).find(({ name }) => name === "Compare");
  await page.goto(compare?.path ?? "");
  for (const section of [
    "Configuration differences",
    "Answer",
    "Matrices, shared scale",
    "A versus B",
  ]) {
    await expect(page.getByRole("heading", { name: section })).toBeVisible();
  }
  await expect(page.getByRole("columnheader", { name: "B", exact: true })).toBeVisible();
});
