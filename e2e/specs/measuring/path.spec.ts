import { expect, test } from "../../fixtures.ts";
import { expectSound } from "../../sound.ts";

test("a transfer between memories is launched from the form and shown at both ends", async ({
  page,
  api,
}) => {
  test.setTimeout(90_000);
  const { host_id } = await api.scratch(); // of several hosts, this machine
  const memory = `input[value="host-${host_id}"]`;
  await page.goto(`/launch?profile=${await api.profile("fdt-memory-to-memory")}`);
  const section = page.getByRole("region", { name: "Sources and sinks" });
  const estimate = page.getByRole("complementary", { name: "Estimate" });
  await expect(estimate).toContainText("Select a profile, a source and a sink.");
  await section.getByRole("group", { name: "Sources" }).locator(memory).check();
  await expect(estimate).toContainText("Select a sink.");
  await section.getByRole("group", { name: "Sinks" }).locator(memory).check();
  await expect(section.getByRole("region", { name: "Network" })).toContainText("loopback");
  await page.getByRole("textbox", { name: "Streams" }).fill("1, 2");
  await page.getByRole("textbox", { name: "Duration of memory to memory" }).fill("1500 ms");
  await page.getByRole("textbox", { name: "Ramp-up" }).fill("0 s");
  await page.getByRole("textbox", { name: "Repeats" }).fill("1");
  await expect(estimate).toContainText("uses the loopback interface");
  await expectSound(page);

  await estimate.getByRole("button", { name: "Launch campaign" }).click();
  await expect(page).toHaveURL(/\/campaigns\/\d+$/);
  const run = page.getByRole("region", { name: /→/ });
  await expect(run.getByRole("list", { name: "Legs" })).toContainText("Memory to memory");
  const campaign = { id: Number(page.url().split("/").at(-1)) };
  const { runs } = await api.ended(campaign);
  expect(runs[0]).toMatchObject({ state: "done", trials_done: 2 });

  await page.goto(`/runs/${runs[0]?.id}`);
  await expect(page.getByText(/memory to memory \(.*TB\/h\)/)).toBeVisible();
  const settings = page.getByRole("region", { name: "Streams and blocks" });
  await expect(settings.getByRole("gridcell")).toHaveCount(2);
  await settings.getByRole("gridcell").first().click();
  await expect(page.getByRole("heading", { name: /^Memory to memory, 1 stream,/ })).toBeVisible();
  await expect(page.getByRole("img", { name: /round-trip time, retransmits/ })).toBeVisible();
  await expect(page.getByRole("region", { name: "Connection" })).toContainText(
    "Round trip, loaded",
  );
  await expectSound(page);
});

test("the legs of a transfer from a disk are compared, and two runs of it", async ({
  page,
  api,
}) => {
  test.setTimeout(120_000);
  const { id, host_id } = await api.scratch();
  const read = {
    kind: "path",
    title: "Disk to memory",
    legs: ["read", "memory", "disk_to_memory"],
    length: 40_000_000,
    duration_ms: 1000,
    block: [65_536],
    streams: [2],
    repeats: 2,
    sample_ms: 100,
    integrity: "crc32c",
  };
  const campaign = await api.post<{ id: number }>("/campaigns", {
    name: "Path",
    profile_id: await api.profile("path-with-bottleneck"),
    sources: [{ target_id: id }],
    sinks: [{ host_id }],
    tests: [read, { ...read, title: "One stream", streams: [1] }],
    criteria: [{ criterion: "path.wrong_blocks <= 0" }],
  });
  const { runs } = await api.ended(campaign, 100);
  const [first, second] = runs.map((run) => run.id);

  await page.goto(`/runs/${first}`);
  const legs = page.getByRole("list", { name: "Legs" }).getByRole("listitem");
  await expect(legs).toHaveCount(3);
  await expect(legs.first()).toContainText(/Read.*B\/s/);
  await expect(page.getByRole("region", { name: /^Source:/ })).toContainText("Source disk");
  await expect(page.getByRole("region", { name: /^Sink:/ })).toContainText("Sink memory");
  await legs.first().getByRole("button", { name: "Read" }).click();
  await expect(page).toHaveURL(/[?&]leg=read/);
  await expect(page.getByRole("region", { name: /^Sink:/ })).toContainText("not used in this leg");
  await expect(page.getByRole("region", { name: "Trials" }).getByRole("row")).toHaveCount(7);
  await expectSound(page);

  await page.goto(`/compare?runs=${first},${second}`);
  await expect(
    page.getByRole("region", { name: "Answer" }).getByRole("paragraph").first(),
  ).toBeVisible();
  await expect(page.getByRole("region", { name: "Figures" }).getByRole("row")).toHaveCount(3);
  await expectSound(page);
});
