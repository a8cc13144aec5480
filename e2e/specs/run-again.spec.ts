import { expect, test } from "../fixtures.ts";

test("a run is launched again with a change, and compared with the previous one", async ({
  page,
  api,
  result,
}) => {
  const [first] = result.runs;
  if (!first) throw new Error("the campaign has no run");
  await page.goto(`/runs/${first.id}`);
  await test.step("the dialog says what launching again writes", async () => {
    await page.getByRole("button", { name: "Run again" }).click();
    const dialog = page.getByRole("dialog", { name: `Repeat run ${first.id}` });
    await expect(dialog.getByRole("textbox", { name: "Campaign name" })).toHaveValue(result.name);
    await expect(dialog.getByText("Written at most")).toBeVisible();
    await expect(dialog.getByText(/^about .+from/)).toBeVisible();
    await expect(dialog.getByRole("button", { name: "Launch campaign" })).toBeEnabled();
    await dialog.getByRole("link", { name: "Edit before launch" }).click();
  });
  await test.step("the launch form has every parameter, and its address follows", async () => {
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Launch campaign");
    await expect(page.getByRole("textbox", { name: "Campaign name" })).toHaveValue(result.name);
    await expect(page.getByRole("textbox", { name: "Repeats" })).toHaveValue("3");
    await page.getByRole("textbox", { name: "Campaign name" }).fill("Edited");
    await page.getByRole("textbox", { name: "Repeats" }).fill("2");
    await expect(page).toHaveURL(/name=Edited.*repeats=2/);
    await page.reload();
    await expect(page.getByRole("textbox", { name: "Campaign name" })).toHaveValue("Edited");
    await expect(page.getByRole("textbox", { name: "Repeats" })).toHaveValue("2");
    await page.getByRole("button", { name: "Launch campaign" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Edited");
  });
  const id = Number(/\d+$/.exec(page.url())?.[0]);
  const campaign = await api.ended({ id });
  const [second] = campaign.runs;
  if (!second) throw new Error("the campaign has no run");
  expect(3 * second.trials_total).toBe(2 * first.trials_total);
  await test.step("a cell of the campaign's matrix opens in the result", async () => {
    const grid = page.getByRole("grid");
    await grid.getByRole("gridcell").first().click();
    await expect(page).toHaveURL(new RegExp(`/runs/${second.id}\\?cell=`));
  });
  await test.step("the previous run of the target is one click away, and is the base", async () => {
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("link", { name: "With the previous run of this target" }).click();
    await expect(page).toHaveURL(new RegExp(`/compare\\?runs=\\d+,${second.id}$`));
    await expect(page.getByRole("heading", { name: "Answer" })).toBeVisible();
    await page.getByRole("button", { name: "Use B as the base" }).click();
    await expect(page).toHaveURL(new RegExp(`/compare\\?runs=${second.id},\\d+$`));
  });
});

test("a link to the launch form says what is impossible in it", async ({ page, api }) => {
  const target = await api.scratch();
  const profile = await api.profile("filecatalyst-default-write");
  const launch = page.getByRole("button", { name: "Launch campaign" });
  await page.goto(
    `/launch?profile=${profile}&targets=${target.id},999&threads=0&blok=4%20KiB&execution=sideways`,
  );
  await expect(page.getByText("There is no such target. Deselect it.")).toBeVisible();
  await expect(page.getByText(/blok = 4 KiB\s+does not apply/)).toBeVisible();
  await expect(page.getByText("The link has execution=sideways")).toBeVisible();
  const threads = page.getByRole("textbox", { name: "Threads" });
  await expect(threads).toHaveAttribute("aria-invalid", "true");
  await expect(launch).toBeDisabled();
  await page.getByRole("radio", { name: "All targets together" }).click();
  await page.getByRole("radio", { name: "Each target by itself" }).click();
  await page.getByRole("checkbox", { name: "Target 999" }).click();
  await threads.fill("1");
  await expect(launch).toBeDisabled();
  await page.getByRole("button", { name: "Remove blok" }).click();
  await expect(launch).toBeEnabled();
});

test("the row of a run is its link, and two selected runs are compared in place", async ({
  page,
  both,
}) => {
  const [first] = both.runs;
  await page.goto(`/campaigns/${both.id}`);
  const boxes = page.getByRole("checkbox", { name: /for comparison$/ });
  await boxes.first().check();
  await boxes.last().check();
  const compared = page.getByRole("region", { name: "Comparison of the selected runs" });
  await expect(compared.getByRole("heading", { name: "Answer" })).toBeVisible();
  await boxes.last().uncheck();
  await expect(compared).toBeHidden();
  const row = page.getByRole("region", { name: new RegExp(`^${first?.title} on`) });
  // the link covers the row, so a click beside its words counts as well
  const place = await row.getByText(/^\d+\/\d+$/).boundingBox();
  if (!place) throw new Error("the row shows no trials");
  await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2);
  await expect(page).toHaveURL(new RegExp(`/runs/${first?.id}$`));
});

test("a campaign becomes a profile with the values that it ran with", async ({ page, result }) => {
  await page.goto(`/campaigns/${result.id}`);
  await page.getByRole("button", { name: "Run again" }).click();
  await page.getByRole("button", { name: "Save as profile" }).click();
  await page.getByRole("textbox", { name: "Profile name" }).fill("As it ran");
  await page.getByRole("button", { name: "Save profile" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("As it ran");
  await expect(page.getByRole("textbox", { name: "Repeats" })).toHaveValue("3");
});
