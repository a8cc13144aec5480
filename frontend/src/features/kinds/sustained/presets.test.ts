import { expect, it } from "vitest";
import { PRESET_CHOICES, PRESETS, presetTexts } from "./presets";

/** Bytes per second of every preset; a test of the backend compares its list with this one. */
const RATES: [key: string, bytesPerS: number][] = [
  ["oc3-payload", 18_720_000],
  ["oc3", 19_440_000],
  ["oc12-payload", 74_880_000],
  ["oc12", 77_760_000],
  ["1g", 125_000_000],
  ["v210-hd-25", 138_240_000],
  ["v210-hd-30", 165_888_000],
  ["arriraw-28k-24", 167_961_600],
  ["arriraw-28k-25", 174_960_000],
  ["arriraw-28k-30", 209_952_000],
  ["dpx-2k-24", 212_385_792],
  ["dpx-2k-25", 221_235_200],
  ["dpx-2k-30", 265_482_240],
  ["v210-hd-50", 276_480_000],
  ["v210-hd-60", 331_776_000],
  ["dpx-2k-48", 424_771_584],
  ["dpx-2k-50", 442_470_400],
  ["arriraw-45k-24", 495_756_288],
  ["arriraw-45k-25", 516_412_800],
  ["dpx-2k-60", 530_964_480],
  ["v210-uhd-25", 552_960_000],
  ["arriraw-45k-30", 619_695_360],
  ["v210-uhd-30", 663_552_000],
  ["dpx-4k-24", 849_395_712],
  ["dpx-4k-25", 884_787_200],
  ["dpx-4k-30", 1_061_744_640],
  ["v210-uhd-50", 1_105_920_000],
  ["10g", 1_250_000_000],
  ["v210-uhd-60", 1_327_104_000],
  ["dpx-4k-48", 1_698_791_424],
  ["dpx-4k-50", 1_769_574_400],
  ["dpx-4k-60", 2_123_489_280],
  ["25g", 3_125_000_000],
  ["dpx-8k-24", 3_397_435_392],
  ["dpx-8k-25", 3_538_995_200],
  ["dpx-8k-30", 4_246_794_240],
  ["dpx-8k-48", 6_794_870_784],
  ["dpx-8k-50", 7_077_990_400],
  ["dpx-8k-60", 8_493_588_480],
  ["100g", 12_500_000_000],
];

it("has the rates of the backend", () => {
  const own = PRESETS.map(({ key, bytesPerS }) => [key, bytesPerS]);
  const byKey = (a: unknown[], b: unknown[]) => String(a[0]).localeCompare(String(b[0]));
  expect(own.sort(byKey)).toEqual([...RATES].sort(byKey));
});

it("fills the fields of a paced rate", () => {
  expect(presetTexts("10g")).toEqual({ pace: "rate", rate_bytes_per_s: "1250000000" });
  expect(presetTexts("none")).toEqual({ pace: "none" });
});

it("fills Owl's bursts on its clock", () => {
  expect(presetTexts("owl-oc12")).toEqual({
    pace: "burst",
    block: "800 KB",
    burst_blocks: "6",
    gap_ns: "50 ms",
    quantum_ns: "15.625 ms",
  });
});

it("says of each rate whether it is that of the line or of the payload", () => {
  const labels = PRESET_CHOICES.map(({ label }) => label);
  expect(labels).toContain("OC-3 (line rate): 19.4\u00a0MB/s");
  expect(labels).toContain("OC-3 payload (payload): 18.7\u00a0MB/s");
});
