import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import type { RunSummary } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import type { LiveTrial } from "./feed";
import { LiveRun } from "./LiveRun";
import type { LiveStripProps } from "./LiveStrip";

// Charts are tested separately; these tests check which trial they show.
vi.mock("@/features/kinds/matrix/LiveMatrix", () => ({ LiveMatrix: () => null }));
vi.mock("@/features/kinds/tool/LiveTools", () => ({ LiveTools: () => null }));
vi.mock("./LiveStrip", () => ({
  LiveStrip: ({ trialId, courses, hasLatencies }: LiveStripProps) => (
    <>
      <p>strip of trial {trialId}</p>
      <p>
        {hasLatencies ? "with" : "without"} latencies: {courses.map(({ name }) => name).join(", ")}
      </p>
    </>
  ),
}));

const PARTICIPANT = { id: 7, role: "writer", host: { id: 1, name: "web-1" } };
const at = (current: object | null) =>
  ({
    id: 4,
    kind: "matrix",
    participants: [PARTICIPANT],
    state: "running",
    current,
  }) as unknown as RunSummary;
const trial = (id: number, threads: number) => ({
  trial_id: id,
  parameters: { kind: "matrix", block: 262144, threads },
  repeat: 1,
  bytes: 25,
  total_bytes: 100,
  rate_bytes_per_s: null,
  participants: [],
});
const sampled = (trialId: number): LiveTrial => ({
  participantId: 7,
  trialId,
  attempt: 1,
  points: [],
});
const words = () =>
  (screen.getByText(/strip of/).previousSibling?.textContent ?? "").replaceAll("\u00a0", " ");

/** What the page receives step by step: the run's current trial, and its samples. */
function Learning({ steps }: { steps: [current: object | null, samplesOf: number][] }) {
  const [step, setStep] = useState(0);
  const [current, samplesOf] = steps[step] as [object | null, number];
  return (
    <>
      <LiveRun run={at(current)} live={[sampled(samplesOf)]} />
      <button type="button" onClick={() => setStep(step + 1)}>
        next
      </button>
    </>
  );
}
const next = () => userEvent.click(screen.getByRole("button", { name: "next" }));

it("names the strip's trial, even if the next one has begun without a sample", async () => {
  const [first, second] = [trial(9, 1), trial(10, 2)];
  rendered(
    <Learning
      steps={[
        [first, 9],
        [null, 9],
        [second, 9],
        [second, 10],
      ]}
    />,
  );
  expect(words()).toBe("256 KiB × 1 thread, repeat 1: 25 % written");
  await next();
  expect(words()).toBe("256 KiB × 1 thread, repeat 1: ended");
  await next();
  expect(screen.getByText("strip of trial 9")).toBeDefined();
  expect(words()).toBe("256 KiB × 1 thread, repeat 1: ended");
  await next();
  expect(words()).toBe("256 KiB × 2 threads, repeat 1: 25 % written");
});

it("does not label a trial's first samples with the previous trial", async () => {
  const first = trial(9, 1);
  rendered(
    <Learning
      steps={[
        [first, 9],
        [first, 10],
      ]}
    />,
  );
  await next();
  expect(screen.getByText("strip of trial 10")).toBeDefined();
  expect(words()).toBe("New trial started");
});

it("draws only the growth at the sink of what another program moves", () => {
  const ends = [
    { id: 6, role: "sender", host: { id: 1, name: "web-1" } },
    { id: 7, role: "receiver", host: { id: 2, name: "log-1" } },
  ];
  const current = {
    ...trial(9, 1),
    parameters: { kind: "tool", tool: "rsync-ssh", input: "files" },
  };
  const run = { ...at(current), kind: "tool", participants: ends } as unknown as RunSummary;
  rendered(<LiveRun run={run} live={[{ ...sampled(9), participantId: 6 }, sampled(9)]} />);
  expect(screen.getByText("without latencies: log-1")).toBeTruthy();
});
