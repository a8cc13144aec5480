import { expect, test } from "../fixtures.ts";
import { expectSound } from "../sound.ts";
import type { Campaign } from "../stack/api.ts";

test("two senders stream records into one file, and every record is counted", async ({
  page,
  api,
  sshd,
}) => {
  test.setTimeout(120_000);
  const { id, host_id } = await api.scratch();
  const other = await api.registered("records-2", sshd);
  const records = {
    kind: "records",
    title: "Records",
    record_bytes: [1024, 4096],
    warm_up_ms: 500,
    window_ms: 1500,
    repeats: 1,
    sample_ms: 100,
  };
  const campaign = await api.post<Campaign>("/campaigns", {
    name: "Records",
    profile_id: await api.profile("k2hftfuse-records"),
    sources: [{ host_id }, { host_id: other.id }],
    sinks: [{ target_id: id }],
    tests: [records, { ...records, title: "To memory", sink: "memory", record_bytes: [1024] }],
  });
  const { runs } = await api.ended(campaign, 90);
  expect(runs.map(({ state }) => state)).toEqual(["done", "done"]);
  const [first, second] = runs.map((run) => run.id);

  await page.goto(`/runs/${first}`);
  const lengths = page.getByRole("table", { name: "Record lengths" });
  await expect(lengths.getByRole("row")).toHaveCount(3);
  await lengths.getByRole("button", { name: /^1\s?KiB/ }).click();
  await expect(page).toHaveURL(/[?&]length=1024/);
  const counts = page.getByRole("table", { name: "Records of each sender" });
  await expect(counts.getByRole("row")).toHaveCount(4);
  await expect(counts.getByRole("row").nth(2)).toContainText("records-2");
  await expect(
    page.getByText(/intact records were in the file when it was read back/),
  ).toBeVisible();
  await expect(page.getByRole("img", { name: /records and payload per second/ })).toBeVisible();
  await expectSound(page);

  await page.goto(`/compare?runs=${first},${second}`);
  await expect(
    page.getByRole("region", { name: "Answer" }).getByRole("paragraph").first(),
  ).toBeVisible();
  await expect(
    page.getByRole("table", { name: "Figures of the compared runs" }).getByRole("row"),
  ).toHaveCount(4);
  await expectSound(page);
});
