import { expect, it } from "vitest";
import type { ScaledRate, ScaledRun } from "@/api/shapes";
import { efficiencyText, sharesText, slowestText } from "./ScaleOutChart";

const RATE: ScaledRate = { bytes_per_s: 1e9, efficiency: 0.874, served_by: "device", doubt: null };
const part = (id: number, share: number | null) => ({
  participant_id: id,
  target_id: id,
  host: `web-${id}`,
  path: "/mnt",
  bytes_per_s: share === null ? null : share * 1e9,
  share,
});
const RUN: ScaledRun = {
  targets: 2,
  run_id: 9,
  state: "done",
  application: RATE,
  durable: null,
  fairness: 0.99,
  slowest_participant_id: 2,
  parts: [part(1, 0.6), part(2, 0.4)],
};
const plain = (text: string) => text.replaceAll("\u00a0", " ");

it("gives the efficiency, or why there is none", () => {
  expect(plain(efficiencyText(RATE, RATE, "targets"))).toBe("87 %");
  const falling: ScaledRate = { ...RATE, efficiency: null, doubt: "cliff" };
  expect(efficiencyText(falling, RATE, "targets")).toBe("– (rate with a cliff)");
  const other: ScaledRate = { ...RATE, efficiency: null };
  const cached: ScaledRate = { ...RATE, doubt: "page_cache" };
  expect(efficiencyText(other, cached, "targets")).toBe("– (one target: page cache)");
  expect(efficiencyText(other, cached, "pairs")).toBe("– (one pair: page cache)");
  expect(efficiencyText(null, RATE, "targets")).toBe("–");
});

it("gives the shares in the targets' order, and the slowest target", () => {
  expect(plain(sharesText(RUN))).toBe("60 % · 40 %");
  expect(plain(slowestText(RUN, "MB/s"))).toBe("web-2 /mnt, 400 MB/s");
  expect(sharesText({ parts: [part(1, null)] })).toBe("–");
  expect(slowestText({ ...RUN, slowest_participant_id: null }, "MB/s")).toBe("–");
});
