import { expect, test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";

test("a launch begins with the question, by keyboard, and the address keeps it", async ({
  page,
  api,
}) => {
  const target = await api.scratch();
  await page.goto(`/launch?targets=${target.id}`);
  await expect(page.getByRole("textbox", { name: "Campaign name" })).toBeHidden();
  const settings = page.getByRole("radio", { name: /Which settings are best/ });
  await settings.focus();
  await page.keyboard.press("Space");
  const look = page.getByRole("button", { name: /^First look/ });
  await expect(look).toContainText("written at most");
  await expect(page.getByRole("button", { name: /^Owl/ })).toHaveCount(0);
  await expectSound(page);
  await look.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Change profile" })).toBeFocused();
  const parameters = page.getByRole("region", { name: "Parameters" });
  await expect(parameters.getByRole("textbox").first()).toBeVisible();
  await expect(parameters.getByRole("textbox", { name: "Threads" })).toBeVisible();
  await expect(parameters.getByRole("textbox", { name: "Sampling interval" })).toBeHidden();

  // the arrow keys pass another question on their way, and lose nothing
  await settings.focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("button", { name: /^Owl OC-3/ })).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByRole("button", { name: "Change profile" })).toBeVisible();
  await expect(settings).toBeFocused();

  await parameters.getByText(/more parameters/).click();
  await parameters.getByRole("textbox", { name: "Sampling interval" }).fill("200 ms");
  await expect(page).toHaveURL(/question=matrix.*profile=\d+/);
  await expect(page).toHaveURL(/sample_ms=/);
  await page.reload();
  // what the form opens with is in sight
  await expect(parameters.getByRole("textbox", { name: "Sampling interval" })).toHaveValue(
    "200 ms",
  );
  await expect(parameters.getByText(/^Changed; profile:/)).toBeVisible();
  await parameters.getByRole("button", { name: "Reset Sampling interval" }).click();
  await expect(page).not.toHaveURL(/sample_ms=/);
  await expectSound(page);
});

test("a purpose proposes a profile and criteria, and each says what it decides", async ({
  page,
  api,
}) => {
  const target = await api.scratch();
  await page.goto(`/launch?targets=${target.id}`);
  await page.getByRole("button", { name: "General use" }).click();
  await expect(page.getByRole("region", { name: "Profile" })).toContainText("First look");
  await expect(page.getByText("The longest operation is at most 1 s.")).toBeVisible();
  const launch = page.getByRole("button", { name: "Launch campaign" });
  await expect(launch).toBeEnabled();
  await expect(page).toHaveURL(/purpose=general/);
  await page.getByRole("combobox", { name: "Criterion 1" }).fill("durable.min >= 300 MB/s");
  await expect(page.getByText("The lowest durable rate", { exact: false })).toContainText("300");
  await expect(launch).toBeEnabled();
  // another purpose takes its criteria away, with the changed limit
  await page.getByRole("button", { name: "Video frames" }).click();
  await expect(page.getByRole("combobox", { name: /^Criterion/ })).toHaveCount(1);
  await expect(page.getByRole("region", { name: "Profile" })).toContainText("4K DPX");
});

test("criteria are offered by their label, of the tests that run", async ({ page, api }) => {
  await page.goto(`/launch?profile=${await api.profile("filecatalyst-default-read")}`);
  await page.getByRole("button", { name: "Add criterion" }).click();
  const criterion = page.getByRole("combobox", { name: "Criterion 1" });
  await criterion.fill("device");
  const option = page.getByRole("option", { name: /Mean read rate of the device/i });
  await expect(option).toContainText("device.mean");
  await criterion.fill("durable");
  await expect(page.getByRole("option")).toHaveCount(0);
  await criterion.fill("read rate of");
  await option.click();
  await expect(criterion).toHaveValue("device.mean");
  await criterion.fill("device.mean >= 1250 MB/s");
  await expect(page.getByText(/^The mean read rate of the device .* at least/)).toBeVisible();
});
