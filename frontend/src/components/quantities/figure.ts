/** Numbers as Assay prints them: three significant digits, never an exponent. */

const MINUS = "\u2212";

/**
 * Rounds to three significant digits and prints without an exponent: 1387 → "1390", 0.04217 → "0.0422".
 * Significant trailing zeros are kept ("1.40"); zero is "0".
 */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const magnitude = Math.abs(value);
  const rounded = Number(magnitude.toPrecision(3));
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(rounded)));
  const text = rounded.toFixed(Math.min(decimals, 12));
  return value < 0 ? MINUS + text : text;
}

/** A whole number with thin spaces between thousands: 12345 → "12 345". Four digits stay together. */
export function count(value: number): string {
  const text = String(Math.round(value));
  return text.length < 5 ? text : text.replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A number of things, in the plural unless it is one: "1 run", "12 runs". */
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

/** Smaller shares have nothing to tell apart. */
const LEAST_SHARE = 0.0001;

/** A share as a percentage: "98.2 %"; below one percent with two decimals, "under 0.01 %". */
export function formatShare(share: number): string {
  if (share > 0 && share < LEAST_SHARE) return "under 0.01\u00a0%";
  const percent = share * 100;
  const isSmall = share > 0 && percent < 1;
  return `${isSmall ? percent.toFixed(2) : figure(percent)}\u00a0%`;
}

/** "12 300 IOPS": operations per second with three significant digits. */
export const formatIops = (perSecond: number): string => joined(splitIops(perSecond));

/** Operations per second apart from their unit. */
export const splitIops = (perSecond: number): Quantity => ({
  value: perSecond < 1000 ? figure(perSecond) : count(Number(perSecond.toPrecision(3))),
  unit: "IOPS",
});

/** A value for a table, with a dash if it is not known. */
export const valueText = (
  value: number | null | undefined,
  format: (value: number) => string,
): string => (value == null ? "–" : format(value));

/** A number apart from its unit, so that a page can print them in different sizes. */
export type Quantity = { value: string; unit: string };

/** "1.39 GB/s": the parts joined by a space that does not break. */
export const joined = ({ value, unit }: Quantity): string => `${value}\u00a0${unit}`;

export type Scale = readonly { unit: string; size: number }[];

/** Expresses an amount in the largest unit of the scale that makes it at least 1 (after rounding). */
export function scaled(amount: number, scale: Scale): Quantity {
  const size = Number(Math.abs(amount).toPrecision(3));
  const step = scale.findLast((candidate) => size >= candidate.size) ?? scale[0];
  if (!step) return { value: figure(amount), unit: "" };
  return { value: figure(amount / step.size), unit: step.unit };
}
