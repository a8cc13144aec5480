import { describe, expect, it } from "vitest";
import { timeAxis } from "@/charts/timeAxis";
import { answerSentences } from "./compare/answer";
import { headlineWords, inputWords, trialWords, withoutFigure } from "./headline";
import { parseTools, toolNames } from "./parse";
import { growthStrip } from "./result/toolStrips";
import type { ToolComparison, ToolHeadline, ToolParameters } from "./shapes";

const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, " ");

const headline: ToolHeadline = {
  kind: "tool",
  tool: "rsync-ssh",
  title: "rsync over ssh",
  input: "files",
  files: 1000,
  rate: "durable",
  bytes_per_s: 412e6,
  cpu_s_per_gb: 4.6,
  of_tools: 2,
  no_result: null,
  flags: [],
};

describe("the headline of a tool test", () => {
  it("names the tool with its rate, cost and input", () => {
    expect(plain(headlineWords(headline, "MB/s"))).toBe(
      "412 MB/s durable, rsync over ssh with 1000 files; 4.60 CPU s/GB; fastest of 2 tools",
    );
    const alone = { ...headline, of_tools: 1, files: null, rate: "application" as const };
    expect(plain(withoutFigure({ ...alone, cpu_s_per_gb: null }, "MB/s"))).toBe("Rsync over ssh");
  });

  it("says why there is none", () => {
    const unsure = { ...headline, bytes_per_s: null, no_result: "unreliable" as const };
    expect(headlineWords({ ...unsure, flags: ["contended", "too_short"] }, "MB/s")).toBe(
      "No result: no trial is reliable (contended, too short).",
    );
    const none = { ...headline, bytes_per_s: null, no_result: "data_lost" as const };
    expect(headlineWords(none, "MB/s")).toBe("No result: no tool delivered all data as it was.");
  });
});

it("describes what a tool moves", () => {
  const of = (input: "files" | "records" | "memory", files = 0) => ({
    input,
    files,
    record_bytes: 1024,
  });
  expect(
    [of("files", 1), of("files", 1000), of("records"), of("memory")].map(inputWords).map(plain),
  ).toEqual(["1 file", "1000 files", "records of 1 KiB", "its own data"]);
  const parameters = { ...of("files", 12), tool: "scp" } as ToolParameters;
  expect(plain(trialWords(parameters))).toBe("scp, 12 files");
});

describe("a list of tools", () => {
  it("is read by name", () => {
    expect(parseTools("rsync-ssh, scp")).toEqual({ value: ["rsync-ssh", "scp"] });
    expect(toolNames("rsync-ssh / scp")).toEqual(["rsync-ssh", "scp"]);
  });

  it("is refused with what is wrong", () => {
    expect(parseTools(" ")).toHaveProperty("error");
    expect(parseTools("scp, scp")).toEqual({ error: "scp appears more than once." });
    expect(parseTools("rm -rf")).toEqual({
      error: "rm -rf is not the name of a tool such as rsync-ssh.",
    });
  });
});

it("draws the data that has arrived since the start, in one unit for all tools", () => {
  const samples = (rate: number) => ({
    count: 3,
    columns: {
      t_ns: [1e9, 2e9, 3e9],
      dt_ns: [1e9, 1e9, 1e9],
      rate_mean_bytes_per_s: [rate, null, rate],
    },
  });
  const strip = growthStrip(
    [
      { name: "rsync", samples: samples(1e9) },
      { name: "scp", samples: samples(5e8) },
    ],
    200,
    timeAxis(3e9),
  );
  expect(strip.unit).toBe("GB");
  expect(strip.lines.map(({ x, y }) => [x, y])).toEqual([
    [
      [0, 1, 2, 3],
      [0, 1, 1, 2],
    ],
    [
      [0, 1, 2, 3],
      [0, 0.5, 0.5, 1],
    ],
  ]);
});

describe("a comparison with Assay's own engine", () => {
  const side = (run_id: number, name: string, rate: number) => ({
    run_id,
    kind: run_id === 42 ? "path" : "tool",
    name,
    length_bytes: 20e9,
    bytes_per_s: rate,
    cpu_s_per_gb: 1.1,
    lost: 0,
  });
  const outcome: NonNullable<ToolComparison["outcome"]> = {
    kind: "tool",
    a: 42,
    b: 43,
    answer: "a_faster",
    ratio: 1.32,
    p: 0.001,
    same_input: true,
    sides: [side(42, "Disk to disk", 545e6), side(43, "scp", 300e6), side(43, "rsync", 412e6)],
    ratios: [],
  };
  const nameOf = (run: number) => `run ${run}`;

  it("names the fastest way of each run", () => {
    expect(answerSentences(outcome, nameOf)).toEqual([
      "run 42 is 32\u00a0% faster than run 43 (Disk to disk against rsync).",
    ]);
  });

  it("names no way that lost data as the fastest", () => {
    const sides = [...outcome.sides, { ...side(43, "lossy", 900e6), lost: 3 }];
    expect(answerSentences({ ...outcome, sides }, nameOf)).toEqual([
      "run 42 is 32\u00a0% faster than run 43 (Disk to disk against rsync).",
    ]);
  });

  it("warns of different inputs", () => {
    expect(answerSentences({ ...outcome, same_input: false }, nameOf)).toContain(
      "They moved different amounts of data, so the ratio says little.",
    );
    expect(answerSentences(null, nameOf)).toEqual([]);
  });
});
