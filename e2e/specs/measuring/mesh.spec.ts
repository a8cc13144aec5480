import { expect, test } from "../../fixtures.ts";
import { expectSound } from "../../sound.ts";

test("a mesh is launched from the form, and its cells open the runs", async ({
  page,
  api,
  sshd,
}) => {
  test.setTimeout(120_000);
  const here = await api.scratch();
  const other = await api.registered("mesh-2", sshd);
  await page.goto(`/launch?profile=${await api.profile("fdt-memory-to-memory")}`);
  const section = page.getByRole("region", { name: "Sources and sinks" });
  await section.getByRole("radio", { name: "Mesh" }).check();
  const ends = section.getByRole("group", { name: "Ends of the mesh" });
  const estimate = page.getByRole("complementary", { name: "Estimate" });
  await ends.locator(`input[value="host-${here.host_id}"]`).check();
  await expect(estimate).toContainText("Select at least two ends of the mesh.");
  await ends.getByRole("checkbox", { name: "Memory of mesh-2" }).check();
  await expect(
    section.getByRole("region", { name: "Sinks" }).getByRole("listitem").first(),
  ).toBeVisible();
  await page.getByRole("textbox", { name: "Duration of memory to memory" }).fill("2 s");
  await page.getByRole("textbox", { name: "Ramp-up" }).fill("0 s");
  await page.getByRole("textbox", { name: "Repeats" }).fill("1");
  await page.getByRole("textbox", { name: "Streams" }).fill("1");
  await expect(estimate.locator("[data-stale]")).toHaveCount(0);
  await expectSound(page);
  await estimate.getByRole("button", { name: "Launch campaign" }).click();
  await expect(page).toHaveURL(/\/campaigns\/\d+$/);

  const id = Number(page.url().split("/").at(-1));
  const { runs } = await api.ended({ id }, 60);
  expect(runs.map(({ state }) => state)).toEqual(["done", "done"]);
  const mesh = page.getByRole("region", { name: "Mesh" });
  const cell = mesh.getByRole("gridcell", { name: /^mesh-2 memory → .*memory: [\d.]+/ });
  await expect(cell).toBeVisible();
  await expectSound(page);
  await cell.click();
  await expect(page).toHaveURL(/\/runs\/\d+$/);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("mesh-2 →");
  expect(other.id).toBeGreaterThan(0);
});
