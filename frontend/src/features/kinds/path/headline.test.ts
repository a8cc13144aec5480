import { expect, it } from "vitest";
import { headlineParts, headlineWords, trialWords, withoutFigure } from "./headline";
import { scorecardWords } from "./result/PathAnswer";
import type { PathHeadline, Scorecard } from "./shapes";
import { path } from "./testPath";

const headline = path.headline as PathHeadline;
const plain = (text: string) => text.replaceAll("\u00a0", " ");

it("says the rate, the volume per hour, the efficiency and the limit", () => {
  expect(plain(headlineWords(headline, "MB/s"))).toBe(
    "545 MB/s disk to disk, durable (1.96 TB/h), 98.2 % of what its legs predict; limited by the sink's disk",
  );
});

it("says the volume per hour once where that is the reader's unit", () => {
  expect(plain(headlineWords(headline, "TB/h"))).toMatch(/^1\.96 TB\/h disk to disk, durable, 98/);
});

it("lists what cannot be told apart, and what limits as well", () => {
  const undetermined = {
    ...headline,
    limit: "undetermined",
    others: ["network", "sink_disk"],
  } as const;
  expect(headlineWords({ ...undetermined, others: [...undetermined.others] }, "MB/s")).toMatch(
    /limit undetermined: the network or the sink's disk$/,
  );
  expect(headlineWords({ ...headline, others: ["link"] }, "MB/s")).toMatch(
    /limited by the sink's disk and the link$/,
  );
});

it("has no figure where the rate is no result, and says why", () => {
  const none: PathHeadline = {
    ...headline,
    bytes_per_s: null,
    leg: null,
    limit: null,
    no_result: "cache_inflated",
  };
  expect(headlineParts(none, "MB/s")).toBeNull();
  expect(withoutFigure(none, "MB/s")).toBe(
    "No result: a cache at the sink makes the rate higher than what its disk holds.",
  );
  expect(withoutFigure({ ...none, no_result: "not_measured", limit: "sender_cpu" }, "MB/s")).toBe(
    "No result: nothing was measured; limited by the sender's CPU.",
  );
});

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
