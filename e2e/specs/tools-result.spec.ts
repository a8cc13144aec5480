import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";
import type { Target } from "../stack/api.ts";

const copy = {
  title: "Copy",
  name: "plain-copy",
  input: "files",
  needs_at_source: "cp",
  source_check: "command -v cp",
  source_command: "cp {source_directory}/* {sink_directory}/",
};

const half = {
  ...copy,
  title: "Half",
  name: "half-copy",
  source_command: "sleep 1; cp {source_directory}/*0 {sink_directory}/",
};

test("two tools move the same input from the form, and what one lost is seen", async ({
  page,
  api,
  appliance,
}) => {
  test.setTimeout(150_000);
  const { id, host_id } = await api.scratch();
  const path = join(appliance.memory, "copies");
  mkdirSync(path);
  const sink = await api.post<Target>("/targets", { host_id, path, root_consent: true });
  for (const tool of [copy, half]) await api.post("/tools", tool);
  const tests = ["Copies", "Copies again"].map((title) => ({
    kind: "tool",
    title,
    tools: [copy.name, half.name],
    length: 40_000_000,
    files: [20],
    repeats: 1,
    sample_ms: 100,
  }));
  const profile = await api.post<{ id: number }>("/profiles", {
    name: "Copies",
    body: { tests },
  });
  await page.goto(`/launch?profile=${profile.id}`);
  const ends = page.getByRole("region", { name: "Source and sink" });
  for (const [side, target] of Object.entries({ Source: id, Sink: sink.id })) {
    const choice = ends.getByRole("radiogroup", { name: side });
    await choice.locator(`input[value="target-${target}"]`).check();
  }
  const tools = page.getByRole("region", { name: "Tools" }).first();
  await tools.getByRole("button", { name: "Check hosts" }).click();
  await expect(tools.getByText("found").first()).toBeVisible({ timeout: 30_000 });
  const estimate = page.getByRole("complementary", { name: "Estimate" });
  await estimate.getByRole("button", { name: "Launch campaign" }).click();
  await expect(page).toHaveURL(/\/campaigns\/\d+$/);
  const campaign = { id: Number(page.url().split("/").at(-1)) };
  const { runs } = await api.ended(campaign, 110);
  expect(runs.map(({ state }) => state)).toEqual(["done", "done"]);
  const [first, second] = runs.map((run) => run.id);

  await page.goto(`/runs/${first}`);
  const table = page.getByRole("table", { name: "Tools side by side" });
  await expect(table.getByRole("row", { name: /^Copy/ })).toContainText("20 files");
  const lossy = table.getByRole("row", { name: /^Half/ });
  await expect(lossy).toContainText("18 files");
  await lossy.getByRole("button", { name: "Half" }).click();
  await expect(page).toHaveURL(/[?&]cell=/);
  await expect(page.getByRole("heading", { name: /^Half, 20 files/ })).toBeVisible();
  await expect(page.getByRole("img", { name: /growth at the sink/ })).toBeVisible();
  await page.getByText("Commands of Half").click();
  await expect(page.getByText(half.source_command)).toBeVisible();
  await expect(page.getByRole("table", { name: "Trials" }).getByRole("row")).toHaveCount(2);
  await expectSound(page);

  await page.goto(`/compare?runs=${first},${second}`);
  await expect(
    page.getByRole("region", { name: "Answer" }).getByRole("paragraph").first(),
  ).toBeVisible();
  const sides = page.getByRole("table", { name: "Ways of moving the data" });
  await expect(sides.getByRole("row")).toHaveCount(5);
  await expectSound(page);
});
