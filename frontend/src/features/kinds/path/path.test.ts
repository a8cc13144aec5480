import { expect, it } from "vitest";
import { type Scorecard, trialWords } from "./path";
import { scorecardWords } from "./result/PathResult";
import { path } from "./testPath";

const plain = (text: string) => text.replaceAll("\u00a0", " ");

it("names a trial with its streams only where the network takes part", () => {
  expect(plain(trialWords({ leg: "read", block: 1_048_576, streams: 0 }))).toBe(
    "Read, 1 MiB blocks",
  );
  expect(plain(trialWords({ leg: "disk", block: 1_048_576, streams: 1 }))).toBe(
    "Disk to disk, 1 stream, 1 MiB blocks",
  );
});

it("compares with ESnet's scorecard only where the card's speed is known", () => {
  const scorecard = path.scorecard as Scorecard;
  expect(plain(scorecardWords(scorecard) ?? "")).toMatch(
    /10 Gb\/s card should move 1 TB\/h; met with 1\.96 TB\/h\.$|10 Gb\/s card should move 1\.00 TB\/h; met with 1\.96 TB\/h\.$/,
  );
  const missed = { ...scorecard, tb_per_hour: 0.75, meets: false };
  expect(plain(scorecardWords(missed) ?? "")).toContain("missed by 25.0 % with 0.75");
  expect(scorecardWords({ ...scorecard, link_bits_per_s: null })).toBeNull();
});
