import { describe, expect, it } from "vitest";
import { timeAxis } from "@/charts/figure";
import { growthStrip } from "./result/GrowthChart";
import { inputWords, parseTools, type ToolParameters, toolNames, trialWords } from "./tool";

const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, " ");

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
