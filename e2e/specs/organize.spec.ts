import { expect, test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";
import { SLOW, SMALLEST } from "../stack/api.ts";

test("a campaign is renamed, labeled and noted", async ({ page, api }) => {
  const { id, runs } = await api.ended(await api.launch("Before the update", SMALLEST));
  await page.goto(`/campaigns/${id}`);
  await page.getByRole("button", { name: "Edit campaign" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("After the update");
  await dialog.getByLabel("Labels").fill("rack=b7\nrack=b8");
  await dialog.getByLabel("External reference").fill("CHG-3310");
  await expect(dialog.getByText("“rack” occurs twice")).toBeVisible();
  await dialog.getByLabel("Labels").fill("rack=b7\nsite room=fra");
  await dialog.getByRole("button", { name: "Save campaign" }).click();
  await expect(dialog.getByText("key 'site room' may contain only letters")).toBeVisible();
  await dialog.getByLabel("Labels").fill("rack=b7\nsite/room=fra 2");
  await dialog.getByRole("button", { name: "Save campaign" }).click();
  await expect(page.getByRole("heading", { name: "After the update" })).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "site/room=fra 2" })).toBeVisible();
  await expect(page.getByText("CHG-3310")).toBeVisible();

  await page.getByRole("button", { name: "Add notes" }).click();
  await page.getByLabel("Text").fill("# Controller\n\nReplaced. <b>Twice.</b>");
  await page.getByRole("button", { name: "Save notes" }).click();
  const notes = page.getByRole("region", { name: "Notes" });
  await expect(notes.getByRole("heading", { name: "Controller" })).toBeVisible();
  await expect(notes.getByText("<b>Twice.</b>")).toBeVisible();
  await expect(notes.getByText("Changed")).toBeVisible();
  await page.reload();
  await expect(notes.getByRole("heading", { name: "Controller" })).toBeVisible();
  await expectSound(page);

  await page.goto(`/runs/${runs[0]?.id}`);
  await expect(page.getByRole("button", { name: "Add notes" })).toBeVisible();

  await page.goto(`/campaigns/${id}`);
  await page.getByRole("link", { name: "rack=b7" }).click();
  await expect(page).toHaveURL(/\/campaigns\?label=rack(=|%3D)b7/);
  await expect(page.getByRole("link", { name: "After the update" })).toBeVisible();
  await page.getByRole("searchbox", { name: "Label" }).fill("rack=b9");
  await expect(page.getByRole("link", { name: "After the update" })).toBeHidden();
  await page.getByRole("button", { name: "Remove filter Label: rack=b9" }).click();
  await expect(page.getByRole("link", { name: "After the update" })).toBeVisible();
});

test("an array's page has its labels and notes", async ({ page, api }) => {
  const { id } = await api.post<{ id: number }>("/arrays", {
    name: "vault 9",
    labels: { site: "fra" },
  });
  await page.goto(`/arrays/${id}`);
  await expect(page.getByRole("link", { name: "site=fra" })).toBeVisible();
  await page.getByRole("button", { name: "Add notes" }).click();
  await page.getByLabel("Text").fill("Firmware 7.2 since May.");
  await page.getByRole("button", { name: "Save notes" }).click();
  await expect(page.getByRole("region", { name: "Notes" })).toContainText("Firmware 7.2");
  await expectSound(page);
});

test("a run shows the labels that its host and target had at the launch", async ({ page, api }) => {
  const target = await api.scratch();
  await page.goto(`/hosts/${target.host_id}`);
  await page.getByRole("button", { name: "Edit labels" }).click();
  await page.getByRole("dialog").getByLabel("Labels").fill("rack=b7");
  await page.getByRole("button", { name: "Save labels" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "rack=b7" })).toBeVisible();
  const { runs } = await api.ended(await api.launch("Labeled host", SMALLEST));
  await page.getByRole("button", { name: "Edit labels" }).click();
  await page.getByRole("dialog").getByLabel("Labels").fill("");
  await page.getByRole("button", { name: "Save labels" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "rack=b7" })).toBeHidden();
  await page.goto(`/runs/${runs[0]?.id}`);
  const conditions = page.getByRole("region", { name: "Conditions" });
  await conditions.getByRole("heading", { name: "Environment" }).click();
  await expect(conditions.getByText("Host labels")).toBeVisible();
  await expect(conditions.getByRole("listitem").filter({ hasText: "rack=b7" })).toBeVisible();
});

