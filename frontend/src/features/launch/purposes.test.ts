import { expect, it } from "vitest";
import { PURPOSES, purposed } from "./purposes";

const OWN = { criterion: "write.p99 < 20 ms", stop: true };
const textsOf = ({ criteria }: { criteria: { criterion: string }[] }) =>
  criteria.map(({ criterion }) => criterion);

it("a purpose adds its criteria to those that were typed", () => {
  const general = purposed({ purpose: null, criteria: [OWN] }, "general");
  expect(general.purpose).toBe("general");
  expect(textsOf(general)).toContain("repeat.cv <= 10 %");
  expect(general.criteria.at(-1)).toEqual(OWN);
});

it("another purpose replaces those of the first one, also with changed limits", () => {
  const ingest = purposed({ purpose: null, criteria: [OWN] }, "ingest");
  const changed = ingest.criteria.map((one) => ({
    ...one,
    criterion: one.criterion.replace("1240 MB/s", "1100 MB/s"),
  }));
  expect(textsOf(purposed({ purpose: "ingest", criteria: changed }, "frames"))).toEqual([
    "dropped_at(frames=24) < 1",
    OWN.criterion,
  ]);
});

it.each(PURPOSES.map(({ name }) => name))("%s is taken back without a trace", (name) => {
  const before = { purpose: null, criteria: [OWN] };
  expect(purposed(purposed(before, name), null)).toEqual(before);
});
