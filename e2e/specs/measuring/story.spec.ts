import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "../../fixtures.ts";
import { processesWith, until } from "../../stack/processes.ts";

test("from an unknown host to a matrix, its settings, and a cancelled second one", async ({
  page,
  sshd,
}) => {
  test.setTimeout(240_000);
  const scratch = join(sshd.folder, "scratch");
  mkdirSync(scratch);
  const clean = () =>
    until("a host without probe and test files", async () => {
      return processesWith(sshd.home).length === 0 && readdirSync(scratch).length === 0;
    });

  await test.step("register the host and approve its key", async () => {
    await page.goto("/hosts");
    await page.getByRole("link", { name: "Add host" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("lab");
    await page.getByRole("textbox", { name: "Address" }).fill("127.0.0.1");
    await page.getByRole("textbox", { name: "Port" }).fill(String(sshd.port));
    await page.getByRole("textbox", { name: "User" }).fill(sshd.user);
    await page.getByRole("button", { name: "New credential" }).click();
    const credential = page.getByRole("dialog", { name: "New credential" });
    await credential.getByText("Private key", { exact: true }).first().click();
    await credential.getByRole("textbox", { name: "Credential name" }).fill("lab key");
    await credential.getByRole("textbox", { name: "Private key" }).fill(sshd.privateKey);
    await credential
      .getByRole("button", { name: /credential|Save|Add|Make/ })
      .last()
      .click();
    await expect(credential).toBeHidden();
    await page.getByRole("button", { name: "Fetch host key" }).click();
    await expect(page.getByText(sshd.fingerprint)).toBeVisible();
    await page.getByRole("button", { name: "Approve host key" }).click();
  });

  await test.step("add a target", async () => {
    const directory = page.getByRole("textbox", { name: "Directory" });
    await directory.fill(scratch, { timeout: 30_000 });
    const consent = page.getByRole("checkbox", { name: /root file system/ });
    if (await consent.isVisible()) await consent.check();
    await page
      .getByRole("button", { name: /target/i })
      .last()
      .click();
    await page.getByRole("link", { name: "Launch campaign" }).click();
  });

  await test.step("launch FileCatalyst's default write with files of 20 MB", async () => {
    await expect(page.getByRole("checkbox", { name: scratch })).toBeChecked();
    await page.getByRole("radio", { name: /Which settings are best/ }).check();
    await page.getByRole("button", { name: /^FileCatalyst default write/ }).click();
    await page.getByRole("textbox", { name: "File size" }).fill("20 MB");
    const forecast = page.getByRole("complementary", { name: "Estimate" });
    await expect(forecast).toContainText("175");
    await page.getByRole("textbox", { name: "Repeats" }).fill("1");
    await expect(forecast).not.toContainText("175");
    await forecast.getByRole("button", { name: "Launch campaign" }).click();
    await expect(page).toHaveURL(/\/campaigns\/\d+$/);
  });

  await test.step("watch it fill, without a reload, to the end", async () => {
    const cell = page.getByRole("gridcell", { name: /MB\/s durable|GB\/s durable/ });
    await expect(cell.first()).toBeVisible({ timeout: 30_000 });
    await expect(page.getByText("35 of 35 trials")).toBeVisible({ timeout: 150_000 });
    await expect(cell).toHaveCount(35);
    await clean();
  });

  await test.step("read the result, which reports that the files are too small", async () => {
    await page.getByRole("link", { name: "Result" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/Write matrix on lab/);
    const caveats = page.getByRole("note", { includeHidden: true });
    await expect(caveats.filter({ hasText: /too short/ })).toContainText(
      /Files of [\d.]+ [MG]B would suffice/,
    );
  });

  await test.step("cancel a second one in the middle", async () => {
    await page.getByRole("link", { name: /^Campaign \d+$/ }).click();
    await page.goto("/launch");
    await page.getByRole("checkbox", { name: scratch }).check();
    // used a moment ago: it is offered without a question
    await page.getByRole("button", { name: /^FileCatalyst default write/ }).click();
    await page.getByRole("textbox", { name: "File size" }).fill("20 MB");
    await page.getByRole("button", { name: "Launch campaign" }).click();
    await expect(page.getByText(/^[1-9]\d* of 175 trials/)).toBeVisible({ timeout: 30_000 });
    await page.getByRole("button", { name: "Cancel campaign" }).click();
    const question = page.getByRole("dialog");
    await expect(question).toContainText(scratch);
    await question.getByRole("button", { name: "Cancel campaign" }).click();
    await expect(page.getByText("canceled").first()).toBeVisible({ timeout: 30_000 });
    await expect(page.getByText("175 of 175 trials")).toBeHidden();
    await clean();
  });
});
