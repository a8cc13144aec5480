import { formatRate, type RateUnit } from "./rate";

const RATE = /_bytes_per_s$/;

/** A rate as the server writes it. */
const written = (bytesPerS: number): string => formatRate(bytesPerS, "MB/s").replace("\u00a0", " ");

/**
 * The sentence with its rates in `unit`: the server writes them in MB/s, and gives their exact values
 * in `figures`. A rate that is no figure stays as it is.
 */
export function inUnit(
  sentence: string,
  figures: Readonly<Record<string, unknown>> | undefined,
  unit: RateUnit,
): string {
  return Object.entries(figures ?? {}).reduce(
    (text, [name, value]) =>
      RATE.test(name) && typeof value === "number"
        ? text.replaceAll(
            new RegExp(`(?<![\\d.])${written(value).replaceAll(".", "\\.")}(?!\\w)`, "g"),
            formatRate(value, unit),
          )
        : text,
    sentence,
  );
}
