/** Rates that lines and cameras deliver, as choices that fill the fields of pacing. */
import { formatRate } from "@/components/quantities";
import type { Choice, Texts } from "@/features/parameters/parameters";

export interface Preset {
  key: string;
  label: string;
  bytesPerS: number;
  basis: "line" | "payload" | "video";
}

const line = (key: string, label: string, bitsPerS: number): Preset => ({
  key,
  label,
  bytesPerS: bitsPerS / 8,
  basis: "line",
});

const video = (key: string, label: string, frameBytes: number, rates: number[]): Preset[] =>
  rates.map((fps) => ({
    key: `${key}-${fps}`,
    label: `${label} ${fps} fps`,
    bytesPerS: frameBytes * fps,
    basis: "video",
  }));

const CINEMA = [24, 25, 30, 48, 50, 60];
const BROADCAST = [25, 30, 50, 60];
const FILM = [24, 25, 30];

/** The same rates, computed in the same way, as in `kinds/sustained/presets.py`. */
export const PRESETS: readonly Preset[] = [
  { ...line("oc3-payload", "OC-3 payload", 149_760_000), basis: "payload" },
  line("oc3", "OC-3", 155_520_000),
  { ...line("oc12-payload", "OC-12 payload", 599_040_000), basis: "payload" },
  line("oc12", "OC-12", 622_080_000),
  line("1g", "1 Gb/s", 1e9),
  line("10g", "10 Gb/s", 1e10),
  line("25g", "25 Gb/s", 25e9),
  line("100g", "100 Gb/s", 1e11),
  ...video("dpx-2k", "2K DPX", 2048 * 1080 * 4 + 2048, CINEMA),
  ...video("dpx-4k", "4K DPX", 4096 * 2160 * 4 + 2048, CINEMA),
  ...video("dpx-8k", "8K DPX", 8192 * 4320 * 4 + 2048, CINEMA),
  ...video("v210-hd", "HD 10-bit 4:2:2", (1920 / 48) * 128 * 1080, BROADCAST),
  ...video("v210-uhd", "UHD 10-bit 4:2:2", (3840 / 48) * 128 * 2160, BROADCAST),
  ...video("arriraw-28k", "ARRIRAW 2.8K", (2880 * 1620 * 12) / 8, FILM),
  ...video("arriraw-45k", "ARRIRAW 4.5K", (4448 * 3096 * 12) / 8, FILM),
];

const BASES: Record<Preset["basis"], string> = {
  line: "line rate",
  payload: "payload",
  video: "uncompressed",
};

/** Owl's bursts of 800 KB buffers, on its clock of 15.625 ms. */
const OWL: Record<string, { label: string; burst: number; gapMs: number }> = {
  "owl-oc3": { label: "Owl OC-3: 1 buffer per 40 ms, 17.1 MB/s", burst: 1, gapMs: 40 },
  "owl-oc12": { label: "Owl OC-12: 6 buffers per 50 ms, 76.8 MB/s", burst: 6, gapMs: 50 },
  "owl-gigabit": { label: "Owl gigabit: 12 buffers per 50 ms, 154 MB/s", burst: 12, gapMs: 50 },
};

export const PRESET_CHOICES: Choice[] = [
  { value: "none", label: "No pacing" },
  ...PRESETS.map(({ key, label, bytesPerS, basis }) => ({
    value: key,
    label: `${label} (${BASES[basis]}): ${formatRate(bytesPerS, "MB/s")}`,
  })),
  ...Object.entries(OWL).map(([value, { label }]) => ({ value, label })),
];

/** The texts of the fields of pacing that a preset stands for. */
export function presetTexts(key: string): Texts {
  const owl = OWL[key];
  if (owl) {
    return {
      pace: "burst",
      block: "800 KB",
      burst_blocks: String(owl.burst),
      gap_ns: `${owl.gapMs} ms`,
      quantum_ns: "15.625 ms",
    };
  }
  const preset = PRESETS.find((each) => each.key === key);
  if (!preset) return { pace: "none" };
  return { pace: "rate", rate_bytes_per_s: String(preset.bytesPerS) };
}
