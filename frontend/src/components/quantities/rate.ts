import { figure, joined, type Quantity, type Scale, scaled, valueText } from "./figure";

/** The throughput units in the user's menu, each named by its customary unit. */
export const RATE_UNITS = ["MB/s", "MiB/s", "Gb/s", "TB/h"] as const;
export type RateUnit = (typeof RATE_UNITS)[number];

/** Bytes per second in one of the unit. */
const BYTES_PER_SECOND: Record<RateUnit, number> = {
  "MB/s": 1e6,
  "MiB/s": 2 ** 20,
  "Gb/s": 1e9 / 8,
  "TB/h": 1e12 / 3600,
};

const SCALES: Record<RateUnit, Scale> = {
  "MB/s": [
    { unit: "B/s", size: 1 },
    { unit: "kB/s", size: 1e3 },
    { unit: "MB/s", size: 1e6 },
    { unit: "GB/s", size: 1e9 },
    { unit: "TB/s", size: 1e12 },
  ],
  "MiB/s": [
    { unit: "B/s", size: 1 },
    { unit: "KiB/s", size: 2 ** 10 },
    { unit: "MiB/s", size: 2 ** 20 },
    { unit: "GiB/s", size: 2 ** 30 },
    { unit: "TiB/s", size: 2 ** 40 },
  ],
  "Gb/s": [
    { unit: "b/s", size: 1 / 8 },
    { unit: "kb/s", size: 1e3 / 8 },
    { unit: "Mb/s", size: 1e6 / 8 },
    { unit: "Gb/s", size: 1e9 / 8 },
    { unit: "Tb/s", size: 1e12 / 8 },
  ],
  "TB/h": [
    { unit: "MB/h", size: 1e6 / 3600 },
    { unit: "GB/h", size: 1e9 / 3600 },
    { unit: "TB/h", size: 1e12 / 3600 },
    { unit: "PB/h", size: 1e15 / 3600 },
  ],
};

/** A rate (bytes per second) in the fitting unit of the family: 1387e6 → 1.39, "GB/s". */
export const splitRate = (bytesPerS: number, family: RateUnit): Quantity =>
  scaled(bytesPerS, SCALES[family]);

/** "1.39 GB/s" */
export const formatRate = (bytesPerS: number, family: RateUnit): string =>
  joined(splitRate(bytesPerS, family));

/** The same for a table, with a dash for a rate that is not known. */
export const rateText = (bytesPerS: number | null | undefined, family: RateUnit): string =>
  valueText(bytesPerS, (rate) => formatRate(rate, family));

/** A rate as a number of exactly this unit, for axes and matrices that share one unit. */
export const rateIn = (bytesPerS: number, unit: RateUnit): number =>
  bytesPerS / BYTES_PER_SECOND[unit];

/** The same as text, three significant digits, without the unit. */
export const rateFigure = (bytesPerS: number, unit: RateUnit): string =>
  figure(rateIn(bytesPerS, unit));
