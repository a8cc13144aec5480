import { expect, test } from "../fixtures.ts";

test("the launch form becomes a schedule, which is run, paused and edited", async ({
  page,
  api,
}) => {
  const target = await api.scratch();
  const profile = await api.profile("filecatalyst-default-write");
  const small = "file_size=4%20MB&block=64%20KiB&threads=1&repeats=1";
  await page.goto(`/launch?targets=${target.id}&profile=${profile}&${small}`);
  await test.step("five fire times are shown before it is created", async () => {
    await page.getByRole("button", { name: "Schedule…" }).click();
    const dialog = page.getByRole("dialog", { name: "Schedule campaign" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("every night");
    await dialog.getByRole("combobox", { name: "Time zone" }).click();
    await dialog.getByRole("combobox", { name: "Time zone" }).fill("Berlin");
    await page.getByRole("option", { name: "Europe/Berlin" }).click();
    const times = dialog.getByRole("list", { name: "Next fire times" }).getByRole("listitem");
    await expect(times).toHaveCount(5);
    await expect(times.first()).toContainText(/, 02:00 UTC\+0[12]:00/);
    await dialog.getByRole("textbox", { name: "Cron expression" }).fill("0 2 31 2 *");
    await expect(dialog.getByText(/Never fires/)).toBeVisible();
    await expect(dialog.getByRole("button", { name: "Create schedule" })).toBeDisabled();
    await dialog.getByRole("textbox", { name: "Cron expression" }).fill("30 3 * * 1,6");
    // on any day, five Mondays have Saturdays between them
    await dialog.getByRole("button", { name: "Add weekly blackout" }).click();
    await expect(dialog.getByText(/^Skipped by blackouts: Sat/)).toBeVisible();
    await dialog.getByRole("button", { name: "Create schedule" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("every night");
  });
  const path = new URL(page.url()).pathname;
  await expect(page.getByText("Sat, Sun, all day")).toBeVisible();
  await test.step("a campaign run by hand names its schedule, and is listed there", async () => {
    await page.getByRole("button", { name: "Run now" }).click();
    await expect(page).toHaveURL(/\/campaigns\/\d+$/);
    const id = Number(/\d+$/.exec(page.url())?.[0]);
    expect((await api.ended({ id })).state).toBe("done");
    await page.getByRole("link", { name: "schedule", exact: true }).click();
    const row = page.getByRole("table", { name: "Fire times" }).getByRole("row").nth(1);
    await expect(row).toContainText("run by hand");
    await expect(row.getByText("done")).toBeVisible();
    await page.getByRole("link", { name: "Open in Campaigns" }).click();
    await expect(page.getByText("Schedule: every night")).toBeVisible();
    await expect(page.getByRole("table", { name: "Campaigns" }).getByRole("row")).toHaveCount(2);
  });
  await test.step("it is paused and edited", async () => {
    await page.goto(path);
    await page.getByRole("button", { name: "Pause" }).click();
    await expect(page.getByText("Nothing is launched until the schedule is resumed")).toBeVisible();
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit every night" });
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.getByRole("button", { name: "Save schedule" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText("Sat, Sun, all day")).toBeHidden();
    await page.getByRole("link", { name: "Schedules" }).first().click();
    await expect(page.getByRole("table", { name: "Schedules" })).toContainText("paused");
  });
});