test("a deleted campaign is gone until the deletion is undone", async ({ page, api }) => {
  const { id, runs } = await api.ended(await api.launch("Deleted by mistake", SMALLEST));
  await page.goto(`/campaigns/${id}`);
  const remove = async () => {
    await page.getByRole("button", { name: "Delete campaign" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("You can undo this for one minute.");
    await dialog.getByRole("button", { name: "Delete campaign" }).click();
    await expect(page).toHaveURL(/\/campaigns$/);
  };
  await remove();
  const toast = page.getByRole("status").filter({ hasText: "Deleted “Deleted by mistake”." });
  await expect(toast).toBeVisible();
  await expect(page.getByRole("link", { name: "Deleted by mistake" })).toBeHidden();
  await expectSound(page);
  await toast.getByRole("button", { name: "Undo" }).click();
  await expect(page).toHaveURL(`/campaigns/${id}`);
  await expect(page.getByRole("heading", { name: "Deleted by mistake" })).toBeVisible();
  await expect(toast).toBeHidden();
  await remove();
  await page.goto(`/runs/${runs[0]?.id}`);
  await expect(page.getByRole("alert")).toContainText("It may have been deleted.");
});

test("an active campaign is canceled when it is deleted, and its other pages say so", async ({
  page,
  api,
  context,
}) => {
  const slow = { ...SLOW, repeats: 100 };
  const { id } = await api.launch("Deleted while it runs", slow, await api.scratch());
  await page.goto(`/campaigns/${id}`);
  const other = await context.newPage();
  await other.goto(`/campaigns/${id}`);
  await expect(other.getByRole("heading", { name: "Deleted while it runs" })).toBeVisible();
  await page.getByRole("button", { name: "Cancel and delete campaign" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Active runs are stopped and their test files removed.");
  await dialog.getByRole("button", { name: "Cancel and delete campaign" }).click();
  await expect(page).toHaveURL(/\/campaigns$/);
  await expect(other.getByText("Campaign deleted", { exact: true })).toBeVisible();
  await other.goto(`/campaigns/${id}`);
  await expect(other.getByRole("alert")).toContainText("It may have been deleted.");
});

test("two people who edit a campaign do not overwrite each other", async ({ page, api }) => {
  const { id } = await api.ended(await api.launch("Edited twice", SMALLEST));
  await page.goto(`/campaigns/${id}`);
  await page.getByRole("button", { name: "Edit campaign" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Name")).toHaveValue("Edited twice");
  await api.patch(`/campaigns/${id}`, { labels: { rack: "b7" } });
  await dialog.getByLabel("Name").fill("Mine");
  await dialog.getByRole("button", { name: "Save campaign" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Changed since you opened it");
  await dialog.getByRole("button", { name: "Reload page" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "rack=b7" })).toBeVisible();
});

test("the longest labels fit every width", async ({ page, api }) => {
  const { id } = await api.ended(await api.launch("Long labels", SMALLEST));
  const labels = { [`${"site/".repeat(12)}abc`]: "v".repeat(200), rack: "b7" };
  await api.patch(`/campaigns/${id}`, { labels, reference: "x".repeat(200) });
  await page.goto(`/campaigns/${id}`);
  await expect(page.getByRole("link", { name: "rack=b7" })).toBeVisible();
  await expectSound(page);
});

test("a baseline is kept until its label is removed", async ({ page, api }) => {
  const { id } = await api.ended(await api.launch("The reference", SMALLEST));
  await api.patch(`/campaigns/${id}`, { labels: { baseline: "2026" } });
  await page.goto(`/campaigns/${id}`);
  await page.getByRole("button", { name: "Delete campaign" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete campaign" }).click();
  await expect(page.getByRole("alert")).toContainText("Remove the label, then delete it.");
});
