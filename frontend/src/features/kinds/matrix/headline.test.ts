import { describe, expect, it } from "vitest";
import { headlineParts, headlineWords, withoutFigure } from "./headline";
import type { MatrixHeadline } from "./shapes";
import { cellLevels, headline } from "./testMatrix";

const plain = (text: string) => text.replaceAll("\u00a0", " ");
const said = (of: MatrixHeadline, unit: "MB/s" | "Gb/s" = "MB/s") => plain(headlineWords(of, unit));

describe("a headline", () => {
  it("names the rate, the setting, and what more threads do", () => {
    const effect = { code: "more_equal", threads: 4, bytes_per_s: 1.38e9, mean_over_cliff: false };
    expect(said(headline({ threads_effect: effect as never }))).toBe(
      "1.39 GB/s durable with one writer and 256 KiB blocks; more threads don't help",
    );
    expect(said(headline({ threads_effect: { ...effect, code: "more_slower" } as never }))).toMatch(
      /; more threads are slower$/,
    );
  });

  it("names what fewer threads reach, in the reader's unit", () => {
    const effect = { code: "fewer_slower", threads: 1, bytes_per_s: 1e9, mean_over_cliff: true };
    const of = headline({ threads: 2, threads_effect: effect as never });
    expect(said(of, "Gb/s")).toBe(
      "11.1 Gb/s durable with two writers and 256 KiB blocks; one writer reaches only 8.00 Gb/s on average",
    );
    expect(
      said(headline({ threads: 2, threads_effect: { ...effect, code: "fewer_equal" } as never })),
    ).toMatch(/; one writer reaches as much within noise$/);
  });

  it("names faster cells that are left out for their single reliable repeat", () => {
    expect(said(headline({ left_out_faster: 1 }))).toMatch(
      /; one cell with a single reliable repeat was faster$/,
    );
    expect(said(headline({ left_out_faster: 14 }))).toMatch(
      /; 14 cells with a single reliable repeat were /,
    );
  });

  it("is split around its figure, so that the figure can be large", () => {
    expect(headlineParts(headline({}), "MB/s")).toEqual({
      doubt: null,
      bytesPerS: 1.39e9,
      rest: expect.stringMatching(/^durable with one writer and 256.KiB blocks$/),
    });
  });

  it("keeps the warning before the figure", () => {
    const cached = headline({ served_by: "page_cache" });
    expect(headlineParts(cached, "MB/s")?.doubt).toBe("Served by the page cache");
    expect(said(cached)).toMatch(/^Served by the page cache: 1.39 GB\/s durable/);
    expect(plain(withoutFigure(cached, "MB/s"))).toMatch(/^Served by the page cache: durable with/);
    expect(said(headline({ served_by: "array_cache" }))).toMatch(
      /^Possibly served by the array's cache: /,
    );
    expect(said(headline({ served_by: "unknown" }))).toMatch(/ blocks \(served by: unknown\)$/);
  });

  it("is a sentence without its figure", () => {
    expect(plain(withoutFigure(headline({}), "MB/s"))).toBe(
      "Durable with one writer and 256 KiB blocks",
    );
  });

  it("shows why there is no result, and how to get one", () => {
    const none = (code: string, size: number | null, raise = false, fastest = false) =>
      said({
        kind: "matrix",
        operation: "write",
        figure: null,
        no_result: {
          code,
          fastest_cells: fastest,
          sufficient_file_size_bytes: size,
          raise_time_limit: raise,
        },
      } as MatrixHeadline);
    expect(none("suspended", null)).toBe("No result: the probe was suspended.");
    expect(none("too_short", 560e6)).toBe(
      "No result: the trial was too short. Files of 560 MB would suffice.",
    );
    expect(none("too_short", null, true)).toBe(
      "No result: the trial was too short. Raise the time limit.",
    );
    expect(none("too_short", 7.9e9, false, true)).toBe(
      "No result: the trial was too short in the fastest cells. Files of 7.90 GB would suffice.",
    );
    expect(
      headlineParts(
        { kind: "matrix", operation: "read", participants: 1, figure: null, no_result: null },
        "MB/s",
      ),
    ).toBeNull();
  });

  it("names the levels of a cliff and in how many repeats, in the reader's unit", () => {
    const of = headline({ bytes_per_s: null, levels: cellLevels, served_by: "page_cache" });
    expect(said(of, "Gb/s")).toBe(
      "Served by the page cache: 2.80 Gb/s for 12 s (4.30 GB), then 328 Mb/s durable (in 1 of 2 repeats) with one writer and 256 KiB blocks",
    );
  });
});
