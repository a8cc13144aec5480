import type { Levels } from "@/api/shapes";

/** Levels for tests: rates in bytes per second that follow each other, each for so many seconds. */
export function heldLevels(...of: readonly (readonly [rate: number, seconds: number])[]): Levels {
  let [ns, bytes] = [0, 0];
  return of.map(([rate, seconds]) => {
    const [from_ns, from_bytes] = [ns, bytes];
    ns += seconds * 1e9;
    bytes += rate * seconds;
    return {
      bytes_per_s: rate,
      duration_ns: seconds * 1e9,
      bytes: rate * seconds,
      from_ns,
      to_ns: ns,
      from_bytes,
      to_bytes: bytes,
    };
  });
}
