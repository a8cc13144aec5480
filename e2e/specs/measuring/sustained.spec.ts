import { expect, test } from "../../fixtures.ts";
import { expectSound } from "../../sound.ts";

test("a paced write is launched, shown over its data and compared with an unpaced one", async ({
  page,
  api,
}) => {
  test.setTimeout(120_000);
  const target = await api.scratch();
  const write = (title: string, pacing: object) => ({
    kind: "sustained",
    title,
    length: "2 s",
    block: [65_536],
    file_mode: "ring",
    file_size: 20_000_000,
    ring_files: 2,
    mark_bytes: 1_000_000,
    sample_ms: 100,
    ...pacing,
  });
  const campaign = await api.post<{ id: number }>("/campaigns", {
    name: "Sustained",
    profile_id: await api.profile("burst-sweep"),
    target_ids: [target.id],
    tests: [
      write("Paced", { pace: "rate", rate_bytes_per_s: [20_000_000] }),
      write("Bursts", { pace: "burst", burst_blocks: [4, 8], gap_ns: 20_000_000 }),
    ],
    criteria: [{ criterion: "app.mean >= 1 MB/s" }, { criterion: "write.p99 < 1 h" }],
  });
  const { runs } = await api.ended(campaign);
  const [paced, bursts] = runs.map(({ id }) => id);

  await page.goto(`/runs/${paced}`);
  const overTime = page.getByRole("figure", { name: "Throughput over time" });
  await expect(overTime).toBeVisible();
  await expect(
    page.getByRole("img", { name: /Limits: app\.mean ≥ 1 MB\/s, write\.p99 < 1 h\./ }),
  ).toBeVisible();
  const carry = page.getByRole("region", { name: "Will it carry" });
  await expect(carry.getByRole("row", { name: /^100 Gb\/s/ })).toContainText("not tested");
  await page.getByText("Data written", { exact: true }).first().click();
  await expect(page.getByRole("figure", { name: "Throughput over data written" })).toBeVisible();
  const slowest = page.getByRole("list", { name: "Slowest operations" });
  await expect(slowest.getByRole("button").first()).toBeVisible();
  await slowest.getByRole("button").first().click();
  await expect(page.getByRole("figure", { name: "Latency percentiles" })).toBeVisible();
  await expectSound(page);

  // the evidence of a verdict is a trial, wherever the page was
  await page
    .getByRole("row", { name: /app\.mean/ })
    .getByRole("link")
    .click();
  await expect(page).toHaveURL(/[?&]trial=\d+/);
  await expect(overTime).toBeInViewport();

  await page.goto(`/runs/${bursts}`);
  await expect(page.getByRole("region", { name: "Cells" }).getByRole("row")).toHaveCount(3);
  await expectSound(page);

  await page.goto(`/compare?runs=${paced},${bursts}`);
  const answer = page.getByRole("region", { name: "Answer" });
  await expect(answer.getByRole("paragraph")).toBeVisible();
  await expect(page.getByRole("figure", { name: "Throughput over time" })).toBeVisible();
  await expectSound(page);
});

test("a running write shows its marks, the end and, once it has ended, the whole trial", async ({
  page,
  api,
}) => {
  const { id } = await api.scratch();
  const campaign = await api.post<{ id: number }>("/campaigns", {
    name: "Live",
    profile_id: await api.profile("burst-sweep"),
    target_ids: [id],
    tests: [
      {
        kind: "sustained",
        title: "Live",
        length: "10 s",
        block: [65_536],
        file_mode: "ring",
        file_size: 20_000_000,
        mark_bytes: 1_000_000,
        sample_ms: 100,
        pace: "rate",
        rate_bytes_per_s: [20_000_000],
      },
    ],
  });
  await page.goto(`/campaigns/${campaign.id}`);
  const run = page.getByRole("region", { name: /^Live on/ });
  await expect(run.getByText(/written, ends about/)).toBeVisible();
  await expect(run.getByRole("progressbar")).not.toHaveJSProperty("value", 0);
  const overData = run.getByRole("figure", { name: "Throughput over data written" });
  await expect(overData.getByRole("img", { name: /Throughput and peak write time/ })).toBeVisible();
  await api.ended(campaign);
  await expect(run.getByText(/ends about/)).toBeHidden();
  await expect(overData.getByRole("img", { name: /Throughput and peak write time/ })).toBeVisible();
});

