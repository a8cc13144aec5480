import { expect, test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";

test("the runs of one host of last week are found, opened, and still there after going back", async ({
  page,
  result,
  another,
}) => {
  const [run] = result.runs;
  await page.goto("/campaigns");
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Runs");
  const rows = page.getByRole("table", { name: "Runs" }).locator("tbody tr");
  await expect(rows.filter({ hasText: `campaign ${another.id}` })).toHaveCount(1);

  await page.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "done" }).click();
  await page.getByRole("combobox", { name: "Host" }).click();
  await page.getByRole("option", { name: "this machine" }).click();
  await page.getByRole("combobox", { name: "Launched" }).click();
  await page.getByRole("option", { name: "Last 7 days" }).click();
  await page.getByRole("searchbox", { name: "Search runs" }).fill(result.name);
  await expect(rows).toHaveCount(1);
  await expect(page).toHaveURL(/state=done/);
  await expect(page).toHaveURL(/within=7d/);
  await expectSound(page);

  await page.getByRole("button", { name: /^Test/ }).click();
  await expect(page.getByRole("columnheader", { name: "Test" })).toHaveAttribute(
    "aria-sort",
    "ascending",
  );
  await rows.getByRole("link").first().click();
  await expect(page).toHaveURL(new RegExp(`/runs/${run?.id}`));
  await page.goBack();
  await expect(page.getByRole("button", { name: "Remove filter State: done" })).toBeVisible();
  await expect(page.getByRole("searchbox", { name: "Search runs" })).toHaveValue(result.name);
  await expect(rows).toHaveCount(1);

  await page.getByRole("button", { name: "Remove filter State: done" }).click();
  await page.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "failed" }).click();
  await expect(page.getByText("No runs match the filters")).toBeVisible();
  await expectSound(page);
  await page.getByRole("option", { name: "done" }).click();
  await expect(page).toHaveURL(/state=failed,done/);
  await expect(rows).toHaveCount(1);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Remove filter State: done" }).click();
  await expect(page.getByText("No runs match the filters")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rows.filter({ hasText: `campaign ${another.id}` })).toHaveCount(1);
  await expect(page.getByRole("list", { name: "Active filters" })).toBeHidden();
});

test("two selected runs are compared", async ({ page, result, another }) => {
  const ids = [result.runs[0]?.id, another.runs[0]?.id];
  await page.goto("/runs");
  for (const id of ids) await page.getByRole("checkbox", { name: `Select run ${id}` }).check();
  await expect(page.getByRole("status").filter({ hasText: "2 selected" })).toBeVisible();
  await expectSound(page);
  await page.getByRole("link", { name: "Compare 2 runs" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/Compar/);
});

test("the search finds a campaign on the server, by keys alone, on every page", async ({
  page,
  result,
}) => {
  await page.goto("/settings/tokens");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("/");
  const input = page.getByRole("combobox", { name: "Search" });
  await input.fill("finished matr");
  const campaigns = page.getByRole("group", { name: "Campaigns" });
  await expect(campaigns.getByRole("option")).toHaveCount(1);
  await expectSound(page);
  await input.press("ArrowDown");
  await input.press("ArrowUp");
  await input.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/campaigns/${result.id}`));

  await page.keyboard.press("/");
  await page.getByRole("combobox", { name: "Search" }).fill("nothing is called this");
  await expect(page.getByText("No matches")).toBeVisible();
  await expectSound(page);
});

test("an array's page shows its identity, and says that it has no targets and runs yet", async ({
  page,
  api,
}) => {
  const array = await api.post<{ id: number }>("/arrays", {
    name: "array of the search",
    serial: "AC-90210",
  });
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("/");
  const input = page.getByRole("combobox", { name: "Search" });
  await input.fill("ac-90210");
  await expect(page.getByRole("group", { name: "Arrays" }).getByRole("option")).toHaveCount(1);
  await input.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/arrays/${array.id}$`));
  await expect(page.getByText("AC-90210", { exact: true })).toBeVisible();
  await expect(page.getByText("No targets", { exact: true })).toBeVisible();
  await expect(page.getByText("No runs yet")).toBeVisible();
  await expectSound(page);
});
