import { readFileSync } from "node:fs";
import { expect, test } from "../fixtures.ts";

test("a result can be downloaded as CSV, JSON and raw event log, and its conditions", async ({
  page,
  result,
}) => {
  const id = result.runs[0]?.id;
  await page.goto(`/runs/${id}`);
  const taken: Record<string, string> = {};
  for (const name of ["CSV", "JSON", "Conditions (CSV)", "Raw event log"]) {
    const link = page
      .getByRole("region", { name: "Downloads" })
      .getByRole("link", { name, exact: true });
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    taken[name] = readFileSync(await download.path(), "utf8");
  }
  expect(taken.CSV?.trim().split("\n").length).toBeGreaterThan(6);
  expect(JSON.parse(taken.JSON ?? "").cells).toHaveLength(6);
  expect(taken["Conditions (CSV)"]).toContain("dirty_ratio");
  const events = (taken["Raw event log"] ?? "").trim().split("\n");
  const parsed = events.map((line) => JSON.parse(line));
  expect(parsed.map((event) => event.seq)).toEqual(parsed.map((_, index) => index));
  expect(parsed.at(0).ev).toBe("hello");
  expect(parsed.at(-1).ev).toBe("end");
});