test("a read is prepared, read again and again, and called a read", async ({ page, api }) => {
  test.setTimeout(60_000);
  const { id } = await api.scratch();
  const read = {
    kind: "sustained",
    operation: "read",
    title: "Playout",
    length: "2 s",
    block: [65_536],
    file_mode: "ring",
    file_size: 20_000_000,
    mark_bytes: 1_000_000,
    sample_ms: 100,
    pace: "rate",
    rate_bytes_per_s: [50_000_000],
  };
  const campaign = await api.post<{ id: number }>("/campaigns", {
    name: "Playout",
    profile_id: await api.profile("burst-sweep"),
    target_ids: [id],
    tests: [read],
    criteria: [{ criterion: "read.p99 < 1 h" }, { criterion: "verify.errors <= 0" }],
  });
  const { runs } = await api.ended(campaign);
  await page.goto(`/runs/${runs[0]?.id}`);
  await expect(page.getByText(/was read again and again/)).toBeVisible();
  await expect(page.getByRole("img", { name: /Limits: read\.p99 < 1 h\./ })).toBeVisible();
  await page.getByText("Data read", { exact: true }).first().click();
  await expect(page.getByRole("figure", { name: "Throughput over data read" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Figures" })).toContainText("Peak read time");
  await expectSound(page);
});

test("ingest and playout are launched, judged and shown apart", async ({ page, api }) => {
  test.setTimeout(90_000);
  const { id } = await api.scratch();
  const both = {
    kind: "sustained",
    operation: "both",
    title: "Ingest and playout",
    length: "10 s",
    block: [65_536],
    file_mode: "ring",
    file_size: 20_000_000,
    mark_bytes: 1_000_000,
    sample_ms: 100,
    pace: "rate",
    rate_bytes_per_s: [20_000_000],
    read_pace: "rate",
    read_rate_bytes_per_s: 10_000_000,
  };
  const campaign = await api.post<{ id: number }>("/campaigns", {
    name: "Both",
    profile_id: await api.profile("burst-sweep"),
    target_ids: [id],
    tests: [both],
    criteria: [{ criterion: "app.min >= 1 MB/s" }, { criterion: "read.min >= 2 MB/s" }],
  });
  await page.goto(`/campaigns/${campaign.id}`);
  const live = page.getByRole("region", { name: /^Ingest and playout on/ });
  await expect(live.getByText(/B written, .*B read, ends about/)).toBeVisible();
  await expect(live.getByRole("figure", { name: "Throughput over data" })).toBeVisible();
  const { runs } = await api.ended(campaign);
  await page.goto(`/runs/${runs[0]?.id}`);
  await expect(page.getByRole("img", { name: /read\.min ≥ 2 MB\/s/ })).toBeVisible();
  for (const direction of ["Writes", "Reads"]) {
    await expect(page.getByRole("region", { name: `${direction}: will it carry` })).toBeVisible();
    await expect(page.getByRole("region", { name: `${direction}: figures` })).toBeVisible();
  }
  await expectSound(page);
});

test("a mixed random test leads with its operations per second and shows both directions", async ({
  page,
  api,
}) => {
  // memory: no other process's I/O takes the headline away
  const { id } = await api.memory();
  const campaign = await api.post<{ id: number }>("/campaigns", {
    name: "Mixed",
    profile_id: await api.profile("random-4-kib-queue-depth-1-to-32"),
    target_ids: [id],
    tests: [
      {
        kind: "sustained",
        title: "Mixed",
        operation: "mixed",
        access: "random",
        read_percent: 70,
        length: "2 s",
        block: [4096],
        file_size: 20_000_000,
        mark_bytes: 1_000_000,
        sample_ms: 100,
      },
    ],
    criteria: [{ criterion: "read.iops.mean >= 1 IOPS" }],
  });
  const { runs } = await api.ended(campaign);
  await page.goto(`/runs/${runs[0]?.id}`);
  await expect(page.getByText(/random read and write \(70\s%\sreads\) of 4\sKiB/)).toBeVisible();
  const directions = page.getByRole("table", { name: "Reads and writes of the cell" });
  await expect(directions.getByRole("row", { name: /^Reads/ })).toContainText("IOPS");
  await expect(directions.getByRole("row", { name: /^Writes/ })).toContainText("IOPS");
  await expect(page.getByRole("region", { name: "Will it carry" })).toContainText("Not answered");
  await expectSound(page);
});
