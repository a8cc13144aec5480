import { expect, it } from "vitest";
import type { SustainedTrial } from "@/features/kinds/sustained/sustained";
import {
  conformanceText,
  latencyFigures,
  preparationFigures,
  readBackFigures,
  scheduleFigures,
  steadyText,
} from "./Figures";

const TRIAL = {
  status: "complete",
  duration_ns: 200e9,
  ramp_ns: 0,
  steady: null,
  participants: [],
  gaps: [],
  window_ns: null,
} as unknown as SustainedTrial;

it("says that a trial was too short for a steady state only if it was", () => {
  expect(steadyText(TRIAL)).toBe("needs five rounds of 60 s");
  expect(steadyText({ ...TRIAL, status: "failed" })).toBeNull();
  expect(steadyText({ ...TRIAL, duration_ns: 400e9 })).toBeNull();
  expect(steadyText({ ...TRIAL, duration_ns: 400e9, ramp_ns: 150e9 })).toBe(
    "needs five rounds of 60 s",
  );
});

it("gives the reason for targets that run together", () => {
  const participants = [{}, {}] as SustainedTrial["participants"];
  const joint = { ...TRIAL, duration_ns: 400e9, participants };
  expect(steadyText({ ...joint, window_ns: 290e9 })).toBe(
    "needs five rounds of 60 s in which all are measured",
  );
  const gaps = [{ what: "starved" }] as SustainedTrial["gaps"];
  expect(steadyText({ ...joint, window_ns: 400e9, gaps })).toBe(
    "not judged: a participant was disturbed",
  );
  const window = { mean: 1e9, spread_share: 0.1, slope_share: 0.01 };
  const steady = { reached: true, first_round: 1, rounds: 5, window };
  expect(steadyText({ ...joint, steady })).toBe("reached in rounds 1–5 of all together");
});

it("names the rounds of the steady window", () => {
  const window = { mean: 1e9, spread_share: 0.1, slope_share: 0.01 };
  const steady = { reached: true, first_round: 3, rounds: 7, window };
  expect(steadyText({ ...TRIAL, steady } as SustainedTrial)).toBe("reached in rounds 3–7");
  expect(
    steadyText({ ...TRIAL, steady: { ...steady, reached: false, rounds: 25 } } as SustainedTrial),
  ).toBe("not reached after 25 rounds");
});

it("claims conformance only within the test files, and names the declaration", () => {
  const conformance = { conformant: true, purge_declared: true, reasons: [] };
  const trial = { ...TRIAL, footprint_bytes: 4_000_000_000 };
  expect(conformanceText({ ...trial, conformance } as SustainedTrial)).toBe(
    "conformant within the test files (4.00\u00a0GB), purge declared by the operator",
  );
  const reasons = ["no purge was declared", "preconditioned 0 of 2 times"];
  expect(
    conformanceText({ ...trial, conformance: { ...conformance, conformant: false, reasons } }),
  ).toBe("SNIA-style, not conformant: no purge was declared, preconditioned 0 of 2 times");
});

it("shows what was done before a trial, and nothing else", () => {
  const nothing = {
    fill_bytes: 0,
    fill_ns: 0,
    level_share: null,
    precondition_passes: 0,
    precondition_bytes: 0,
    precondition_ns: 0,
    idle_ns: 0,
  };
  const shown = (parts: object) =>
    preparationFigures({ ...TRIAL, preparation: { ...nothing, ...parts } } as SustainedTrial);
  expect(shown({})).toEqual([]);
  expect(shown({ level_share: 0.6, fill_bytes: 5e9, fill_ns: 10e9 })[0]).toEqual([
    "File system filled to",
    "60.0\u00a0%",
  ]);
  expect(
    shown({ precondition_passes: 2, precondition_bytes: 8e9, precondition_ns: 20e9 })[0]?.[1],
  ).toMatch(/^2×, 8.00.GB in /);
  expect(shown({ idle_ns: 5e9 })[0]?.[0]).toBe("Idle before the trial");
});

it("says how much was read back, with the place of the first error", () => {
  const read_back = {
    whole: true,
    error: null,
    bytes: 4e9,
    ns: 2e9,
    bytes_per_s: 2e9,
    errors: 0,
    first_offset_bytes: null,
    first_stream: null,
    cached_share: 0,
    elsewhere: false,
    pending: false,
  };
  const shown = (parts: object, random = false) =>
    new Map(
      readBackFigures(
        { ...TRIAL, bytes: 10e9, read_back: { ...read_back, ...parts } } as SustainedTrial,
        "MB/s",
        random,
      ),
    );
  expect(shown({}).get("Read back and verified")).toBe(
    "4.00\u00a0GB of 10.0\u00a0GB, what was written last, all intact",
  );
  expect(shown({}).get("Read-back errors")).toBe("none");
  expect(shown({}).get("Read-back rate")).toContain("2.00\u00a0GB/s");
  expect(
    shown({ errors: 3, first_offset_bytes: 512, first_stream: 1 }).get("Read-back errors"),
  ).toBe("3 sectors, the first at byte 512 of stream 1");
  expect(shown({ whole: false }).get("Read back and verified")).toContain("ended early");
  expect(shown({}, true).get("Read back and verified")).toBe(
    "4.00\u00a0GB, the whole working set, all intact",
  );
  expect(shown({ whole: false }, true).get("Read back and verified")).toBe(
    "4.00\u00a0GB of the working set, ended early",
  );
  expect([...shown({ whole: false, bytes: 0, pending: true })]).toEqual([
    ["Read back and verified", "pending"],
  ]);
  const byOther = { ...TRIAL, bytes: 4e9, read_back: { ...read_back, elsewhere: true } };
  expect(readBackFigures(byOther as SustainedTrial, "MB/s", false, "box38")[0]).toEqual([
    "Read back by box38",
    "4.00\u00a0GB of 4.00\u00a0GB, all intact",
  ]);
  expect(readBackFigures({ ...TRIAL, read_back: null }, "MB/s", false)).toEqual([]);
});

it("calls latencies lower bounds if an operation never returned", () => {
  const trial = { ...TRIAL, peak_ns: 60e9, p99_ns: 2e6, unreturned: 1 };
  expect(latencyFigures(trial, "write time")).toEqual([
    ["Peak write time", "at least 60.0\u00a0s"],
    ["p99 write time", "at least 2.00\u00a0ms"],
    ["Never returned", "1"],
  ]);
  const returned = latencyFigures({ ...trial, unreturned: 0 }, "write time");
  expect(returned.map(([, text]) => text)).toEqual(["60.0\u00a0s", "2.00\u00a0ms"]);
});

it("names the participant whose latency or backlog is the largest of several", () => {
  const of = (participant_id: number, due_p99_ns: number, backlog_most_bytes: number) => ({
    participant_id,
    due_p99_ns,
    backlog_most_bytes,
    backlog_end_bytes: 0,
  });
  const trial = {
    ...TRIAL,
    due_p99_ns: 3e9,
    backlog_most_bytes: 3_200_000_000,
    backlog_end_bytes: 0,
    participants: [of(1, 5e6, 3_200_000_000), of(2, 3e9, 0)],
  } as unknown as SustainedTrial;
  expect(scheduleFigures(trial, (id) => `web-${id}`)).toEqual([
    ["p99 from due time", "3.00\u00a0s (web-2)"],
    ["Largest backlog", "3.20\u00a0GB (web-1)"],
    ["Backlog at the end", "0\u00a0B"],
  ]);
  expect(scheduleFigures({ ...trial, participants: [] })[0]).toEqual([
    "p99 from due time",
    "3.00\u00a0s",
  ]);
});
